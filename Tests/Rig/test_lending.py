"""The daemon lends its sensor to a command, and has it back however that ends."""

from __future__ import annotations

import json
import unittest

from proofs import AS_ANICCA
from rig import Command
from sensing import VirtioProof


class LendingProofs(VirtioProof):
    """`anicca watch` and `anicca record` on a real bus and a real line, beside the daemon as it is installed."""

    def watch(self, words: str = "--json") -> Command:
        """A command that has the sensor, in the background."""
        command = self.guest.spawn(f"exec anicca watch {words}")
        self.wait_until_told("sensorLent")
        return command

    def is_back(self) -> bool:
        """Whether the daemon senses again: a window since, and its line."""
        self.wait_until_told("sensorReturned")
        self.eventually(self.line_is_held, "the daemon has the step line")
        return "running" in self.daemon() and "sensorLent" not in self.daemon()

    def daemon(self) -> dict:
        return self.status()["daemon"]

    def lines(self, command: Command) -> list[dict]:
        return [json.loads(line) for line in command.stdout.splitlines()]

    def consent(self) -> str:
        return self.guest.output("anicca audit --json")

    def begin_collecting(self) -> None:
        self.begin()
        self.collect()
        self.eventually(lambda: "lastWindow" in self.daemon(), "a window", 60)
        self.before = self.consent()

    def test_it_shows_what_the_chip_and_the_line_give_and_gives_them_back(self) -> None:
        self.begin_collecting()
        command = self.watch()
        self.walk(10)
        shown = self.eventually(lambda: [line for line in self.lines(command) if line.get("pulses") == 10], "ten pulses")
        self.assertAlmostEqual(1, shown[-1]["acceleration"]["length"], delta=0.05)
        self.assertEqual(10, shown[-1]["steps"])
        self.assertTrue(shown[-1]["toggles"]["motion"] and not shown[-1]["toggles"]["sleep"])
        self.assertEqual(True, self.daemon()["sensorLent"])
        self.assertEqual("warning", self.check("daemon")["state"])
        self.assertEqual(0, command.stop("INT").returncode)
        self.assertTrue(self.is_back())
        self.assertEqual(self.before, self.consent(), "a loan is no decision")
        self.assertFalse(self.told("sensorFailed") or self.told("lineFailed"))

    def test_after_a_kill_it_is_back_as_well(self) -> None:
        self.begin_collecting()
        command = self.watch()
        self.eventually(lambda: self.lines(command), "a line")
        command.signal("KILL")
        self.assertTrue(self.is_back())
        seen = self.daemon().get("lastWindow")
        self.eventually(lambda: self.daemon().get("lastWindow") != seen, "a further window", 60)
        self.assertEqual(self.before, self.consent())

    def test_a_chip_that_nobody_collects_from_sleeps_after_a_kill(self) -> None:
        self.begin_collecting()
        self.turn("steps", on=False)
        command = self.watch()
        self.eventually(lambda: "acceleration" in (self.lines(command) or [{}])[-1], "a sample")
        self.turn("motion", on=False)
        self.eventually(lambda: "acceleration" not in self.lines(command)[-1], "it goes quiet")
        self.eventually(self.chip_sleeps, "the chip sleeps once nothing is allowed")
        self.turn("motion", on=True)
        self.eventually(lambda: "acceleration" in self.lines(command)[-1], "a sample again")
        # Withdrawn and killed at once: the chip is awake, and only the daemon can see to it.
        self.guest.output("kill -STOP $(pgrep --full 'anicca watch')")
        self.turn("motion", on=False)
        self.assertFalse(self.chip_sleeps())
        self.guest.output("kill -KILL $(pgrep --full 'anicca watch')")
        self.eventually(self.chip_sleeps, "the daemon puts it to sleep")

    def test_a_daemon_that_is_killed_or_stopped_meanwhile_lends_it_again(self) -> None:
        self.begin_collecting()
        command = self.watch()
        self.guest.output("systemctl kill --signal=KILL aniccad")
        self.wait_until_told("sensorLent", times=2, within=60)
        count = len(self.lines(command))
        self.eventually(lambda: len(self.lines(command)) > count + 3 and "acceleration" in self.lines(command)[-1],
                        "samples after the daemon's restart")
        self.guest.output("systemctl stop aniccad")
        count = len(self.lines(command))
        self.eventually(lambda: len(self.lines(command)) > count + 3, "samples without a daemon")
        self.guest.output("systemctl start aniccad")
        self.wait_until_told("sensorLent", times=3, within=60)
        self.assertEqual(0, command.stop().returncode)
        self.assertTrue(self.is_back())

    def test_a_daemon_that_cannot_be_asked_keeps_its_sensor(self) -> None:
        self.begin_collecting()
        self.guest.output("rm /run/anicca/lending")
        refused = self.anicca("watch --json --for 1s")
        self.assertEqual((75, ""), (refused.returncode, refused.stdout))
        self.assertIn("systemctl restart aniccad", refused.stderr)

    def test_a_full_disk_and_a_closed_pipe_end_it(self) -> None:
        self.begin_collecting()
        self.assertEqual(74, self.guest.run("anicca watch --json --for 5s >/dev/full").returncode)
        self.assertTrue(self.is_back())
        self.guest.output("anicca watch --json | head -1")
        self.wait_until_told("sensorReturned", times=2)
        plain = self.guest.run("anicca watch | cat")
        self.assertEqual("", plain.stdout, "no escape sequence goes to a pipe")

    def test_a_terminal_is_left_as_it_was(self) -> None:
        self.begin_collecting()
        shown = self.guest.run(
            "(sleep 8; printf q) | script -qec 'stty cols 80 rows 24; stty -g >/tmp/before; anicca watch; "
            "echo code=$?; stty -g >/tmp/after' /dev/null", timeout=60).stdout
        self.assertIn("code=0", shown)
        self.assertIn("\x1b[?1049l", shown)
        self.assertEqual("same", self.guest.output("cmp /tmp/before /tmp/after && echo same").strip())
        self.assertIn("confidence", shown)
        self.assertTrue(self.is_back())

    def test_only_the_daemons_user_and_root_may_borrow(self) -> None:
        self.begin_collecting()
        self.assertEqual("600 anicca", self.guest.output("stat -c '%a %U' /run/anicca/lending").strip())
        other = self.guest.run("setpriv --reuid=nobody --regid=nogroup --clear-groups anicca watch --json --for 1s")
        self.assertEqual(77, other.returncode, other.stdout + other.stderr)
        own = self.guest.run(f"{AS_ANICCA} anicca watch --json --for 2s")
        self.assertEqual(0, own.returncode, own.stderr)
        self.assertFalse(self.told("sensorLent")[1:])


if __name__ == "__main__":
    unittest.main()
