"""nginx with the configuration of deploy/server, its paths and ports filled in, and the certificates that it needs."""

import os
import pathlib
import shutil
import signal
import ssl

from harness import PROJECT
from harness.processes import Failed, Process, free_port, listens, run, until

SERVER = PROJECT / "deploy/server"
CERTIFICATES = SERVER / "certificates.sh"

# Where programs look for the authorities of the system.
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"

# nginx.conf itself is the machine's own, and not of this project.
MAIN = """
daemon off;
{user}
worker_processes 2;
pid {directory}/nginx.pid;
error_log {directory}/error.log warn;
worker_rlimit_nofile 8192;
events {{ worker_connections 4000; }}
http {{
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    access_log off;
    include {directory}/site.conf;
}}
"""


def replaced(text, old, new, name):
    """A line of the configuration that is gone would leave the test with another one than it names."""
    if old not in text:
        raise Failed(f"{name} has no '{old}' to fill in")
    return text.replace(old, new)


def trusting(authority, words):
    """The words of a program that takes this authority for one of the system's, and which nothing else does."""
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-current-user", "--keep-caps"]
    return [*unshare, "sh", "-c", 'mount --bind "$0" ' + AUTHORITIES + ' && exec "$@"', authority, *words]


class Front:
    """nginx on a free port of loopback, in front of the sockets that the receivers have in `run`; or on the port and with
    the certificates of another one, which is gone."""

    def __init__(self, directory, run_directory, gateway=False, changes=(), successor_of=None):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True)
        self.run = pathlib.Path(run_directory)
        self.port, self.own_port = successor_of.port if successor_of else free_port(), free_port()
        if successor_of:
            for name in ("server-authority", "devices", "tls"):
                shutil.copytree(successor_of.directory / name, self.directory / name, symlinks=True)
        else:
            self._make_certificates()
        self._write(gateway, changes)
        self.check()
        self._nginx = Process(["nginx", "-e", self.directory / "error.log", "-c", self.directory / "nginx.conf"],
                              self.directory / "nginx.log")
        until(self.answers, "nginx starts", 20)

    pid = property(lambda self: self._nginx.pid)
    base = property(lambda self: f"https://127.0.0.1:{self.port}")
    authority = property(lambda self: self.directory / "server-authority/authority.crt")

    def certificate(self, name):
        """The paths of a device's certificate and key."""
        return self.directory / f"devices/{name}.crt", self.directory / f"devices/{name}.key"

    def _make_certificates(self):
        server, devices = self.directory / "server-authority", self.directory / "devices"
        run(["sh", CERTIFICATES, "authority", server, "Server"])
        run(["sh", CERTIFICATES, "server", server, "127.0.0.1", "localhost"])
        run(["sh", CERTIFICATES, "authority", devices, "Devices"])
        run(["sh", CERTIFICATES, "device", devices, "band-1"])
        tls = self.directory / "tls"
        tls.mkdir()
        for name, made in (("server.crt", server / "127.0.0.1.crt"), ("server.key", server / "127.0.0.1.key"),
                           ("devices.crt", devices / "authority.crt"), ("devices.crl", devices / "crl.pem")):
            (tls / name).symlink_to(made)

    def _write(self, gateway, changes):
        """The files as they are installed, with this directory in place of the system's."""
        user = "user root;" if os.geteuid() == 0 else ""
        (self.directory / "nginx.conf").write_text(MAIN.format(directory=self.directory, user=user))
        for path in sorted((SERVER / "nginx").glob("*.conf")):
            text = path.read_text().replace("/etc/nginx/anicca", str(self.directory))
            text = text.replace("/run/anicca-receiver", str(self.run)).replace("/etc/anicca-receiver", str(self.directory))
            text = text.replace("/var/log/nginx", str(self.directory)).replace("/var/lib/anicca-receiver-page", str(self.directory))
            if path.name == "site.conf":
                text = replaced(text, "listen 443 ssl;", f"listen 127.0.0.1:{self.port} ssl;", path)
                text = replaced(text, "    listen [::]:443 ssl;\n", "", path)
                text = replaced(text, "127.0.0.1:9180", f"127.0.0.1:{self.own_port}", path)
                text = replaced(text, "api.example.org", "127.0.0.1 localhost", path)
                if gateway:
                    text = replaced(text, "# 203.0.113.0/24 1;", "127.0.0.1 1;", path)
            for name, old, new in changes:
                if name == path.name:
                    text = replaced(text, old, new, path)
            (self.directory / path.name).write_text(text)

    def check(self):
        """nginx's own look at its configuration, which has nothing to complain of."""
        said = run(["nginx", "-t", "-q", "-e", "/dev/stdout", "-c", self.directory / "nginx.conf"])
        if said:
            raise Failed(f"nginx -t: {said}")

    def answers(self):
        if not self._nginx.is_running:
            raise Failed(f"nginx ended with {self._nginx.code}: {self.log()}")
        return listens(self.port)

    def log(self):
        path = self.directory / "error.log"
        return path.read_text(errors="replace")[-2000:] if path.exists() else ""

    def reload(self):
        self._nginx.send(signal.SIGHUP)

    def stop(self):
        if self._nginx.is_running:
            self._nginx.end(signal.SIGQUIT)

    def kill(self):
        self._nginx.kill()

    def trust(self, certificate=None):
        """For a client: trusts the server's authority, and shows a device's certificate."""
        context = ssl.create_default_context(cafile=str(self.authority))
        if certificate:
            context.load_cert_chain(*map(str, certificate))
        return context
