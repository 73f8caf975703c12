"""Reports of the paired phone, put into a real folder while the daemon lives, is killed, and is started again."""

import json
import os
import pathlib
import random
import shutil
import tempfile
import unittest

from harness.scenario import MIDNIGHT, Scenario, date
from harness.world import DAY, HOUR, MINUTE, SECOND, shown


class ReportTest(Scenario):
    def setUp(self):
        self.inbox = pathlib.Path(tempfile.mkdtemp(prefix="anicca-inbox-"))
        self.addCleanup(shutil.rmtree, self.inbox)
        self.count = 0

    def phone(self, **arguments):
        return self.world(domains=("screenTime",), config=f"[companion]\ninbox = {self.inbox}\n", **arguments)

    def put(self, end, minutes, name=None):
        """As a bridge does: under a hidden name first."""
        self.count += 1
        name = name or f"{self.count}.json"
        text = json.dumps({"type": "sns", "timestamp": shown(end), "minutes": minutes, "apps": ["secret"]})
        (self.inbox / f".{name}").write_text(text, encoding="utf-8")
        os.rename(self.inbox / f".{name}", self.inbox / name)

    def waiting(self):
        return sorted(path.name for path in self.inbox.iterdir() if path.is_file())

    def test_no_kill_loses_a_report_or_counts_one_twice(self):
        self.live_with_kills(random.randrange(1 << 32))

    def test_no_kill_loses_a_report_that_is_read_when_a_commit_is_due(self):
        """Days on which a commit deleted a report's file before the report was in it, and a kill followed."""
        for seed in (4234662474, 3717268892):
            self.live_with_kills(seed)

    def live_with_kills(self, seed):
        chance = random.Random(seed)
        world = self.phone()
        used = set()
        for minute in range(10, 20 * 60, 7):
            world.live_until(MIDNIGHT + minute * MINUTE)
            length = chance.choice((0, 1, 2, 5))
            self.put(MIDNIGHT + minute * MINUTE, length)
            used.update(range(minute - length, minute))
            if chance.random() < 0.3:
                # Once more, and some of what was said before.
                self.put(MIDNIGHT + minute * MINUTE, length)
            match chance.randrange(6):
                case 0:
                    world.cut_power()
                    world.start()
                case 1:
                    world.live(chance.randrange(1, 90) * SECOND)
                    world.cut_power()
                    world.start()
                case 2:
                    world.reboot(abruptly=True)
                case 3:
                    world.reload()
        world.live(2 * MINUTE)
        self.assertEqual(self.waiting(), [], f"seed {seed}")
        self.upload_at(world, 1)
        self.assertEqual(world.records()[date(0)]["snsMinutesTotal"], len(used), f"seed {seed}")
        thresholds = sorted(event["eventPayload"]["thresholdMinutes"] for event in world.events())
        self.assertEqual(thresholds, [minutes for minutes in (30, 60) if len(used) >= minutes], f"seed {seed}")
        world.cut_power()

    def test_what_waits_for_the_time_counts_once_it_is_known(self):
        world = self.phone(wall=0, is_synchronised=False)
        world.live(2 * HOUR)
        for hour in (0.5, 1, 1.5):
            self.put(MIDNIGHT + int(hour * HOUR), 15)
        self.put(MIDNIGHT + 30 * DAY, 15, "tomorrow.json")
        world.live(HOUR)
        self.assertEqual(len(self.waiting()), 4, "nobody can tell its date yet")
        world.cut_power()
        world.start()
        world.correct_clock()
        world.live(15 * MINUTE)
        self.assertEqual(self.waiting(), [])
        self.assertIn("of the future", world.log)
        self.upload_at(world, 1)
        self.assertEqual(world.records()[date(0)]["snsMinutesTotal"], 45)

    def test_midnight_arms_the_thresholds_again_and_cuts_exactly(self):
        world = self.phone()
        world.live_until(MIDNIGHT + DAY + 20 * MINUTE)
        self.put(MIDNIGHT + DAY + 20 * MINUTE, 60)
        world.live_until(MIDNIGHT + DAY + 60 * MINUTE)
        self.put(MIDNIGHT + DAY + 60 * MINUTE, 40)
        self.upload_at(world, 2)
        records = world.records()
        self.assertEqual([records[date(day)]["snsMinutesTotal"] for day in (0, 1)], [40, 60])
        events = sorted((event["timestamp"], event["eventPayload"]["thresholdMinutes"]) for event in world.events())
        self.assertEqual(
            [(time[:16], minutes) for time, minutes in events],
            [(f"{date(0)}T23:50", 30), (f"{date(1)}T00:30", 30), (f"{date(1)}T01:00", 60)])

    def test_off_nothing_is_read_and_nothing_of_it_counts_later(self):
        world = self.phone()
        world.live_until(MIDNIGHT + 9 * HOUR)
        self.put(MIDNIGHT + 9 * HOUR, 20)
        world.live(2 * MINUTE)
        world.turn("screenTime", "off")
        world.live(HOUR)
        self.put(MIDNIGHT + 10 * HOUR, 30)
        world.live(HOUR)
        self.assertEqual(len(self.waiting()), 1)
        world.turn("screenTime", "on")
        world.live(HOUR)
        self.assertEqual(self.waiting(), [])
        self.put(world.true, 25)
        self.upload_at(world, 1)
        self.assertEqual(world.records()[date(0)]["snsMinutesTotal"], 25, "the first went with its toggle")
        self.assertEqual(world.events(), [])

    def test_a_hostile_folder_does_no_harm(self):
        world = self.phone()
        world.live_until(MIDNIGHT + 9 * HOUR)
        outside = self.inbox.parent / f"{self.inbox.name}-outside"
        outside.write_text("{}", encoding="utf-8")
        self.addCleanup(outside.unlink)
        os.mkfifo(self.inbox / "fifo.json")
        os.symlink(outside, self.inbox / "link.json")
        os.symlink("/dev/zero", self.inbox / "zero.json")
        with open(self.inbox / "huge.json", "wb") as huge:
            huge.truncate(2 << 30)
        (self.inbox / "folder.json").mkdir()
        (self.inbox / "name\n\x1b[31m.json").write_text("{", encoding="utf-8")
        for number in range(3000):
            (self.inbox / f"junk{number}.json").write_text("[" * 2000, encoding="utf-8")
        for number in range(2000):
            self.put(MIDNIGHT + 8 * HOUR + number * SECOND, 1)
        for end in (-9 * HOUR, 30 * HOUR, -10_000 * DAY):
            self.put(MIDNIGHT + 9 * HOUR + end, 700)
        world.live(5 * MINUTE)
        self.assertEqual(self.waiting(), [])
        self.assertEqual(outside.read_text(encoding="utf-8"), "{}")
        self.assertEqual(len(list((self.inbox / "rejected").iterdir())), 20)
        self.assertLess(os.path.getsize(world.directory / "ledger.sqlite"), 1 << 20)
        lines = [line for line in world.log_path.read_text(encoding="utf-8").splitlines() if "set aside" in line]
        self.assertLess(len(lines), 10)
        self.assertNotIn("\x1b", "".join(lines))
        self.upload_at(world, 1)
        # From a minute before the first report to the last, and the evening before.
        self.assertEqual(world.records()[date(0)]["snsMinutesTotal"], 34)
        self.assertNotIn(b"secret", (world.directory / "ledger.sqlite").read_bytes())


if __name__ == "__main__":
    unittest.main()
