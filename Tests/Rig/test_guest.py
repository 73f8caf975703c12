"""The rig's own tests: a guest runs commands, loses its power, and ends. The proofs try its hardware and its disk.

    [RIG_SUITE=trixie] python3 -m unittest discover --start-directory Tests/Rig --pattern test_guest.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path

from rig import Guest, GuestError


class CommandTests(unittest.TestCase):
    """Commands, in a guest that takes many of them."""

    systemd = False
    guest: Guest

    @classmethod
    def setUpClass(cls) -> None:
        cls.guest = Guest(systemd=cls.systemd)
        cls.addClassCleanup(cls.guest.close)
        cls.guest.start()

    def test_status_and_both_outputs_come_back(self) -> None:
        result = self.guest.run("echo to the one; echo to the other >&2; exit 42")
        self.assertEqual((42, "to the one\n", "to the other\n"), (result.returncode, result.stdout, result.stderr))

    def test_output_of_a_failed_command_is_an_error_that_says_what_it_wrote(self) -> None:
        with self.assertRaisesRegex(GuestError, "(?s)status 3: .*it broke"):
            self.guest.output("echo it broke >&2; exit 3")

    def test_a_command_that_takes_too_long_is_killed_with_all_that_it_started(self) -> None:
        command = self.guest.spawn("echo so far; sleep 54321 & sleep 54321")
        command.expect("so far")
        with self.assertRaisesRegex(GuestError, "(?s)longer than 0.1 s.*so far"):
            command.wait(timeout=0.1)
        self.guest.output("while pgrep --full 'sleep 5432[1]'; do sleep 0.01; done")


class SystemdTests(CommandTests):
    """The same with systemd, and systemd itself."""

    systemd = True

    def test_the_boot_is_over_and_nothing_failed(self) -> None:
        self.assertEqual("running", self.guest.output("systemctl is-system-running"),
                         self.guest.run("systemctl --failed; journalctl --boot --priority warning").stdout)


class LifeTests(unittest.TestCase):
    """Guests that start, end and start again."""

    def test_guests_leave_the_image_alone(self) -> None:
        with Guest() as guest:
            guest.output("echo here >/root/file; sync")
            with Guest() as other:
                self.assertEqual(1, other.run("cat /root/file").returncode)

    def test_a_running_command_is_told_of_a_power_cut(self) -> None:
        with Guest() as guest:
            command = guest.spawn("sleep 1000")
            guest.kill()
            with self.assertRaisesRegex(GuestError, "ended before"):
                command.wait()
            with self.assertRaisesRegex(GuestError, "not running"):
                guest.run("true")

    def test_a_kernel_that_dies_is_an_error_with_the_end_of_its_console(self) -> None:
        with Guest() as guest:
            with self.assertRaisesRegex(GuestError, "(?s)ended before.*sysrq triggered crash"):
                guest.run("echo c >/proc/sysrq-trigger")

    def test_a_guest_that_does_not_come_up_is_an_error_with_the_end_of_its_console(self) -> None:
        with self.assertRaisesRegex(GuestError, "(?s)started and ended.*Attempted to kill init"):
            with Guest(arguments=["init=/bin/false"]):
                pass

    def test_a_guest_whose_host_has_gone_ends(self) -> None:
        host = ("import os, sys; from rig import Guest; guest = Guest().start()\n"
                "print(guest._process.pid, guest._directory, flush=True); os._exit(1)")
        said = subprocess.run([sys.executable, "-c", host], cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True)
        process, directory = said.stdout.split()
        self.addCleanup(shutil.rmtree, directory)
        deadline = time.monotonic() + 30
        while Path(f"/proc/{process}/exe").exists():
            self.assertLess(time.monotonic(), deadline, "the guest runs on")
            time.sleep(0.02)


if __name__ == "__main__":
    unittest.main()
