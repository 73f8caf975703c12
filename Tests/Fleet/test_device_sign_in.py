"""The programs of a device sign in by a code, deliver, and renew their tokens."""

import json
import os
import re
import subprocess
import unittest

from harness import PROGRAMS
from harness.device import Device
from harness.fleet import OWNER, PINNED_KEY, PUBLIC_URL, RECEIVER, SERVING, World
from harness.processes import Process

DAY = 86_400


class WithoutAccount(Device):
    """A device that lived some days and has not signed in."""

    def configure(self, address, settings="", delivery="", server=""):
        super().configure(address, settings, delivery, server)
        text = self.config.read_text()
        self.config.write_text(re.sub(r"^\[account\]\nuser-id.*\ntoken-file.*\n", "", text))

    def start(self, *words):
        return subprocess.Popen([PROGRAMS / "anicca", *words, "--config", self.config], env={**os.environ, **self.environment()},
                                text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    @property
    def account(self):
        return (self.directory / "anicca.account").read_text().splitlines()

    @property
    def renewed(self):
        path = self.directory / "anicca.renewed"
        return path.read_bytes() if path.exists() else None


class DeviceSignInTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World().__enter__()
        cls.addClassCleanup(cls.world.__exit__, None, None, None)

    def setUp(self):
        self.log = self.world.directory / f"plain-{self.id()}.log"
        self.receiver = Process([RECEIVER, "serve", "--database", self.world.cluster.url(SERVING), "--listen", "127.0.0.1:0",
                                 "--public-url", PUBLIC_URL, "--pinned-key", PINNED_KEY], self.log, stdout=-1)
        self.addCleanup(self.receiver.kill)
        self.address = f"http://127.0.0.1:{json.loads(self.receiver.output.readline())['port']}"

    def sign_in(self, device, participant):
        """Approves the code that the device shows; what it printed."""
        with device.start("sign-in") as process:
            try:
                lines = [process.stderr.readline() for _ in range(3)]
                self.world.owner("approve", lines[2].strip(), participant)
                said, more = process.communicate(timeout=60)
            finally:
                process.kill()
        self.assertEqual(process.returncode, 0, more)
        return "".join(lines) + more, said

    def sql(self, text):
        return self.world.cluster.query(text, user=OWNER)

    def test_a_device_signs_in_delivers_and_renews_its_tokens(self):
        with WithoutAccount(self.address) as device:
            self.assertEqual(device.upload().summary["end"], "signedOut")
            shown, said = self.sign_in(device, "P100")
            account, = [row[0] for row in self.sql("SELECT account FROM participant WHERE name = 'P100'")]
            self.assertEqual(said, f"signed in as {account}\n")
            self.assertIn(f"{PUBLIC_URL}/oauth/device", shown)
            self.assertEqual(device.account[0], account)
            self.assertEqual([line.split()[0] for line in device.account[2:]], ["refresh-token", "renewal-due", "pinned-key"])
            self.assertEqual(os.stat(device.directory / "anicca.account").st_mode & 0o777, 0o600)
            self.assertEqual(device.settle().summary["waiting"], 0)
            self.assertIsNone(device.renewed, "the token is fresh")
            days = self.sql(f"SELECT count(*) FROM daily_figures WHERE account = '{account}'")
            self.assertNotEqual(days, [("0",)])

            device.advance(21 * DAY)
            self.assertEqual(device.upload().code, 0)
            first = device.renewed
            self.assertIsNotNone(first)
            for secret in (device.account[1], device.account[2].split()[1]):
                self.assertNotIn(secret.encode(), first)
            device.upload()
            self.assertEqual(device.renewed, first, "once")
            device.advance(21 * DAY)
            device.upload()
            self.assertNotEqual(device.renewed, first)
            self.assertEqual(self.sql(f"SELECT count(*) FROM device WHERE account = '{account}'"), [("2",)])

    def test_a_renewal_whose_answer_or_file_is_lost_costs_nothing(self):
        with WithoutAccount(self.address) as device:
            self.sign_in(device, "P101")
            device.advance(21 * DAY)
            os.mkdir(device.directory / "anicca.renewed.new")  # No draft can be written.
            (device.directory / "anicca.renewed.new/x").touch()
            ended = device.upload()
            self.assertIn("the renewed token cannot be stored", ended.err)
            self.assertEqual(ended.summary["waiting"], 0, "the old token is valid")
            (device.directory / "anicca.renewed.new/x").unlink()
            os.rmdir(device.directory / "anicca.renewed.new")
            device.advance(DAY)
            self.assertNotIn("cannot", device.upload().err)
            self.assertIsNotNone(device.renewed)
            self.receiver.kill()
            device.advance(25 * DAY)
            self.assertIn("could not be renewed", device.upload().err)

    def test_a_token_that_ended_is_renewed_and_a_revoked_device_is_told(self):
        with WithoutAccount(self.address) as device:
            self.sign_in(device, "P102")
            account = device.account[0]
            self.sql(f"UPDATE device SET expires_at = now() WHERE account = '{account}'")
            self.assertEqual(device.upload().summary["end"], "paused")
            self.assertEqual(device.settle().summary["waiting"], 0, "renewed at the next run, although it was not due")
            self.world.owner("revoke", "--account", account)
            device.advance(30 * DAY)
            self.assertIn("the server ended the sign-in of this device", device.upload().err)
            device.advance(DAY)
            self.assertNotIn("ended the sign-in", device.upload().err, "the server is asked no more")
            self.sign_in(device, "P102")
            self.assertIsNone(device.renewed, "another sign-in counts alone")
            self.assertEqual(device.account[0], account)

    def test_a_renewed_account_of_another_store_or_sign_in_does_not_count(self):
        with WithoutAccount(self.address) as device:
            self.sign_in(device, "P103")
            device.advance(21 * DAY)
            device.upload()
            (device.directory / "anicca.renewed").write_bytes(b"\0" * 300)
            self.assertEqual(device.upload().code, 0)
            self.assertGreater(len(device.renewed), 0)
            process = device.start("sign-out")
            self.assertEqual((process.communicate(timeout=30)[0], device.renewed), ("signed out\n", None))

    def test_a_server_without_codes_is_told(self):
        plain = Process([RECEIVER, "--port", "0", "--store", self.world.directory / "plain.sqlite"], self.log, stdout=-1)
        self.addCleanup(plain.kill)
        address = f"http://127.0.0.1:{json.loads(plain.output.readline())['port']}"
        with WithoutAccount(address) as device:
            process = device.start("sign-in")
            self.assertIn("there is no terminal to ask on; give --user-id", process.communicate(timeout=30)[1])
            self.assertEqual(process.returncode, 64)
        self.receiver.kill()
        with WithoutAccount(self.address) as device:
            process = device.start("sign-in")
            self.assertIn("no code to sign in with: ", process.communicate(timeout=30)[1])
            self.assertEqual(process.returncode, 64)
            self.assertFalse((device.directory / "anicca.account").exists())


if __name__ == "__main__":
    unittest.main()
