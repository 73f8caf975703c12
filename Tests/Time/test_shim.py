"""The clocks that the shim gives to a program, tried from within a program."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import SHIM
from harness.world import DAY, HOUR, MINUTE, SECOND, Clocks, at

# Reads every clock that the shim answers.
READ = """
import ctypes, json, time
libc = ctypes.CDLL(None, use_errno=True)
class timex(ctypes.Structure):
    _fields_ = [("modes", ctypes.c_uint), ("rest", ctypes.c_char * 204)]
state = timex()
print(json.dumps({
    "wall": time.clock_gettime_ns(time.CLOCK_REALTIME), "time": int(time.time()),
    "boot": time.clock_gettime_ns(time.CLOCK_BOOTTIME), "monotonic": time.clock_gettime_ns(time.CLOCK_MONOTONIC),
    "adjtimex": libc.adjtimex(ctypes.byref(state)), "set": libc.adjtimex(ctypes.byref(timex(modes=1))),
    "boot_id": open("/proc/sys/kernel/random/boot_id").read()}))
"""

# Waits for two timers on boot time, in the wrong order, and for a third that is set when the first fires.
WAIT = """
import ctypes, json, os, select, struct, time
libc = ctypes.CDLL(None, use_errno=True)
def timer(seconds, file=None):
    file = libc.timerfd_create(time.CLOCK_BOOTTIME, 0) if file is None else file
    now = time.clock_gettime_ns(time.CLOCK_BOOTTIME) + seconds * 10**9
    libc.timerfd_settime(file, 1, struct.pack("qqqq", 0, 0, now // 10**9, now % 10**9), None)
    return file
epoll = select.epoll()
files = [timer(7200), timer(60)]
for file in files: epoll.register(file, select.EPOLLIN)
fired = []
while len(fired) < 3:
    for file, _ in epoll.poll():
        os.read(file, 8)
        fired.append([files.index(file), time.clock_gettime_ns(time.CLOCK_BOOTTIME)])
        if len(fired) == 1: timer(60, file)
print(json.dumps(fired))
"""


class ShimTests(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.clocks = Clocks(pathlib.Path(self.directory.name) / "clocks")
        self.addCleanup(self.clocks.close)
        self.clocks.boot = self.clocks.limit = 1000 * SECOND
        self.clocks.wall = at("1970-01-01T00:00:05")
        self.clocks.name_boot()

    def start(self, program, drives):
        environment = {
            **os.environ, "LD_PRELOAD": str(SHIM), "ANICCA_CLOCKS": str(self.clocks.path),
            "ANICCA_CLOCK_DRIVER": str(int(drives))}
        return subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True)

    def read(self, drives=True):
        program = self.start(READ, drives)
        return json.loads(program.communicate(timeout=60)[0])

    def test_time_stands_still_while_the_driver_works(self):
        shown = self.read()
        self.assertEqual(shown["boot"], 1000 * SECOND)
        self.assertEqual((shown["wall"], shown["time"]), (5 * SECOND, 5))

    def test_in_another_program_boot_time_goes_on(self):
        shown = self.read(drives=False)
        self.assertGreater(shown["boot"], 1000 * SECOND)
        self.assertLess(shown["boot"], 1060 * SECOND)
        self.assertAlmostEqual(shown["wall"] - shown["boot"], 5 * SECOND - 1000 * SECOND, delta=SECOND)

    def test_a_clock_that_is_set_shows_before_the_epoch_too(self):
        self.clocks.wall = -1
        self.assertEqual(self.read()["wall"], -1)

    def test_suspend_counts_on_the_boot_clock_alone(self):
        self.clocks.suspended = 400 * SECOND
        shown = self.read()
        self.assertEqual((shown["boot"], shown["monotonic"]), (1000 * SECOND, 600 * SECOND))

    def test_the_kernel_says_whether_its_clock_is_synchronised(self):
        self.assertEqual(self.read()["adjtimex"], 0)
        self.clocks.is_synchronised = False
        self.assertEqual(self.read()["adjtimex"], 5, "TIME_ERROR, adjtimex(2)")
        self.assertEqual(self.read()["set"], -1, "and nobody sets it")

    def test_each_boot_has_an_identity(self):
        first = self.read()["boot_id"]
        self.assertEqual(first, self.read()["boot_id"])
        self.clocks.name_boot()
        self.assertNotEqual(first, self.read()["boot_id"])
        self.assertRegex(first, r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n$")

    def test_the_driver_leaps_from_timer_to_timer_and_stops_at_the_limit(self):
        program = self.start(WAIT, True)
        self.clocks.limit = 1000 * SECOND + HOUR
        while not (self.clocks.is_parked and self.clocks.boot == self.clocks.limit):
            self.assertIsNone(program.poll())
        self.assertEqual(self.clocks.wakeups, 2)
        self.clocks.limit += DAY
        fired = json.loads(program.communicate(timeout=60)[0])
        start = 1000 * SECOND
        self.assertEqual(fired, [[1, start + MINUTE], [1, start + 2 * MINUTE], [0, start + 2 * HOUR]])
        self.assertEqual(self.clocks.boot, start + 2 * HOUR)


if __name__ == "__main__":
    unittest.main()
