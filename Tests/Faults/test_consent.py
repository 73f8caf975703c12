"""What takes an act of the wearer or of whoever sets the device up: a phone that is paired, a sensor that is worn."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

from harness import PROGRAMS
from harness.life import configure

CONSENT_NEEDED, UNAVAILABLE = 79, 69


class ConsentTest(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="anicca-consent-"))
        self.addCleanup(shutil.rmtree, self.place)
        self.directory = self.place / "anicca"
        self.directory.mkdir(mode=0o700)
        self.config = configure(
            self.directory, more=f"[companion]\ninbox = {self.directory}/inbox\n[imu]\nbus = /dev/i2c-none\n[time]\ntrust = hardware-clock\n")
        self.call("anicca-lab", "daemon", "resting", "--days", "1")

    def call(self, program, *words, expected=0):
        """What a program prints, on both of its outputs."""
        ended = subprocess.run(
            [PROGRAMS / program, *words, "--config", self.config], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        self.assertEqual(expected, ended.returncode, ended.stdout)
        return ended.stdout

    def test_nobody_is_asked_about_screen_time_before_a_phone_is_paired(self):
        self.assertIn("nothing to ask", self.call("anicca", "setup"))
        self.assertIn("anicca companion pair", self.call("anicca", "toggle", "screenTime", "on", expected=UNAVAILABLE))
        self.assertIn("paired", self.call("anicca", "companion", "pair"))
        self.assertEqual(0o3730, (self.directory / "inbox").stat().st_mode & 0o7777)
        self.assertIn("not answered yet: screenTime\n", self.call("anicca", "setup", expected=CONSENT_NEEDED))

    def test_a_sensor_that_is_worn_is_read_with_consent_alone(self):
        for words in (["test"], ["calibrate", "--automatic", "--for", "1m"]):
            self.call("anicca-lab", "toggle", "motion", "off")
            self.assertIn("--not-worn", self.call("anicca", "sensor", *words, expected=CONSENT_NEEDED))
            self.assertIn("/dev/i2c-none", self.call("anicca", "sensor", *words, "--not-worn", expected=UNAVAILABLE))
            self.call("anicca-lab", "toggle", "motion", "on")
            self.assertIn("/dev/i2c-none", self.call("anicca", "sensor", *words, expected=UNAVAILABLE))


if __name__ == "__main__":
    unittest.main()
