"""The IMU on I2C buses of a real kernel: found, read, lost, and found again.

The chip is the project's own simulation of an MPU-6050, behind three kinds of adapter: virtio-i2c, which is an ordinary
adapter to the guest's i2c-dev; a node of CUSE, which fails with the errors of real adapters; and the kernel's i2c-stub,
whose registers are mere memory.
"""

from __future__ import annotations

import re
import unittest
from typing import Any, Union

from devices import CUSEBus, Hardware, load_i2c_stub
from sensing import VirtioProof, VirtualTimeProof

#: The bytes of a window in an MPU-6050: 128 samples and two that are not settled, of six bytes each.
WINDOW_BYTES = 130 * 6


def traffic(bus: Union[Hardware, CUSEBus]) -> tuple[int, int]:
    """Messages and bytes on a bus so far."""
    words = dict(word.split("=") for word in bus.control("status").split())
    return int(words["transfers"]), int(words["bytes"])


class VirtioProofs(VirtioProof):
    """On an adapter of i2c-dev with whole I2C messages."""

    def test_the_chip_is_found_and_its_windows_are_read_in_bursts_and_judged(self) -> None:
        self.assertEqual(("ok", "an MPU-6050, 0x68 has identity 0x68"),
                         (self.check("imu")["state"], self.check("imu")["found"]))
        messages, sent = traffic(self.hardware)
        self.collect()
        self.wait_for_activity("stationary")
        messages, sent = (after - before for before, after in zip((messages, sent), traffic(self.hardware)))
        self.assertGreater(sent, WINDOW_BYTES)
        self.assertLess(messages, sent / 8, "the FIFO is read in bursts")
        self.hardware.control("motion walking")
        self.addCleanup(self.hardware.control, "motion still")
        self.wait_for_activity("walking")
        self.assertEqual([], self.told("windowLost") + self.told("sensorFailed"))

    def test_a_message_that_the_adapter_gives_up_without_an_error_is_a_window_lost_and_no_more(self) -> None:
        self.collect()
        self.hardware.control("nak 1")
        self.assertIn("no device acknowledged", self.wait_until_told("windowLost", within=30)["MESSAGE"])
        self.wait_for_activity("stationary")
        self.assertEqual([], self.told("sensorFailed"))

    def test_on_an_adapter_with_smbus_transfers_only_the_chip_is_found(self) -> None:
        number = load_i2c_stub(self.guest, 0x68)
        self.addCleanup(self.guest.output, "rmmod i2c-stub")
        self.guest.output(f"i2cset -y {number} 0x68 0x75 0x68; udevadm settle")
        self.bus_node = f"/dev/i2c-{number}"
        self.reload()
        self.assertEqual(("ok", "an MPU-6050, 0x68 has identity 0x68"),
                         (self.check("imu")["state"], self.check("imu")["found"]))


class CUSEProofs(VirtualTimeProof):
    """On a node that fails as real adapters do, in virtual time.

    A node of CUSE has a number of its own, which the unit's DeviceAllow=char-i2c does not cover: a drop-in names it.
    The wearer has both domains on; each claim ends with the process that it began with.
    """

    bus_node = "/dev/i2c-7"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.add_to_unit(f"DeviceAllow={cls.bus_node} rw")

    def setUp(self) -> None:
        """Each claim plugs in its adapter first."""

    def plug_in(self, settings: str = "", motion: str = "walking", **wiring: Any) -> None:
        """Puts the chip in, moved like this, and starts the daemon with these settings added."""
        self.bus = CUSEBus(self.guest, number=7, motion=motion, **wiring)
        self.addCleanup(self.bus.remove)
        self.guest.output(f"chgrp i2c {self.bus.node} && chmod 660 {self.bus.node}")
        self.begin(settings)
        self.turn("steps", on=True)
        self.turn("motion", on=True)
        process = self.unit("aniccad", "MainPID")
        self.addCleanup(lambda: self.assertEqual(process, self.unit("aniccad", "MainPID")))

    def wait(self, seconds: int) -> None:
        """In the guest's time."""
        self.guest.output(f"sleep {seconds}", timeout=120)

    def wait_for_window(self) -> None:
        """Waits until one is in the store that was read after now. Its figures are written every ten minutes."""
        now = self.guest.output("date --utc +%FT%TZ")

        def is_stored() -> bool:
            self.wait(300)
            return self.status()["today"].get("lastWindow", "") > now

        self.eventually(is_stored, "a new window in `anicca status`", within=60)

    def state(self) -> tuple[bool, str]:
        permission = self.permission("motion")
        return permission["on"], permission["status"]

    # Without faults

    def test_over_smbus_transfers_alone_whole_windows_are_read_and_judged(self) -> None:
        self.plug_in(smbus_only=True)
        self.wait_for_window()
        self.wait_for_counts(self.walk(300))
        self.assertEqual("walking", self.status()["today"]["activity"])
        self.assertEqual([], self.told("sensorFailed"))
        messages, sent = traffic(self.bus)
        self.assertLess(sent / messages, 32, "no transfer is longer than a block")

    def test_the_interrupt_of_a_chip_that_is_moved_ends_a_long_rest(self) -> None:
        line = 6
        self.plug_in(f"[imu]\ninterrupt-chip = {self.chip.node}\ninterrupt-line = {line}\n"
                     "[duty-cycle]\nrelaxed-interval = 50min\n[sedentary]\nlongest-gap = 1h",
                     motion="still", interrupt=self.chip.pull_file(line))
        # Ten windows of stillness lead to the long interval.
        self.wait(1200)
        control = f"/rig/rig-hardware control {self.bus.control_socket}"
        shown = self.guest.output(
            f"{control} status; sleep 30; {control} motion walking; sleep 30; {control} status")
        before, still, moved = map(int, re.findall(r"bytes=(\d+)", shown))
        self.assertEqual(before, still, "nothing is asked of a chip that lies still")
        self.assertGreater(moved - still, WINDOW_BYTES)

    # With faults, passing ones first

    def test_of_a_stuck_bus_is_told_once_and_steps_go_on_and_it_recovers(self) -> None:
        self.plug_in()
        self.bus.control("stuck 1")
        self.wait(2400)
        self.wait_for_counts(self.walk(300))
        self.assertIn("held low or timed out", self.wait_until_told("sensorQuiet")["MESSAGE"])
        self.assertEqual(1, len([entry for entry in self.told("sensorFailed") if "trying again" in entry["MESSAGE"]]))
        self.assertLessEqual(len(self.told("windowLost")), 3)
        self.assertEqual((True, "authorized"), self.state())
        self.bus.control("stuck 0")
        self.wait(3700)
        self.wait_until_told("sensorRecovered")
        self.wait_for_window()

    def test_a_chip_that_stays_away_suspends_motion_until_it_is_back(self) -> None:
        self.plug_in()
        self.bus.control("gone 1")
        self.wait(2400)
        self.wait_for_counts(self.walk(300))
        self.assertIn("no device acknowledged", self.wait_until_told("sensorFailed")["MESSAGE"])
        change = self.wait_until_told("permissionChanged")
        self.assertEqual(("motion", "kernel", "unsupported"),
                         (change["ANICCA_DOMAIN"], change["ANICCA_BY"], change["ANICCA_TO"]))
        self.bus.control("gone 0")
        self.assertEqual((True, "unsupported"), self.state())
        self.wait(3700)
        self.eventually(lambda: self.state() == (True, "authorized"), "motion goes on")
        self.wait_for_window()


if __name__ == "__main__":
    unittest.main()
