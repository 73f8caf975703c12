"""TLS as it can go wrong: certificates, pins and client certificates, against a server in Python."""

import shutil
import ssl
import tempfile
import unittest

from harness.behaviours import status
from harness.certificates import HOST, Certificates
from harness.device import Device, WithoutAccount
from harness.server import Server
from test_server import truth
from trials import FaultTest

WRONG = ("expired", "not-yet", "self-signed", "misnamed", "nameless", "wildcard-above", "stranger", "weak-key", "weak-hash")


class TLSTest(FaultTest):
    suite = "server"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.directory = tempfile.TemporaryDirectory(prefix="anicca-certificates-")
        cls.addClassCleanup(cls.directory.cleanup)
        cls.certificates = Certificates(cls.directory.name)

    def attempt(self, tls, settings="", gets_it=True):
        """Delivers to a server with this TLS, or must not. Then, signed in to a good server, all arrives."""
        with Server(tls) as server, Device(f"https://{HOST}:{server.port}", server=settings) as device:
            ended = device.upload(**self.certificates.environment)
            if gets_it:
                assert ended.code == 0, ended
                server.table.check(truth())
                return
            assert ended.code == 75, ended
            assert server.table.requests == 0, "a request came through"
            assert ended.err.strip(), "nothing was told"
            with Server(self.certificates.server("good")) as good:
                device.configure(f"https://{HOST}:{good.port}")
                device.advance(7200)
                device.upload(**self.certificates.environment)
                good.table.check(truth())

    def test_certificates(self):
        with self.trials("tls", "certificates that are right and wrong") as trials:
            for name in ("good", "rotated"):
                with trials.one(name):
                    self.attempt(self.certificates.server(name))
            for name in WRONG:
                with trials.one(name):
                    self.attempt(self.certificates.server(name), gets_it=False)

    def test_old_versions(self):
        with self.trials("tls", "old versions of TLS, and none at all") as trials:
            for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
                with trials.one(version.name):
                    self.attempt(self.certificates.server("good", version=version), gets_it=False)
            with trials.one("TLSv1_2"):
                self.attempt(self.certificates.server("good", version=ssl.TLSVersion.TLSv1_2))
            with trials.one("plain HTTP"):
                self.attempt(None, gets_it=False)

    def test_pins(self):
        pin = self.certificates.pin
        right, other, next_one = pin("good"), pin("misnamed"), pin("rotated")
        with self.trials("tls", "pins: right, wrong, several, rotated") as trials:
            for name, pins, shown, gets_it in (
                    ("right", right, "good", True), ("wrong", other, "good", False), ("several, first", f"{right};{other}", "good", True),
                    ("several, last", f"{other};{next_one};{right}", "good", True),
                    ("several, wrong", f"{other};{next_one}", "good", False),
                    ("rotated as planned", f"{right};{next_one}", "rotated", True), ("rotated without", right, "rotated", False),
                    ("right, but expired", pin("expired"), "expired", False),
                    ("right, but a stranger's", pin("stranger"), "stranger", False),
                    ("of the authority", pin("known"), "good", False)):
                with trials.one(name):
                    self.attempt(self.certificates.server(shown), f"pinned-key = {pins}", gets_it=gets_it)

    def test_pins_that_came_with_the_sign_in(self):
        pin = self.certificates.pin
        with self.trials("tls", "pins of the sign-in, and others of the configuration") as trials:
            for name, kept, settings, gets_it in (
                    ("right", pin("good"), "", True), ("wrong", pin("misnamed"), "", False),
                    ("wrong, and the configuration's are right", pin("misnamed"), f"pinned-key = {pin('good')}", True)):
                with trials.one(name), Server(self.certificates.server("good")) as server:
                    with WithoutAccount(f"https://{HOST}:{server.port}", server=settings) as device:
                        device.keep_account(f"pinned-key {kept}")
                        ended = device.upload(**self.certificates.environment)
                        assert ended.code == (0 if gets_it else 75), ended
                        assert (server.table.requests > 0) == gets_it, "a request came through, or none did"

    def shows(self, name):
        return f"client-certificate = {self.certificates.path(name)}\nclient-key = {self.certificates.path(name, 'key')}"

    def test_client_certificates(self):
        tls = self.certificates.server("good", "known")
        with self.trials("tls", "client certificates, right and wrong") as trials:
            with trials.one("right"):
                self.attempt(tls, self.shows("client"))
            for name in ("client-expired", "client-stranger"):
                with trials.one(name):
                    self.attempt(tls, self.shows(name), gets_it=False)
            with trials.one("none"):
                self.attempt(tls, gets_it=False)

    def test_a_client_key_that_others_can_read_is_not_used(self):
        with self.trials("tls", "a client key that others can read") as trials:
            with trials.one("mode 0644"), Server(self.certificates.server("good", "known")) as server:
                with Device(f"https://{HOST}:{server.port}") as device:
                    shown, key = device.directory / "client.crt", device.directory / "client.key"
                    self.put("client", shown, key)
                    key.chmod(0o644)
                    device.configure(f"https://{HOST}:{server.port}", server=f"client-certificate = {shown}\nclient-key = {key}")
                    ended = device.upload(**self.certificates.environment)
                    assert ended.code == 77 and f"chmod 600 {key}" in ended.err, ended
                    assert server.table.requests == 0, "a request came through"
                    key.chmod(0o600)
                    device.upload(**self.certificates.environment)
                    server.table.check(truth())

    def test_a_refused_client_certificate_is_told_and_is_no_attempt(self):
        """Under TLS 1.3 the handshake is over for the device before the server has looked at its certificate."""
        with self.trials("not-an-attempt", "client certificates that are refused, by version of TLS") as trials:
            for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
                tls = self.certificates.server("good", "known", version=version)
                for name in ("client-expired", "client-stranger", None):
                    with trials.one(f"{version.name} {name}"), Server(tls) as server:
                        address = f"https://{HOST}:{server.port}"
                        with Device(address, server=self.shows(name) if name else "") as device:
                            for _ in range(3):
                                ended = device.upload(**self.certificates.environment)
                                device.advance(7200)
                            # Under TLS 1.2 a server that gets no certificate may say no more.
                            assert "certificate" in ended.err or "handshake failure" in ended.err, ended
                            attempts = [item["attempts"] for item in device.ask("queue")]
                            assert attempts and not any(attempts), f"attempts that never reached the server: {attempts}"

    def test_a_client_certificate_that_a_server_answers_400_to(self):
        """No record is at fault. After a renewal everything arrives."""
        with self.trials("aside-again", "400 to a client certificate, which is renewed") as trials:
            for name in ("client-expired", "client-stranger", None):
                for runs in (1, 3):
                    with trials.one(f"{name}, {runs} runs"):
                        self.renew(name, runs)

    def renew(self, name, runs):
        with Server(self.certificates.server("good")) as server, Device(f"https://{HOST}:{server.port}") as device:
            shown, key = device.directory / "client.crt", device.directory / "client.key"
            settings = f"client-certificate = {shown}\nclient-key = {key}"
            self.put(name or "client", shown, key)
            device.configure(f"https://{HOST}:{server.port}", server=settings if name else "")
            server.misbehave(otherwise=status(400))
            for _ in range(runs):
                ended = device.upload(**self.certificates.environment)
                assert ended.summary["setAside"] <= 2, f"{ended.summary['setAside']} were set aside in a run"
                device.advance(7200)
            self.put("client", shown, key)
            server.be_honest()
            device.configure(f"https://{HOST}:{server.port}", server=settings)
            for _ in range(3):
                device.upload(**self.certificates.environment)
                device.advance(7200)
            server.table.check(truth())

    def put(self, name, shown, key):
        shutil.copy(self.certificates.path(name), shown)
        shutil.copy(self.certificates.path(name, "key"), key)
        key.chmod(0o600)


if __name__ == "__main__":
    unittest.main()
