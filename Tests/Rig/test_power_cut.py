"""Power cuts at random instants, again and again on one disk, while the installed programs collect and deliver.

RIG_CUTS says how many (5 unless said), RIG_SEED when: the seed is printed. guest/life.py runs meanwhile.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
import time
import unittest
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Iterator

from devices import GPIOChip
from proofs import PROGRAMS, eventually
from rig import MEMORY, SUITE, Guest, Image

CUTS = int(os.environ.get("RIG_CUTS", "5"))
SEED = int(os.environ.get("RIG_SEED") or random.randrange(1 << 32))
#: The longest time to the cut, in seconds, and what it begins with, in turn: the first note of pulses in the store, that
#: of a step, or the end of the boot.
LONGEST_WALK = 4.0
BEGINNINGS = ["stored", "step", "stored", None]
LINE = 5


class PowerCutTests(unittest.TestCase):
    """Claims that hold after all cuts."""

    guest: Guest

    @classmethod
    def setUpClass(cls) -> None:
        print(f"{CUTS} power cuts, RIG_SEED={SEED}", flush=True)
        cls.random = random.Random(SEED)
        directory = cls.enterClassContext(tempfile.TemporaryDirectory(dir=MEMORY))
        cls.disk = Path(directory) / "disk"
        cls.guest = Guest(Image(SUITE), disk=cls.disk)
        cls.addClassCleanup(cls.guest.close)
        shutil.copy(PROGRAMS / "anicca-receiver", cls.guest.shared)
        shutil.copy(Path(__file__).parent / "guest" / "life.py", cls.guest.shared)
        cls.boot(None)
        cls.guest.output("python3 /host/life.py prepare")
        cls.guest.kill()
        for number in range(CUTS):
            cls.boot(number)
            cls.live_and_die(number)
        cls.boot(CUTS)
        cls.guest.output(f"python3 /host/life.py end {CUTS}", timeout=120)
        cls.notes = [list(cls.read_notes(number)) for number in range(CUTS + 1)]
        cls.end = next(note for note in cls.notes[-1] if note["kind"] == "end")

        taken, stored = len(cls.all_notes("step")), cls.by_day("rawPulses").total()
        print(f"{taken} pulses, {stored} of them stored; {len(cls.end['received'])} records and events delivered, "
              f"{cls.end['repeated']} of them sent again after a cut", flush=True)

    @classmethod
    def live_and_die(cls, number: int) -> None:
        cls.guest.spawn(f"exec python3 /host/life.py live {number} {cls.chip.pull_file(LINE)}")
        if beginning := BEGINNINGS[number % len(BEGINNINGS)]:
            eventually(lambda: any(note["kind"] == beginning and note.get("pulses") != 0
                                   for note in cls.read_notes(number)), f"a note of {beginning}", within=90)
        time.sleep(cls.random.uniform(0, LONGEST_WALK))
        cls.guest.kill()

    @classmethod
    def boot(cls, number: int | None) -> None:
        """Boots with the step line, at the time of this boot: three to a day, the last of which goes past midnight."""
        cls.guest.start()
        day, part = divmod((number or 0) if number != CUTS else 3 * (CUTS // 3 + 2), 3)
        at = datetime(2026, 12, 1) + timedelta(days=day, seconds=[43200, 64800, 86396][part])
        cls.chip = GPIOChip(cls.guest)
        cls.guest.output(f"chgrp gpio {cls.chip.node} && chmod 660 {cls.chip.node} && date --utc --set='{at:%F %T}'")

    @classmethod
    def read_notes(cls, number: int) -> Iterator[dict[str, Any]]:
        path = cls.guest.shared / f"boot-{number}"
        # The last line may have been cut as well.
        whole, _, _ = (path.read_text() if path.exists() else "").rpartition("\n")
        return map(json.loads, whole.splitlines())

    @classmethod
    def all_notes(cls, kind: str) -> list[dict[str, Any]]:
        return [note for notes in cls.notes for note in notes if note["kind"] == kind]

    @classmethod
    def by_day(cls, figure: str) -> Counter[str]:
        """The wearer's history in the end."""
        return Counter({day["date"]: day.get(figure, 0) for day in [*cls.end["days"], cls.end["today"]]})

    # The claims

    def test_the_store_opens_after_every_cut_and_the_trail_is_whole(self) -> None:
        found = self.all_notes("found")
        self.assertGreater(len(found), CUTS)
        for note in found:
            self.assertEqual(0, note["audit"][0], note)
            self.assertEqual(0, note["status"][0], note)

    def test_what_was_seen_in_the_store_before_a_cut_is_there_in_the_end(self) -> None:
        stored, steps = self.by_day("rawPulses"), self.by_day("steps")
        seen = self.all_notes("stored")
        self.assertTrue(any(note["pulses"] > 0 for note in seen), f"nothing was seen, seed {SEED}")
        for note in seen:
            self.assertGreaterEqual(stored[note["date"]], note["pulses"], f"{note}, seed {SEED}")
            self.assertGreaterEqual(steps[note["date"]], note["steps"], f"{note}, seed {SEED}")

    def test_no_pulse_is_counted_twice(self) -> None:
        taken = Counter(note["date"] for note in self.all_notes("step"))
        stored = self.by_day("rawPulses")
        self.assertLessEqual(stored.total(), taken.total())
        for date, count in stored.items():
            # A pulse that was noted just before midnight may have come after it.
            self.assertLessEqual(count, taken[date] + CUTS // 3 + 1, f"{date}, seed {SEED}")

    def test_every_record_and_event_that_was_queued_arrived_once(self) -> None:
        queued = set(self.end["outbox"]).union(*(note["outbox"] for note in self.all_notes("found")))
        keys = [delivery["key"] for delivery in self.end["received"]]
        self.assertEqual(sorted(queued), sorted(keys), f"seed {SEED}, {self.end['dropped']} dropped")

    def test_no_day_and_no_event_arrived_twice_under_different_keys(self) -> None:
        bodies = [(delivery["path"], json.loads(delivery["body"])) for delivery in self.end["received"]]
        names = Counter((path, body.get("date") or (body["eventType"], body["timestamp"])) for path, body in bodies)
        self.assertEqual([], [name for name, count in names.items() if count > 1], f"seed {SEED}")
        self.assertTrue({"/mobile/daily_metrics", "/nudge/trigger"} <= {path for path, _ in names})

    def test_what_arrived_is_what_the_history_holds(self) -> None:
        history = {day["date"]: day for day in [*self.end["days"], *self.end["days_of_double"]]}
        for delivery in self.end["received"]:
            body = json.loads(delivery["body"])
            if "date" in body:
                for figure in ("steps", "sedentaryMinutes"):
                    self.assertEqual(history[body["date"]].get(figure), body.get(figure), f"{body}, seed {SEED}")

    def test_the_file_system_is_whole(self) -> None:
        self.guest.kill()
        with Guest(Image(SUITE), disk=self.disk, arguments=["ro"]) as guest:
            check = guest.run("e2fsck -fn /dev/ubda")
            self.assertEqual(0, check.returncode, check.stdout + check.stderr)


class FlushTests(unittest.TestCase):
    """A cut of the rig has the same effect on a disk as a real one on a card."""

    def test_what_was_flushed_is_kept_and_what_was_not_is_lost(self) -> None:
        with Guest(Image(SUITE)) as guest:
            guest.output("echo flushed >/root/flushed; sync; echo not >/root/not")
            guest.kill()
            guest.start()
            self.assertEqual("flushed", guest.output("cat /root/flushed"))
            self.assertEqual("", guest.run("cat /root/not").stdout)


if __name__ == "__main__":
    unittest.main()
