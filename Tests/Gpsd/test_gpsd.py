"""gpsd itself, with a receiver that gpsfake(1) plays, and the daemon as it ships, in real time."""

import datetime
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from harness import PROGRAMS
from harness.life import configure, sign_in
from harness.processes import free_port, listens, until

GPSFAKE, GPSD = pathlib.Path("/usr/bin/gpsfake"), pathlib.Path("/usr/sbin/gpsd")
# Real seconds in which anything has to happen.
PATIENCE = 50

MINUTES_OF_HOME = (30.0, 24.0)  # 52° 30' N, 13° 24' E
STAY, WALK = 15, 30
# The minutes of arc that a second on the way goes to the north: 13 m, or 25 knots.
PACE, KNOTS = 0.007, 25.2

CONFIG = """
[location]
gpsd-port = {port}
mode = standard
dwell = 5s
[fence "the allotment"]
latitude = 52.5
longitude = 13.4
radius = 100
"""


def sentence(body):
    check = 0
    for byte in body.encode():
        check ^= byte
    return f"${body}*{check:02X}\r\n"


def track():
    """A stay in the middle of the fence, then 390 m to the north, and a stay there: four sentences (NMEA 0183) for each second."""
    moment = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    for second in range(STAY + WALK + 600):
        now = moment + datetime.timedelta(seconds=second)
        walked = min(max(second - STAY, 0), WALK)
        knots = KNOTS if 0 < walked < WALK else 0.0
        place = f"52{MINUTES_OF_HOME[0] + walked * PACE:08.5f},N,013{MINUTES_OF_HOME[1]:08.5f},E"
        at = f"{now:%H%M%S}.00"
        yield sentence(f"GPRMC,{at},A,{place},{knots:.3f},0.0,{now:%d%m%y},,,A")
        yield sentence(f"GPGGA,{at},{place},1,08,1.0,50.0,M,40.0,M,,")
        yield sentence("GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.8,1.0,1.5")
        yield sentence(f"GPGST,{at},3.0,4.0,3.0,0.0,3.0,4.0,6.0")


@unittest.skipUnless(GPSFAKE.exists() and GPSD.exists(), "SKIPPED: no gpsfake here; apt install gpsd gpsd-clients")
class RealGpsdTest(unittest.TestCase):
    def setUp(self):
        place = pathlib.Path(tempfile.mkdtemp(prefix="anicca-real-gpsd-"))
        self.addCleanup(shutil.rmtree, place)
        self.directory = place / "anicca"
        self.directory.mkdir(mode=0o700)
        sign_in(self.directory)
        (self.directory / "track.nmea").write_text("".join(track()), encoding="ascii")
        self.port = free_port()
        self.config = configure(self.directory, "http://127.0.0.1:9", CONFIG.format(port=self.port))

    def begin(self, *command):
        with open(self.directory / "log", "ab") as log:
            process = subprocess.Popen(
                command, stdout=log, stderr=log,
                # gpsfake leaves a socket behind.
                env={**os.environ, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR": str(self.directory)})
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.terminate()
        process.wait(20)

    def anicca(self, *words):
        ended = subprocess.run(
            [PROGRAMS / "anicca", *words, "--config", self.config], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False)
        self.assertEqual(ended.returncode, 0, ended.stdout)
        return ended.stdout

    @property
    def log(self):
        return (self.directory / "log").read_text(encoding="utf-8")

    def await_gpsd(self):
        until(lambda: listens(self.port), "gpsd listens", PATIENCE)

    def test_a_walk_out_of_a_fence_waits_in_the_queue(self):
        self.begin(PROGRAMS / "aniccad", "--config", self.config)
        # As fast as it is: where no network sets the clock of this machine, three fixes that agree date the event.
        self.begin(GPSFAKE, "-1", "-q", "-c", "0.25", "-P", str(self.port), self.directory / "track.nmea")
        self.await_gpsd()
        self.anicca("toggle", "location", "on", "--agree")
        deadline = time.monotonic() + PATIENCE
        kinds = []
        while "geofence_exited" not in kinds and time.monotonic() < deadline:
            time.sleep(0.5)
            kinds = [record.get("event", record.get("kind")) for record in json.loads(self.anicca("queue", "--json"))]
        self.assertIn("geofence_exited", kinds, self.log)
        self.assertNotIn("geofence_entered", kinds)
        self.assertNotIn("52.5", self.log)


if __name__ == "__main__":
    unittest.main()
