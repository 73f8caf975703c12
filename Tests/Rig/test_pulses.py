"""Pulses on a step line of the kernel's gpio-sim, and the figures stored of them, in virtual time."""

from __future__ import annotations

import json
import unittest

from rig import SUITE
from sensing import VirtualTimeProof

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

    def test_a_thousand_steps_at_walking_and_at_the_fastest_pace_are_stored_once_each(self) -> None:
        for interval, jitter in (("545ms", "80ms"), ("260ms", "8ms")):
            with self.subTest(interval):
                self.begin_walk()
                self.wait_for_counts(self.walk(1000, interval, f"--jitter {jitter}"))

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

    # The line


if __name__ == "__main__":
    unittest.main()
