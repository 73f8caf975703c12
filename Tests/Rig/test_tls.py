"""SPEC §7: HTTPS, with certificates verified, and with a pinned key and a client certificate where they are configured."""

from __future__ import annotations

import shutil
import unittest
from pathlib import Path

from receiver import PORT, signed_in
from test_upload_units import UploadProof

HOST, TLS_PORT = "service.test", 8443

#: Makes an authority that the guest trusts, one that is unknown, and a certificate for each purpose. The agent may read
#: those of its own.
MAKE_CERTIFICATES = f"""
set -e
mkdir -p /etc/anicca/tls && cd /etc/anicca/tls
curve='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'
authority() {{ openssl req -x509 $curve -subj /CN=$1 -keyout $1.key -out $1.crt; }}
certificate() {{
    openssl req $curve -subj /CN=$1 -addext subjectAltName=DNS:$3 -keyout $1.key -out $1.csr
    openssl x509 -req -days 2 -in $1.csr -copy_extensions copy -CA $2.crt -CAkey $2.key -CAcreateserial -out $1.crt
    cat $1.crt $1.key >$1.pem
}}
authority known; authority unknown
certificate good known {HOST}; certificate stranger unknown {HOST}; certificate misnamed known other.test
certificate client known client
cp known.crt /usr/local/share/ca-certificates/known.crt && update-ca-certificates
chown anicca client.* && chmod 600 client.key
echo '127.0.0.1 {HOST}' >>/etc/hosts
"""

#: The setting that pins a server to the key of a certificate (CURLOPT_PINNEDPUBLICKEY(3)).
PIN = ("openssl x509 -in /etc/anicca/tls/{}.crt -noout -pubkey | openssl pkey -pubin -outform der"
       " | openssl dgst -sha256 -binary | base64")


class TLSTests(UploadProof):
    """anicca-upload.service against a TLS server, behind which the receiver gets whatever comes through."""

    delivery = UploadProof.delivery + "\nfirst-retry = 1s\nlongest-retry = 1s\nattempts-per-day = 100"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        shutil.copy(Path(__file__).parent / "guest" / "tls_front.py", cls.guest.shared)
        cls.guest.output(MAKE_CERTIFICATES, timeout=300)
        # One run only: the next would find the server gone, and its error in place of the one in question.
        cls.guest.output("mkdir -p /etc/systemd/system/anicca-upload.service.d && cd /etc/systemd/system/anicca-upload.service.d"
                         " && printf '[Service]\\nExecStopPost=\\n' >once.conf && systemctl daemon-reload")

    def setUp(self) -> None:
        super().setUp()
        self.queue_a_day()
        self.receiver.start()
        self.asked = self.requests()

    def requests(self) -> int:
        """The count of all requests that the receiver got."""
        return self.receiver.query("SELECT count(*) FROM requests")[0][0]

    def upload(self, certificate: str, *settings: str, client_authority: str = "") -> int:
        """Runs the uploader against a server with this certificate, and gives back its exit status."""
        self.configure("\n".join([signed_in(f"https://{HOST}:{TLS_PORT}"), *settings, self.delivery]))
        front = self.guest.spawn(
            f"exec python3 /host/tls_front.py {TLS_PORT} {PORT} /etc/anicca/tls/{certificate}.pem {client_authority}")
        self.addCleanup(front.stop)
        front.expect("ready")
        self.guest.run("systemctl start anicca-upload")
        self.wait_for_end_of_run()
        front.stop()
        return int(self.unit("anicca-upload", "ExecMainStatus"))

    def assertDelivered(self, status: int) -> None:
        self.assertEqual((0, 0), (status, self.waiting()))

    def assertRefused(self, status: int, why: str) -> None:
        """Nothing was sent, nothing is lost, and the journal and `anicca status` say why."""
        self.assertEqual(75, status)
        self.assertEqual(self.asked, self.requests(), "not a request came through")
        self.assertGreater(self.waiting(), 1)
        self.assertRegex(self.status()["delivery"]["lastError"], why)
        self.assertRegex("\n".join(entry["MESSAGE"] for entry in self.journal(
            "SYSLOG_IDENTIFIER=anicca-upload", after=self.mark)), why)

    def test_a_server_with_a_certificate_of_a_known_authority_gets_everything(self) -> None:
        self.assertDelivered(self.upload("good"))

    def test_a_server_with_a_certificate_of_an_unknown_authority_gets_nothing(self) -> None:
        self.assertRefused(self.upload("stranger"), "certificate")

    def test_a_server_with_a_certificate_for_another_name_gets_nothing(self) -> None:
        self.assertRefused(self.upload("misnamed"), f"certificate.*{HOST}")

    def test_the_server_with_the_pinned_key_gets_everything(self) -> None:
        self.assertDelivered(self.upload("good", f"pinned-key = sha256//{self.guest.output(PIN.format('good'))}"))

    def test_a_server_with_another_key_than_the_pinned_one_gets_nothing(self) -> None:
        pin = self.guest.output(PIN.format("misnamed"))
        self.assertRefused(self.upload("good", f"pinned-key = sha256//{pin}"), "pinned|public key")

    def test_a_server_that_asks_for_a_certificate_gets_everything_from_a_client_that_has_one(self) -> None:
        self.assertDelivered(self.upload(
            "good", "client-certificate = /etc/anicca/tls/client.crt", "client-key = /etc/anicca/tls/client.key",
            client_authority="/etc/anicca/tls/known.crt"))

    def test_a_server_that_asks_for_a_certificate_gets_nothing_from_a_client_without(self) -> None:
        self.assertRefused(self.upload("good", client_authority="/etc/anicca/tls/known.crt"), "certificate")


if __name__ == "__main__":
    unittest.main()
