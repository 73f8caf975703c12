"""Permission and the quiet fallback (SPEC §2) on the nodes of a real kernel, in real time.

Whatever is taken away from one domain, the other goes on, and nothing comes back but by the wearer's hand.
"""

from __future__ import annotations

import json
import unittest

from devices import GPIOChip, VirtioBus
from rig import SUITE
from sensing import VirtioProof

#: Holds a line as any program may, until it is stopped.
HOLD = {"bookworm": "gpiomon {name} {line}", "trixie": "gpiomon --chip {name} {line}"}[SUITE]


class PermissionProofs(VirtioProof):
    """With a chip on an adapter of i2c-dev and a step line of gpio-sim."""

    def state(self, domain: str) -> tuple[bool, str]:
        """Whether the toggle is on, and the stored status."""
        permission = self.permission(domain)
        return permission["on"], permission["status"]

    def assert_turned_off(self, domain: str, by: str, status: str) -> None:
        """Before the next window could find out, with one line at notice in the journal and the same in the trail."""
        self.eventually(lambda: self.state(domain) == (False, status), f"{domain} is off, {status}")
        changes = self.eventually(lambda: [entry for entry in self.told("permissionChanged")
                                           if entry.get("ANICCA_DOMAIN") == domain], "the journal tells of it")
        self.assertEqual([(by, "authorized", status, "5")], [
            (entry["ANICCA_BY"], entry["ANICCA_FROM"], entry["ANICCA_TO"], entry["PRIORITY"]) for entry in changes])
        self.assertEqual([("wearer", "off", "on"), (by, "on", "off")], self.trail(f"{domain} toggle"))

    def assert_suspended(self, domain: str) -> None:
        """On, not collected, with one line at notice in the journal and no entry about the toggle."""
        self.eventually(lambda: self.state(domain) == (True, "unsupported"), f"{domain} is suspended")
        changes = self.eventually(lambda: [entry for entry in self.told("permissionChanged")
                                           if entry.get("ANICCA_DOMAIN") == domain], "the journal tells of it")
        self.assertEqual([("kernel", "authorized", "unsupported", "5")], [
            (entry["ANICCA_BY"], entry["ANICCA_FROM"], entry["ANICCA_TO"], entry["PRIORITY"]) for entry in changes])
        self.assertEqual([("wearer", "off", "on")], self.trail(f"{domain} toggle"))

    def assert_resumes(self, domain: str) -> None:
        """The device is back, and no command is given."""
        self.eventually(lambda: self.state(domain) == (True, "authorized"), f"{domain} goes on", within=90)
        self.assertEqual([("wearer", "off", "on")], self.trail(f"{domain} toggle"))

    def assert_steps_go_on(self) -> None:
        pulses = self.counts().pulses
        self.wait_for_pulses(pulses + self.walk(10, "300ms"))

    def assert_only_the_wearer_turns_on(self, domain: str, status: str) -> None:
        """The obstacle is gone: as long as a walk nothing happens, and then the wearer turns the toggle."""
        self.walk(10, "300ms")
        self.assertEqual((False, status), self.state(domain))
        self.turn(domain, on=True)
        self.assertEqual((True, "authorized"), self.state(domain))

    def assert_motion_goes_on(self) -> None:
        before = self.hardware.control("status")
        self.eventually(lambda: self.hardware.control("status") != before, "the chip is read")
        self.assertEqual((True, "authorized"), self.state("motion"))

    # Rules 1, 2 and 6: nothing is asked but when a toggle is turned on, and off is off

    def test_at_the_start_nothing_is_asked_and_nothing_is_opened(self) -> None:
        self.settings = self.settings.replace("granted = motion health", "")
        before = self.hardware.control("status")
        self.begin()
        self.assertEqual(["notDetermined"] * 2, [self.permission(domain)["status"] for domain in ("motion", "steps")])
        self.assertEqual([], json.loads(self.guest.output("anicca audit --json")))
        self.assertEqual(before, self.hardware.control("status"))
        self.assertFalse(self.line_is_held())

    def test_off_leaves_the_chip_asleep_and_the_line_free(self) -> None:
        self.collect()
        self.eventually(self.line_is_held, "gpioinfo shows the line in use")
        self.eventually(lambda: not self.chip_sleeps(), "the chip is awake for a window")
        self.turn("motion", on=False)
        self.turn("steps", on=False)
        self.eventually(self.chip_sleeps, "the chip is asleep")
        self.eventually(lambda: not self.line_is_held(), "gpioinfo shows the line unused")
        before = self.hardware.control("status"), self.counts()
        self.walk(10, "300ms")
        self.turn("steps", on=True)
        self.assertEqual(before, (self.hardware.control("status"), self.counts()))

    # Rules 3 and 4 on the node of the IMU's bus

    def test_a_mode_that_forbids_a_node_turns_its_domain_off_and_the_other_goes_on(self) -> None:
        for domain, node, group, other_goes_on in (("motion", self.bus_node, "i2c", self.assert_steps_go_on),
                                                   ("steps", self.chip.node, "gpio", self.assert_motion_goes_on)):
            with self.subTest(domain):
                self.begin()
                self.collect()
                self.addCleanup(self.guest.output, f"chmod 660 {node}")
                self.guest.output(f"chmod 000 {node}")
                self.assert_turned_off(domain, by="kernel", status="denied")
                if domain == "motion":
                    self.eventually(self.chip_sleeps, "the chip is asleep")
                else:
                    self.assertEqual("", self.guest.output("grep -w anicca /sys/kernel/debug/gpio || true"))
                other_goes_on()
                result = self.anicca(f"toggle {domain} on")
                self.assertEqual((77, True), (result.returncode, f"usermod -aG {group} anicca" in result.stderr), result.stderr)
                self.guest.output(f"chmod 660 {node}")
                self.assert_only_the_wearer_turns_on(domain, "denied")

    def test_an_adapter_that_is_pulled_out_suspends_motion_until_it_is_back_and_steps_go_on(self) -> None:
        self.collect()
        adapter = VirtioBus(self.guest)
        unplugging = adapter.unbind()
        self.assert_suspended("motion")
        self.assertEqual(0, unplugging.wait().returncode, "the node is let go")
        self.assert_steps_go_on()
        adapter.bind()
        self.assertEqual(self.bus_node, f"/dev/i2c-{adapter.number}")
        self.guest.output("udevadm settle")
        self.walk(10, "300ms")
        self.assert_resumes("motion")

    # The same on the step line

    def test_a_chip_that_is_pulled_out_suspends_steps_until_it_is_back_and_motion_goes_on(self) -> None:
        self.collect()
        self.eventually(self.line_is_held, "gpioinfo shows the line in use")
        self.chip.remove()
        self.assert_suspended("steps")
        self.assert_motion_goes_on()
        # The kernel counts the lines of the chip that was pulled out as requested and gives the next one a new name.
        type(self).chip = GPIOChip(self.guest)
        self.guest.output("udevadm settle")
        self.reload()
        self.assert_resumes("steps")
        self.wait_for_pulses(self.walk(10, "300ms"))

    def test_a_line_that_another_program_holds_is_taken_when_it_is_free(self) -> None:
        holder = self.guest.spawn(HOLD.format(name=self.chip.name, line=self.step_line))
        self.guest.output("until grep -q gpiomon /sys/kernel/debug/gpio; do sleep 0.01; done")
        result = self.anicca("toggle steps on")
        self.assertEqual((0, True), (result.returncode, 'held by "gpiomon"' in result.stdout), result.stdout)
        self.assertIn("gpioinfo names it", self.wait_until_told("lineFailed")["MESSAGE"])
        self.assertIn('held by "gpiomon"', self.check("step-line")["found"])
        holder.stop()
        self.wait_until_told("lineRecovered", within=60)
        self.assertEqual(1, len(self.told("lineFailed")))
        self.assertEqual((True, "authorized"), self.state("steps"))
        self.wait_for_pulses(self.walk(10, "300ms"))


if __name__ == "__main__":
    unittest.main()
