"""What the daemon waits for or reads cannot be had at first: it is tried again by a timer, and the journal names the domains that it serves."""

import errno
import os
import pathlib
import subprocess
import tempfile
import unittest

from harness import FAULTSHIM, PROGRAMS
from harness.life import configure, sign_in
from harness.processes import until
from harness.scenario import begin
from harness.world import SECOND
from test_surroundings import Outing


class MissedWatches(unittest.TestCase):
    """The kernel has no watch left for a while (inotify(7), epoll_ctl(2)), and then it has."""

    def setUp(self):
        self.place = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.shortage = self.place / "shortage"
        self.shortage.touch()

    def outing(self, name, **environment):
        directory = self.place / name
        directory.mkdir()
        return self.enterContext(Outing(directory, environment))

    def short(self, word, first=1):
        return {"FAULT": f"watch:{first}-0", "FAULT_ERROR": str(errno.ENOSPC), "FAULT_ON": word, "FAULT_RELEASE": str(self.shortage)}

    def test_a_folder_that_could_not_be_watched_is_watched_later(self):
        outing = self.outing("outing", **self.short(f"{self.place}/outing/inbox"))
        begin(outing.device, domains=("screenTime",))
        outing.device.live(SECOND)
        self.assertEqual(len(outing.lines("cannot be watched")), 1, outing.device.log)
        self.shortage.unlink()
        # What is no report is told as soon as it is read.
        (outing.inbox / "1.json").write_text("none", encoding="utf-8")
        outing.device.live(6 * SECOND)
        self.assertEqual(outing.lines("set aside"), [], "it was read without a watch: the test sees nothing")
        outing.device.live(4 * SECOND)
        self.assertEqual(len(outing.lines("set aside")), 1, outing.device.log)
        self.assertEqual(len(outing.lines("cannot be watched")), 1, outing.device.log)

    def test_a_receiver_that_could_not_be_watched_is_watched_later(self):
        def start(name, **environment):
            outing = self.outing(name, **environment)
            begin(outing.device, domains=())
            return outing

        counts = self.place / "counts"
        start("counted", FAULT_COUNTS=str(counts))
        made = [line for line in counts.read_text(encoding="utf-8").splitlines() if line.startswith("watch ")]
        outing = start("outing", **self.short("epoll_ctl", first=len(made) + 1))
        outing.agree("events only")
        outing.device.live(15 * SECOND)
        self.assertEqual(len(outing.lines("cannot wait for a device")), 1, outing.device.log)
        self.assertFalse(outing.gpsd.is_watched, "it was read without a watch: the test sees nothing")
        self.shortage.unlink()
        outing.device.live(20 * SECOND)
        until(lambda: outing.gpsd.is_watched, "gpsd's greeting is read and answered", 10)
        self.assertEqual(len(outing.lines("cannot wait for a device")), 1, outing.device.log)


class NamedDomains(unittest.TestCase):
    """The daemon as it ships, with a bus that another program holds."""

    def setUp(self):
        self.place = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.directory = self.place / "anicca"
        self.directory.mkdir(mode=0o700)
        sign_in(self.directory)
        self.config = configure(self.directory, more="[imu]\nbus = /dev/null\n")
        # Each question to the bus is answered so.
        self.environment = {
            **os.environ, "LD_PRELOAD": str(FAULTSHIM), "FAULT": "control:1-0", "FAULT_ERROR": str(errno.EBUSY)}

    def begin(self):
        log = self.enterContext(open(self.directory / "log", "ab"))
        daemon = subprocess.Popen([PROGRAMS / "aniccad", "--config", self.config], stdout=log, stderr=log, env=self.environment)
        self.addCleanup(daemon.wait, 20)
        self.addCleanup(daemon.terminate)

    def test_a_fault_of_the_imu_is_told_of_the_domains_that_are_on(self):
        self.begin()
        # To a command as it ships the bus would be a reason to refuse this.
        toggle = [PROGRAMS / "anicca-lab", "toggle", "sleep", "on", "--config", self.config]
        until(lambda: subprocess.run(toggle, capture_output=True).returncode == 0, "the daemon has made its store", 20)
        lines = lambda: [line for line in (self.directory / "log").read_text(encoding="utf-8").splitlines() if "sensorFailed" in line]
        until(lines, "the journal tells of the fault", 20)
        for line in lines():
            self.assertRegex(line, r"warning: sleep: ")


if __name__ == "__main__":
    unittest.main()
