"""Pulses on a step line of the kernel's gpio-sim, and the figures stored of them, in virtual time."""

from __future__ import annotations

import json
import unittest

from rig import SUITE
from sensing import RESTART, VirtualTimeProof

#: The count of a line's edges that the kernel keeps until they are read. libgpiod 1 cannot ask for more.
KERNEL_BUFFER = {"bookworm": 16, "trixie": 1024}[SUITE]

#: Whether the kernel numbers the edges that it hands over, so that it shows how many it dropped.
NUMBERS_EDGES = SUITE != "bookworm"

#: How long the daemon may leave the edges in that buffer, in seconds: at 5 a second it is full then, or after the
#: longest time that pulses stay out of the store.
LONGEST_STAY = min(KERNEL_BUFFER // 5 + 1, 60)

#: In seconds.
DAY = 86400

#: Makes so many pulses on a line and tells the date of each in nanoseconds.
STAMPED_WALK = """
import os, sys, time
pull = os.open(sys.argv[1], os.O_WRONLY)
for _ in range(int(sys.argv[2])):
    os.pwrite(pull, b"pull-up", 0)
    print(time.time_ns())
    time.sleep(0.1)
    os.pwrite(pull, b"pull-down", 0)
    time.sleep(0.9)
"""


class PulseProofs(VirtualTimeProof):
    def setUp(self) -> None:
        """Each claim begins by its own settings."""

    def begin_walk(self, settings: str = "") -> None:
        self.begin(settings)
        self.turn("steps", on=True)

    # Counting

    def test_a_thousand_steps_at_walking_pace_are_stored_once_each(self) -> None:
        self.begin_walk()
        self.wait_for_counts(self.walk(1000, "545ms", "--jitter 80ms"))

    def test_a_thousand_steps_at_the_fastest_pace_are_stored_once_each(self) -> None:
        self.begin_walk()
        self.wait_for_counts(self.walk(1000, "260ms", "--jitter 8ms"))

    def test_a_thousand_pulses_in_bursts_that_the_kernel_can_keep_are_stored_once_each(self) -> None:
        self.begin_walk("debounce-ms = 0")
        bursts = f"--high 500us --burst {KERNEL_BUFFER} --pause {LONGEST_STAY + 1}s"
        self.wait_for_counts(self.walk(2 * KERNEL_BUFFER if NUMBERS_EDGES else 1008, "1ms", bursts), steps=0)

    def test_of_a_longer_burst_the_kernel_keeps_its_buffer_and_nothing_is_counted_twice(self) -> None:
        self.begin_walk("debounce-ms = 0")
        sent = self.walk(KERNEL_BUFFER + 500, "1ms", "--high 500us")
        self.wait_for_counts(KERNEL_BUFFER, steps=0)
        self.assertEqual([f"{sent - KERNEL_BUFFER}" if NUMBERS_EDGES else None],
                         [entry.get("ANICCA_LOST") for entry in self.told("pulsesLost")])

    def test_a_contact_that_bounces_counts_once(self) -> None:
        self.begin_walk()
        edges = 5 if NUMBERS_EDGES else 2
        self.walk(500 * edges, "8ms", f"--high 3ms --burst {edges} --pause 500ms")
        self.wait_for_counts(500)

    def test_single_pulses_are_kept_and_are_no_steps(self) -> None:
        self.begin_walk()
        self.wait_for_counts(self.walk(50, "3s"), steps=0)

    # Days and restarts

    def test_pulses_belong_to_the_day_of_their_own_time(self) -> None:
        self.begin_walk()
        # Later reads from the disk may take minutes.
        times = self.guest.output(
            f"cat >/run/walk <<'END'\n{STAMPED_WALK}\nEND\npython3 /run/walk {self.chip.pull_file(self.step_line)} 0; "
            f"sleep $(( {DAY} - ($(date +%s) + 900) % {DAY} + 400 )); "
            f"python3 /run/walk {self.chip.pull_file(self.step_line)} 1000", timeout=120).splitlines()
        midnight = int(times[-1]) // (DAY * 10**9) * DAY * 10**9
        before = sum(int(time) < midnight for time in times)
        self.assertTrue(0 < before < 1000, f"the walk goes on past midnight: {before}")
        self.wait_for_pulses(1000)
        days = self.eventually(lambda: json.loads(self.guest.output("anicca days --json")), "a day that has ended")
        self.assertEqual(before, days[-1]["rawPulses"])

    def test_orderly_restarts_lose_and_double_nothing(self) -> None:
        self.begin_walk()
        report = self.guest.output("; ".join([self.pulses(100), RESTART, "sleep 1"] * 10), timeout=120)
        self.assertEqual(10, report.count("pulses=100"), report)
        self.wait_for_counts(1000)

    def test_while_somebody_walks_a_restart_loses_only_the_pulses_between_the_two_runs(self) -> None:
        self.begin_walk()
        walk = f"{self.pulses(1000)} & sleep 100"
        restart = f"date +%s%N; {RESTART}; date +%s%N; sleep 100"
        *times, report = self.guest.output(f"{walk}; {'; '.join([restart] * 3)}; wait", timeout=120).splitlines()
        pauses = [int(end) - int(start) for start, end in zip(times[::2], times[1::2])]
        missed = sum(pause // 500_000_000 + 1 for pause in pauses)
        self.guest.output("sleep 70")
        counts = self.counts()
        self.assertLessEqual(counts.pulses, self.sent(report))
        self.assertGreaterEqual(counts.pulses, self.sent(report) - missed, f"pauses of {pauses} ns")

    def test_a_killed_daemon_loses_a_minute_of_pulses_at_most_and_doubles_none(self) -> None:
        self.begin_walk()
        self.guest.output(f"{self.pulses(500)}; systemctl kill --signal=KILL aniccad; sleep 30", timeout=120)
        kept = self.counts().pulses
        self.assertTrue(380 <= kept <= 500, f"{kept} of 500 pulses, two a second, are stored")
        walked = self.walk(200)
        self.eventually(lambda: self.counts().pulses == kept + walked, f"{kept} + {walked} pulses stored")

    # The line

    def test_the_line_is_held_while_steps_are_on_and_only_then(self) -> None:
        self.begin()
        self.assertFalse(self.line_is_held())
        self.turn("steps", on=True)
        self.eventually(self.line_is_held, "gpioinfo shows the line in use")
        self.assertIn("is in use by aniccad", self.check("step-line")["found"])
        self.turn("steps", on=False)
        self.eventually(lambda: not self.line_is_held(), "gpioinfo shows the line unused")
        self.assertIn("is free", self.check("step-line")["found"])

    def test_pulses_while_steps_are_off_are_never_counted(self) -> None:
        self.begin_walk()
        self.wait_for_counts(self.walk(20))
        self.turn("steps", on=False)
        self.walk(20)
        self.turn("steps", on=True)
        self.wait_for_counts(self.walk(30))


if __name__ == "__main__":
    unittest.main()
