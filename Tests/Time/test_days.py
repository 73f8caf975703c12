"""Days by a clock that is right, at the ends of months and years, through suspend, and on a table; and what is exported of a life."""

import collections
import csv
import json
import pathlib
import tempfile
import unittest

from harness.life import Life
from harness.scenario import MIDNIGHT, NIGHT, Scenario, date, usual
from harness.world import DAY, HOUR, MINUTE, at, shown

EPOCH = at("1970-01-01T00:00:20")


class DayTests(Scenario):
    def test_days_by_a_clock_that_is_right_arrive_as_they_were_every_time(self):
        world = self.world()
        for day in (1, 2):
            self.assertEqual(self.upload_at(world, day)["deliveredDays"], 1)
        self.check_steps(world, date(0), date(1))
        self.check_minutes(world, date(0), date(1))
        self.check_time(world)
        self.assertEqual(len(world.events()), 2, "one long sitting a day")
        # The same days in another world.
        self.assertEqual((world.records(), world.events()), usual())

    def test_a_leap_day_and_the_end_of_a_year(self):
        """Three days from the first on; the clock is in 1970 until the morning of the third."""
        for dates in (("2028-02-28", "2028-02-29", "2028-03-01"), ("2025-12-31", "2026-01-01", "2026-01-02")):
            with self.subTest(dates[0]):
                start = at(f"{dates[0]}T00:00:00")
                world = self.world(true=start, wall=EPOCH, is_synchronised=False, first_day=dates[0])
                world.live_until(start + 2 * DAY + 5 * HOUR)
                self.check_untrusted(world)
                world.correct_clock()
                world.live(10 * MINUTE)
                self.assertEqual(world.upload()["deliveredDays"], 2)
                world.live_until(start + 3 * DAY + NIGHT)
                world.upload()
                self.check_dates(world, *dates)
                self.check_steps(world, *dates)
                self.check_minutes(world, *dates)
                self.check_time(world)

    def test_suspended_for_hours_while_the_time_is_unknown(self):
        world = self.world(wall=EPOCH, is_synchronised=False)
        world.live_until(MIDNIGHT + 9 * HOUR)
        for _ in range(2):
            world.clocks.suspended += 2 * HOUR
            world.clocks.limit += 2 * HOUR
            world.clocks.boot += 2 * HOUR
            world.live(90 * MINUTE)
        self.assertEqual(shown(world.true)[11:], "16:00:00Z")
        self.check_untrusted(world)
        world.correct_clock()
        self.upload_at(world, 1)
        # Pulses wait in the kernel's buffer through a suspend.
        self.check_steps(world, date(0), lost=300)
        self.check_time(world)

    def test_a_day_on_a_table_has_no_record(self):
        """Nor with kills, or with reboots, or where the time is unknown until the day is over."""
        for what, clock in (("nothing", {}), ("kills", {}), ("reboots", {}), ("no time", {"wall": EPOCH, "is_synchronised": False})):
            with self.subTest(what):
                world = self.world(wearer="resting", **clock)
                for hour in (4, 8, 16, 20):
                    world.live_until(MIDNIGHT + hour * HOUR)
                    if what == "kills":
                        world.cut_power()
                        world.start()
                    elif what == "reboots":
                        world.reboot(off=10 * MINUTE)
                world.live_until(MIDNIGHT + DAY + HOUR)
                world.correct_clock()
                for day in (1, 2):
                    self.assertEqual(self.upload_at(world, day)["deliveredDays"], 0)
                self.assertEqual((world.records(), world.events()), ({}, []))
                for day in world.history().values():
                    self.assertFalse({"steps", "sedentaryMinutes", "delivery"} & set(day), day)
                self.check_time(world)


class ExportTests(unittest.TestCase):
    """Of lives with all domains on."""

    def test_the_figures_of_a_quarter_and_of_a_night_agree(self):
        for seed in ("typical", "1", "7"):
            with self.subTest(seed), tempfile.TemporaryDirectory(prefix="anicca-life-") as directory:
                self.check(pathlib.Path(directory), Life(pathlib.Path(directory), seed, 5))

    def check(self, directory, life):
        life.do("anicca", "export", directory / "mine", "--open-mhealth")
        quarters = collections.defaultdict(lambda: collections.defaultdict(float))
        with open(directory / "mine/quarters.csv", encoding="utf-8", newline="") as table:
            for row in csv.DictReader(table):
                for column, text in row.items():
                    if column.endswith(" [min]") and text:
                        quarters[row["boot"], row["began [UTC]"]][column.split()[0]] += float(text)
        for key, figures in quarters.items():
            self.assertLessEqual(figures["asleepMinutes"] + figures["sedentaryMinutes"], 15.01, key)
        nights = [figures["sleepDurationMin"] for figures in quarters.values() if figures["sleepDurationMin"]]
        self.assertGreaterEqual(len(nights), 3, "there was sleep to tell from sitting")
        # To each sleep its minutes: its beginning is found from them.
        points = json.loads((directory / "mine/ieee-sleep.json").read_text(encoding="utf-8"))
        told = [point["body"]["total_sleep_time"]["value"] for point in points if "total_sleep_time" in point["body"]]
        self.assertEqual(told, nights)
        asleep = sum(figures["asleepMinutes"] for figures in quarters.values())
        self.assertLess(abs(asleep - sum(nights)), len(nights) + 1)


if __name__ == "__main__":
    unittest.main()
