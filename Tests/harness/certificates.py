"""Certificates of an authority that the device knows, and all that may be wrong with one; made by openssl, in a directory."""

import base64
import hashlib
import pathlib
import ssl
import subprocess
import warnings

HOST = "service.test"
VALID = ("20200101000000Z", "20450101000000Z")
EXPIRED = ("20200101000000Z", "20210101000000Z")
NOT_YET = ("20440101000000Z", "20450101000000Z")
CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")
SHORT_RSA = ("-newkey", "rsa:1024")
#: Where the programs look for the authorities of the system.
SYSTEM_AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"

CONFIGURATION = """
[ca]
default_ca = this
[this]
database = {directory}/{authority}.index
serial = {directory}/{authority}.serial
new_certs_dir = {directory}
policy = any
unique_subject = no
copy_extensions = copy
default_md = sha256
[any]
commonName = supplied
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[leaf]
basicConstraints = CA:FALSE
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[req]
distinguished_name = name
[name]
"""


class Certificates:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        for name in ("known", "unknown"):
            self.authority(name)
        self.certificate("good")
        self.certificate("rotated")
        self.certificate("expired", dates=EXPIRED)
        self.certificate("not-yet", dates=NOT_YET)
        self.certificate("misnamed", host="other.test")
        self.certificate("nameless", host=None)
        self.certificate("wildcard-above", host="*.service.test")
        self.certificate("stranger", "unknown")
        self.certificate("weak-key", key=SHORT_RSA)
        self.certificate("weak-hash", digest="sha1")
        self.certificate("client", host="client")
        self.certificate("client-expired", host="client", dates=EXPIRED)
        self.certificate("client-stranger", "unknown", host="client")
        self.sign_itself("self-signed")

    def path(self, name, kind="crt"):
        return self.directory / f"{name}.{kind}"

    def _openssl(self, *words):
        ended = subprocess.run(["openssl", *map(str, words)], cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, check=False)
        if ended.returncode:
            raise AssertionError(f"openssl {words}: {ended.stdout}")

    def _request(self, name, host, key):
        names = ("-addext", f"subjectAltName=DNS:{host}") if host else ()
        self._openssl("req", *key, "-nodes", "-subj", f"/CN={name}", *names, "-keyout", self.path(name, "key"), "-out",
                      self.path(name, "csr"))
        self.path(name, "key").chmod(0o600)

    def _sign(self, name, authority, dates, digest, *how):
        self._openssl("ca", "-batch", "-notext", "-config", self.path(authority, "conf"), "-startdate", dates[0], "-enddate", dates[1],
                      "-md", digest, "-in", self.path(name, "csr"), "-out", self.path(name), *how)
        pem = self.path(name).read_text("ascii") + self.path(name, "key").read_text("ascii")
        self.path(name, "pem").write_text(pem, "ascii")

    def _begin(self, name):
        self.path(name, "conf").write_text(CONFIGURATION.format(directory=self.directory, authority=name), "ascii")
        self.path(name, "index").touch()
        self.path(name, "serial").write_text("01\n", "ascii")

    def authority(self, name):
        self._begin(name)
        self._request(name, None, CURVE)
        self._sign(name, name, VALID, "sha256", "-selfsign", "-keyfile", self.path(name, "key"), "-extensions", "authority")

    def certificate(self, name, authority="known", host=HOST, dates=VALID, key=CURVE, digest="sha256"):
        self._request(name, host, key)
        self._sign(name, authority, dates, digest, "-cert", self.path(authority), "-keyfile", self.path(authority, "key"), "-extensions",
                   "leaf")

    def sign_itself(self, name):
        self._begin(name)
        self._request(name, HOST, CURVE)
        self._sign(name, name, VALID, "sha256", "-selfsign", "-keyfile", self.path(name, "key"), "-extensions", "leaf")

    def pin(self, name):
        """As `pinned-key` has it: the hash of the public key (CURLOPT_PINNEDPUBLICKEY(3))."""
        public = subprocess.run(["openssl", "x509", "-in", self.path(name), "-noout", "-pubkey"], stdout=subprocess.PIPE, check=True).stdout
        der = subprocess.run(["openssl", "pkey", "-pubin", "-outform", "der"], input=public, stdout=subprocess.PIPE, check=True).stdout
        return "sha256//" + base64.b64encode(hashlib.sha256(der).digest()).decode()

    def server(self, name, client_authority=None, version=None):
        """What a server shows; with an authority, only clients that have a certificate of it are served."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_ciphers("DEFAULT@SECLEVEL=0")
        context.load_cert_chain(self.path(name, "pem"))
        if version:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                context.minimum_version = ssl.TLSVersion.TLSv1
                context.maximum_version = version
        if client_authority:
            context.load_verify_locations(self.path(client_authority))
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    @property
    def environment(self):
        """The programs trust the known authority, and find the server on this machine."""
        return {"FAULT_PATH": f"{SYSTEM_AUTHORITIES}={self.path('known')}", "FAULT_NAMES": HOST}
