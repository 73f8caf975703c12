"""The rig's own tests: a guest runs commands, loses its power, and its simulated hardware answers.

    [RIG_SUITE=trixie] python3 -m unittest discover --start-directory Tests/Rig --pattern test_guest.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from devices import CUSEBus, GPIOChip, HARDWARE, Hardware, VirtioBus, load_i2c_stub
from rig import SUITE, Guest, GuestError, Image


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

    def test_a_command_may_have_many_lines_and_any_character(self) -> None:
        self.assertEqual("ä 'quoted' \"twice\" $HOME\nsecond", self.guest.output(
            "cat <<'END'\nä 'quoted' \"twice\" $HOME\nsecond\nEND"))

    def test_output_of_a_failed_command_is_an_error_that_says_what_it_wrote(self) -> None:
        with self.assertRaisesRegex(GuestError, "(?s)status 3: .*it broke"):
            self.guest.output("echo it broke >&2; exit 3")

    def test_commands_run_at_the_same_time(self) -> None:
        waiting = self.guest.spawn("until [ -e /tmp/met ]; do sleep 0.01; done; echo met")
        self.assertIsNone(waiting.returncode)
        self.guest.output("touch /tmp/met")
        self.assertEqual("met\n", waiting.wait().stdout)

    def test_what_a_running_command_wrote_can_be_read(self) -> None:
        command = self.guest.spawn("echo begun; touch /tmp/begun; sleep 1000")
        self.guest.output("until [ -e /tmp/begun ]; do sleep 0.01; done")
        self.assertEqual(("begun\n", None), (command.stdout, command.returncode))
        self.assertEqual(128 + 15, command.stop().returncode)

    def test_a_command_that_takes_too_long_is_killed_with_all_that_it_started(self) -> None:
        command = self.guest.spawn("echo so far; sleep 54321 & sleep 54321")
        command.expect("so far")
        with self.assertRaisesRegex(GuestError, "(?s)longer than 0.1 s.*so far"):
            command.wait(timeout=0.1)
        self.guest.output("while pgrep --full 'sleep 5432[1]'; do sleep 0.01; done")

    def test_a_command_can_be_stopped_at_once(self) -> None:
        self.assertEqual(128 + 9, self.guest.spawn("sleep 1000").stop("KILL").returncode)

    def test_what_the_host_shares_is_there_and_what_the_guest_leaves_comes_back(self) -> None:
        (self.guest.shared / "given").write_text("from the host")
        self.guest.output("tr a-z A-Z </host/given >/host/taken")
        self.assertEqual("FROM THE HOST", (self.guest.shared / "taken").read_text())


class SystemdTests(CommandTests):
    """The same with systemd, and systemd itself."""

    systemd = True

    def test_the_boot_is_over_and_nothing_failed(self) -> None:
        self.assertEqual("running", self.guest.output("systemctl is-system-running"),
                         self.guest.run("systemctl --failed; journalctl --boot --priority warning").stdout)

    def test_a_unit_runs_with_its_sandbox(self) -> None:
        refused = self.guest.run(
            "systemd-run --quiet --collect --wait --pipe --property=DevicePolicy=closed head -c1 /dev/ubda")
        self.assertIn("not permitted", refused.stderr)


class LifeTests(unittest.TestCase):
    """Guests that start, end and start again."""

    def test_what_was_flushed_survives_a_power_cut(self) -> None:
        with Guest() as guest:
            guest.output("echo kept >/root/file; sync /root/file /root")
            guest.kill()
            guest.start()
            self.assertEqual("kept", guest.output("cat /root/file"))

    def test_a_disk_outlives_its_guest(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            disk = Path(directory) / "disk"
            with Guest(disk=disk) as guest:
                guest.output("echo kept >/root/file")
                guest.stop()
            with Guest(disk=disk) as guest:
                self.assertEqual("kept", guest.output("cat /root/file"))

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

    def test_a_guest_that_says_nothing_is_an_error(self) -> None:
        guest = Guest(arguments=["init=/usr/bin/sleep", "1000"])
        self.addCleanup(guest.close)
        with self.assertRaisesRegex(GuestError, "did not answer"):
            guest.start(timeout=5)

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

    def test_a_missing_image_is_an_error_that_says_what_to_do(self) -> None:
        with self.assertRaisesRegex(GuestError, "make rig"), Guest(Image("buster")):
            pass


class DeviceTests(unittest.TestCase):
    """Hardware that the kernel simulates."""

    guest: Guest

    @classmethod
    def setUpClass(cls) -> None:
        cls.guest = Guest()
        cls.addClassCleanup(cls.guest.close)
        cls.guest.start()

    def setUp(self) -> None:
        self.chip = GPIOChip(self.guest, lines=16, names={5: "step"})
        self.addCleanup(self.chip.remove)

    def test_the_chip_is_there_with_its_lines(self) -> None:
        self.assertRegex(self.guest.output("gpiodetect"), rf"^{self.chip.name} \[rig\] \(16 lines\)")
        self.assertIn("step", self.guest.output("gpioinfo"))

    def test_edges_arrive(self) -> None:
        # The tools of libgpiod 2 want the chip as an option and number the edges otherwise.
        chip, rising, falling = (self.chip.name, "1", "0") if SUITE == "bookworm" else (f"-c {self.chip.name}", "1", "2")
        monitor = self.guest.spawn(f"gpiomon --num-events=6 --format=%e {chip} 5")
        self.guest.output("until grep -q gpiomon /sys/kernel/debug/gpio; do sleep 0.01; done")
        for _ in range(3):
            self.chip.pull(5, up=True)
            self.chip.pull(5, up=False)
        self.assertEqual(3 * [rising, falling], monitor.wait().stdout.split())

    def test_the_level_of_a_line_that_is_pulled(self) -> None:
        self.chip.pull(3, up=True)
        self.assertEqual(1, self.chip.value(3))
        self.chip.pull(3, up=False)
        self.assertEqual(0, self.chip.value(3))

    def test_a_chip_can_be_taken_out_and_put_in(self) -> None:
        self.chip.remove()
        self.assertEqual(1, self.guest.run(f"[ -e {self.chip.node} ]").returncode)
        self.chip = GPIOChip(self.guest)
        self.assertEqual(0, self.guest.run(f"[ -c {self.chip.node} ]").returncode)

    def test_the_stub_answers_on_smbus_and_only_there(self) -> None:
        bus = load_i2c_stub(self.guest, 0x68)
        self.addCleanup(self.guest.output, "rmmod i2c-stub")
        self.assertEqual("0x71", self.guest.output(f"i2cset -y {bus} 0x68 0x75 0x71; i2cget -y {bus} 0x68 0x75"))
        self.assertIn("transfers capability", self.guest.run(f"i2ctransfer -y {bus} w1@0x68 0x75 r1").stderr)


@unittest.skipUnless(HARDWARE.exists(), f"no {HARDWARE}")
class HardwareTests(unittest.TestCase):
    """Hardware that rig-hardware serves, from the host and in the guest."""

    hardware: Hardware
    guest: Guest

    @classmethod
    def setUpClass(cls) -> None:
        cls.hardware = Hardware()
        cls.addClassCleanup(cls.hardware.close)
        cls.guest = Guest(i2c=[cls.hardware.socket])
        cls.addClassCleanup(cls.guest.close)
        cls.guest.start()

    def setUp(self) -> None:
        self.bus = VirtioBus(self.guest)

    def identity(self, bus: int, address: int = 0x68) -> str:
        return self.guest.output(f"i2ctransfer -y {bus} w1@{address:#x} 0x75 r1")

    def test_the_chip_of_the_host_answers(self) -> None:
        self.assertEqual("0x68", self.identity(self.bus.number))

    def test_the_host_controls_its_chip(self) -> None:
        self.addCleanup(self.hardware.control, "identity 0x68")
        self.hardware.control("identity 0x70")
        self.assertEqual("0x70", self.identity(self.bus.number))

    def test_what_is_no_control_command_is_an_error(self) -> None:
        with self.assertRaisesRegex(GuestError, "the commands are"):
            self.hardware.control("explode")

    def test_the_adapter_can_be_unplugged_and_plugged_in(self) -> None:
        number = self.bus.number
        self.bus.unbind().wait()
        self.assertEqual(1, self.guest.run(f"[ -e /dev/i2c-{number} ]").returncode)
        self.bus.bind()
        self.assertEqual("0x68", self.identity(self.bus.number))

    def test_the_next_guest_finds_the_same_chip(self) -> None:
        with Hardware() as hardware, Guest(i2c=[hardware.socket]) as guest:
            guest.output("i2ctransfer -y 0 w2@0x68 0x19 0x09")
            guest.kill()
            guest.start()
            self.assertEqual("0x09", guest.output("i2ctransfer -y 0 w1@0x68 0x19 r1"))

    def test_the_chip_in_the_guest_answers_and_can_be_taken_away(self) -> None:
        bus = CUSEBus(self.guest, number=7)
        self.assertEqual("0x68", self.identity(7))
        bus.control("gone 1")
        self.assertIn("No such device or address", self.guest.run("i2ctransfer -y 7 w1@0x68 0x75 r1").stderr)
        bus.remove()
        self.assertEqual(1, self.guest.run(f"[ -e {bus.node} ]").returncode)

    def test_a_program_that_ends_at_once_is_an_error(self) -> None:
        with self.assertRaisesRegex(GuestError, "status 64"):
            CUSEBus(self.guest, motion="impossible")


if __name__ == "__main__":
    unittest.main()
