"""The calls that the shim has fail, tried from within a program."""

import errno
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import FAULTSHIM

# Does calls of several classes by the C library itself, and tells how each ended: its result, or its negative errno.
CALLS = """
import ctypes, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
out = []
def call(name, *arguments):
    ctypes.set_errno(0)
    result = getattr(libc, name)(*arguments)
    out.append(-ctypes.get_errno() if result == -1 else result)
for _ in range(3): call("write", file, b"12345678", 8)
call("fsync", file)
for _ in range(3): call("pwrite", file, b"12345678", 8, 0)
call("access", sys.argv[1].encode(), 0)
call("write", 2, b"", 0)
class flock(ctypes.Structure):
    _fields_ = [("type", ctypes.c_short), ("whence", ctypes.c_short), ("start", ctypes.c_long), ("len", ctypes.c_long),
                ("pid", ctypes.c_int)]
for kind in (1, 2): call("fcntl", file, 6, ctypes.byref(flock(kind, 0, 0, 0, 0)))
sys.stdout.write(json.dumps(out))
"""
UNDISTURBED = [8, 8, 8, 0, 8, 8, 8, 0, 0, 0, 0]


class FaultShimTests(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = pathlib.Path(self.directory.name)

    def call(self, **environment):
        ended = subprocess.run(
            [sys.executable, "-c", CALLS, str(self.path / "file")], stdout=subprocess.PIPE, text=True, check=True,
            env={**os.environ, "LD_PRELOAD": str(FAULTSHIM), **environment})
        return json.loads(ended.stdout)

    def numbers(self, kind):
        """How many calls of a class the program makes."""
        counts = self.path / "counts"
        counts.unlink(missing_ok=True)
        self.call(FAULT_COUNTS=str(counts))
        return [line.split()[0] for line in counts.read_text().splitlines()].count(kind)

    def fault(self, number, error, **environment):
        return self.call(FAULT=f"write:{number}", FAULT_ERROR=str(error), **environment)

    def test_without_a_fault_all_is_as_it_was(self):
        self.assertEqual(self.call(), UNDISTURBED)

    def test_the_chosen_call_fails_and_no_other(self):
        # Standard output is the last to be written, and standard error is not counted.
        first = self.numbers("write") - 6
        for offset, place in enumerate((0, 1, 2, 4, 5, 6)):
            came = self.fault(first + offset, errno.ENOSPC)
            self.assertEqual(came[place], -errno.ENOSPC)
            self.assertEqual(came[:place] + came[place + 1:], UNDISTURBED[:place] + UNDISTURBED[place + 1:])

    def test_half_is_written(self):
        self.assertEqual(self.fault(self.numbers("write") - 5, 0)[:3], [8, 4, 8])

    def test_all_from_one_on_until_released(self):
        full = self.path / "full"
        first = self.numbers("write") - 6
        come = f"{first + 1}-{first + 4}"
        self.assertEqual(self.fault(come, errno.ENOSPC)[:7], [8, -28, -28, 0, -28, -28, 8])
        self.assertEqual(self.fault(come, errno.ENOSPC, FAULT_RELEASE=str(full)), UNDISTURBED)
        full.touch()
        self.assertEqual(self.fault(come, errno.ENOSPC, FAULT_RELEASE=str(full))[:2], [8, -28])

    def test_a_lock_is_given_back_always(self):
        # That one is not counted, so the last that is counted takes the lock.
        came = self.call(FAULT=f"lock:{self.numbers('lock')}-0", FAULT_ERROR=str(errno.ENOLCK))
        self.assertEqual(came[-2:], [-errno.ENOLCK, 0])

    def test_it_tells_what_failed(self):
        told = self.path / "told"
        self.call(FAULT="sync:1", FAULT_TOLD=str(told))
        self.assertEqual(told.read_text().split()[:2], ["sync", "fsync"])

    def test_another_program_is_left_alone(self):
        self.assertEqual(self.call(FAULT="sync:1", FAULT_IN="another"), UNDISTURBED)

    def test_a_path_stands_for_another(self):
        (self.path / "other").write_bytes(b"other")
        (self.path / "file").write_bytes(b"file")
        self.call(FAULT_PATH=f"{self.path}/file={self.path}/other")
        self.assertEqual((self.path / "file").read_bytes(), b"file", "it was not touched")


if __name__ == "__main__":
    unittest.main()
