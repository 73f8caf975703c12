"""TLS to a real mosquitto: certificates, pins and client certificates, and what an ACL makes of them."""

import pathlib
import tempfile
import unittest

from harness.brokers import Mosquitto, Stranger, Subscriber
from harness.processes import until
from harness.wearable import NAME, Wearable
from harness.certificates import HOST, Certificates

WRONG = {
    "expired": "has expired", "not-yet": "not yet valid", "self-signed": "self", "misnamed": "mismatch", "nameless": "mismatch",
    "wildcard-above": "mismatch", "stranger": "unable to get local issuer",
}


class TLSTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="anicca-certificates-")  # pylint: disable=consider-using-with
        pathlib.Path(cls.directory.name).chmod(0o755)
        cls.certificates = Certificates(cls.directory.name)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def broker(self, name="good", *more):
        return Mosquitto(listener=[
            "allow_anonymous true" if not more else "allow_anonymous false",
            f"cafile {self.certificates.path('known')}", f"certfile {self.certificates.path(name)}",
            f"keyfile {self.certificates.path(name, 'key')}", *more])

    def device(self, broker, keys="", host=HOST):
        return Wearable(f"mqtts://{host}:{broker.port}", f"ca-file = {self.certificates.path('known')}\n{keys}")

    def arrives(self, broker, device):
        with Subscriber(broker) as subscriber:
            device.later()
            ended = device.upload(FAULT_NAMES=HOST)
            self.assertEqual(ended.summary["end"], "finished", ended)
            until(lambda: len(subscriber.records("daily")) == 3, "all arrive")

    def is_refused(self, broker, device, text, end="unreachable"):
        with Subscriber(broker) as subscriber:
            device.later()
            ended = device.upload(FAULT_NAMES=HOST)
            self.assertEqual(ended.summary["end"], end, ended)
            self.assertIn(text, ended.err)
            self.assertEqual([message for message in subscriber.messages if not message["retain"]], [])

    def test_a_broker_with_a_certificate_of_its_own_authority(self):
        with self.broker() as broker, self.device(broker) as device:
            self.arrives(broker, device)

    def test_the_authorities_of_the_system(self):
        with self.broker() as broker, Wearable(f"mqtts://{HOST}:{broker.port}") as device:
            self.is_refused(broker, device, "is not trusted")

    def test_wrong_certificates(self):
        for name, text in WRONG.items():
            with self.subTest(name), self.broker(name) as broker, self.device(broker) as device:
                self.is_refused(broker, device, text)

    def test_an_address_that_the_certificate_does_not_name(self):
        with self.broker() as broker, self.device(broker, host="127.0.0.1") as device:
            self.is_refused(broker, device, "mismatch")

    def test_pins(self):
        pin, other = self.certificates.pin("good"), self.certificates.pin("rotated")
        with self.broker() as broker:
            with self.device(broker, f"pinned-key = {other}") as device:
                self.is_refused(broker, device, "its public key is not in pinned-key")
            with self.device(broker, f"pinned-key = {other};{pin}") as device:
                self.arrives(broker, device)

    def test_a_pin_does_not_stand_for_the_authority(self):
        pin = self.certificates.pin("stranger")
        with self.broker("stranger") as broker, self.device(broker, f"pinned-key = {pin}") as device:
            self.is_refused(broker, device, "unable to get local issuer")

    def is_refused_for_good(self, broker, device):
        """On one machine the connection can be gone before the broker's alert was read: then it is left alone, and asked again."""
        for _ in range(30):
            device.later()
            ended = device.upload(FAULT_NAMES=HOST)
            if ended.summary["end"] == "paused":
                self.assertIn("refuses the certificate of this device", ended.err)
                return
            self.assertEqual(ended.summary["end"], "held", ended)
        raise AssertionError(f"it is never paused: {ended}")

    def client(self, name):
        return f"client-certificate = {self.certificates.path(name)}\nclient-key = {self.certificates.path(name, 'key')}"

    def test_what_a_certificate_may_publish_is_the_brokers_acl(self):
        with tempfile.NamedTemporaryFile("w", suffix=".acl") as acl:
            acl.write(f"user client\ntopic write anicca/{NAME}/#\n")
            acl.flush()
            with self.broker("good", "require_certificate true", "use_identity_as_username true", f"acl_file {acl.name}") as broker:
                with self.device(broker, self.client("client")) as device:
                    self.arrives(broker, device)
                with self.device(broker, self.client("rotated")) as device:
                    self.is_refused(broker, device, "does not allow this login to publish", "held")

    def test_certificates_that_the_broker_refuses(self):
        for version in ("tlsv1.2", "tlsv1.3"):
            with self.broker("good", "require_certificate true", "use_identity_as_username true", f"tls_version {version}") as broker:
                for name in ("client-stranger", "client-expired"):
                    with self.subTest(f"{name} {version}"), self.device(broker, self.client(name)) as device:
                        self.is_refused_for_good(broker, device)

    def test_a_certificate_that_is_asked_for_and_not_there(self):
        with self.broker("good", "require_certificate true", "use_identity_as_username true") as broker, self.device(broker) as device:
            self.is_refused_for_good(broker, device)

    def test_files_that_cannot_be_used(self):
        with self.broker() as broker, self.device(broker, self.client("client")) as device:
            nothing = device.write("nothing.pem", "nothing")
            text = device.config.read_text().replace(str(self.certificates.path("client")), str(nothing))
            device.config.write_text(text)
            self.is_refused(broker, device, "client-certificate")

    def test_a_client_key_that_others_can_read_is_not_used(self):
        with self.broker("good", "require_certificate true", "use_identity_as_username true") as broker:
            with self.device(broker, self.client("client")) as device:
                key = device.write("client.key", self.certificates.path("client", "key").read_text())
                key.chmod(0o644)
                device.config.write_text(device.config.read_text().replace(str(self.certificates.path("client", "key")), str(key)))
                ended = device.upload(FAULT_NAMES=HOST)
                self.assertEqual(ended.code, 77)
                self.assertIn(f"chmod 600 {key}", ended.err)

    def test_a_handshake_that_never_ends_holds_nothing_up(self):
        def silent(link):
            while link.recv(65536):
                pass
        with Stranger(silent) as stranger, Wearable(f"mqtts://127.0.0.1:{stranger.port}", delivery="deadline = 2s") as device:
            device.later()
            ended = device.upload()
            self.assertEqual(ended.summary["end"], "held", ended)
            self.assertLess(ended.seconds, 5)

    def test_what_is_no_tls(self):
        def talk(link):
            link.sendall(b"220 mail.example.org ESMTP\r\n" * 100)
        with Stranger(talk) as stranger, Wearable(f"mqtts://127.0.0.1:{stranger.port}") as device:
            device.later()
            ended = device.upload()
            self.assertEqual(ended.summary["end"], "held", ended)

    def test_the_keys_of_a_session_are_written_nowhere(self):
        with self.broker() as broker, self.device(broker) as device:
            log = device.directory / "keys"
            device.later()
            ended = device.upload(FAULT_NAMES=HOST, SSLKEYLOGFILE=str(log))
            self.assertEqual(ended.summary["end"], "finished")
            self.assertFalse(log.exists())


if __name__ == "__main__":
    unittest.main()
