"""`anicca sign-in` by a code, renewed tokens, and `anicca leave`, with an OAuth server that others wrote: oauth_server.py."""

import json
import pathlib
import subprocess
import unittest
import urllib.request

from harness import PROJECT
from harness.device import WithoutAccount

PYTHON = PROJECT / ".build/contract/bin/python"
SERVER = pathlib.Path(__file__).with_name("oauth_server.py")
DAY = 86_400


@unittest.skipUnless(PYTHON.exists(), "Authlib is missing: make contract-tools, on a machine with a network")
class IndependentSignInTests(unittest.TestCase):
    def setUp(self):
        self.server = subprocess.Popen([PYTHON, SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(self.server.communicate)
        self.addCleanup(self.server.kill)
        self.address = f"http://127.0.0.1:{json.loads(self.server.stdout.readline())['port']}"

    def tell(self, path):
        with urllib.request.urlopen(urllib.request.Request(f"{self.address}{path}", method="POST"), timeout=20) as answer:
            return json.load(answer)

    def signed_in(self, device):
        with device.start("sign-in") as process:
            try:
                lines = [process.stderr.readline() for _ in range(3)]
                self.assertRegex(lines[2], r"^ {4}[A-Z]{4}-[A-Z]{4}$")
                self.tell("/approve")
                said, more = process.communicate(timeout=60)
            finally:
                process.kill()
        self.assertEqual((process.returncode, said), (0, "signed in as 6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f\n"), more)

    def test_a_device_signs_in_delivers_renews_and_leaves(self):
        with WithoutAccount(self.address) as device:
            self.signed_in(device)
            self.assertEqual(device.settle().summary["waiting"], 0)
            self.assertGreater(self.tell("/count")["received"], 0)
            device.advance(15 * DAY)
            self.assertNotIn("renewed", device.upload().err)
            self.assertIsNotNone(device.renewed)
            device.advance(15 * DAY)
            self.assertNotIn("renewed", device.upload().err, "the server ended the first refresh token at once")
            self.assertEqual(self.tell("/count")["tokens"], 1)
            with device.start("leave", "--yes") as process:
                said, more = process.communicate(timeout=60)
            self.assertEqual((process.returncode, said), (0, "left, and signed out\n"), more)
            self.assertEqual(self.tell("/count")["tokens"], 0)

    def test_a_device_whose_sign_in_the_server_ended_is_told(self):
        with WithoutAccount(self.address) as device:
            self.signed_in(device)
            self.tell("/end")
            device.advance(15 * DAY)
            self.assertIn("the server ended the sign-in", device.upload().err)


if __name__ == "__main__":
    unittest.main()
