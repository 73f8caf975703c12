"""Clocks that nobody vouches for: wrong from the boot on, and set right in the same boot or never."""

import unittest

from harness.scenario import MIDNIGHT, Scenario, date
from harness.world import DAY, HOUR, MINUTE, at

EPOCH = at("1970-01-01T00:00:20")
BUILD_DATE = at("2024-11-19T14:10:00")
FUTURE = at("2030-01-01T00:00:00")
ROLLED_OVER = 1024 * 7 * DAY


class CorrectedTests(Scenario):
    """The ordinary board: wrong at boot, and right later in the same boot."""

    #: What the clock shows at boot, when it is set right, and on the night after which day the record is taken.
    CORRECTED = {
        "1970, after ten minutes": (EPOCH, 10 * MINUTE, 1),
        "1970, after fifteen hours": (EPOCH, 15 * HOUR, 1),
        "the build date, after nine hours": (BUILD_DATE, 9 * HOUR, 1),
        "a saved time, after midnight": (MIDNIGHT - 2 * HOUR, DAY + 90 * MINUTE, 1),
        "a saved time, after two days": (MIDNIGHT - 2 * HOUR, DAY + 20 * HOUR, 2),
        "fifteen years ahead, after a day": (MIDNIGHT + 15 * 365 * DAY, DAY + HOUR, 1),
    }

    def test_a_clock_that_is_wrong_at_boot_and_set_right_later(self):
        for name, (wall, after, day) in self.CORRECTED.items():
            with self.subTest(name):
                world = self.world(wall=wall, is_synchronised=False)
                for part in (after // 2, after):
                    world.live_until(MIDNIGHT + part)
                    self.check_untrusted(world)
                    self.assertEqual(world.history(), {})
                world.correct_clock()
                if day == 1:
                    self.check_usual_day(world)
                    continue
                self.upload_at(world, day)
                # Without midnight's wake-up windows come at other times, and a walk may be judged in another way.
                self.check_steps(world, date(0), date(1), lost=400)
                self.check_minutes(world, date(0), date(1))
                self.check_dates(world, date(0), date(1))
                self.check_time(world)

    def test_a_clock_that_was_right_once_in_the_boot_may_be_set_to_anything_afterwards(self):
        world = self.world()
        world.live_until(MIDNIGHT + 10 * HOUR)
        world.clocks.is_synchronised = False
        for hour, wall in ((11, FUTURE), (14, EPOCH), (18, MIDNIGHT + 4 * DAY), (21, MIDNIGHT - 3 * DAY)):
            world.clocks.wall = wall
            world.live_until(MIDNIGHT + hour * HOUR)
            self.assertEqual(world.upload()["dropped"], 0)
        self.check_usual_day(world)


class WholeBootTests(Scenario):
    """Boots that never know the time."""

    def test_a_boot_in_2030_deletes_drops_sends_and_dates_nothing(self):
        """Five days wait for the network. Then comes a boot in 2030 that lasts a day, and a boot with a right clock."""
        world = self.world()
        world.live_until(MIDNIGHT + 5 * DAY + HOUR)
        waiting = world.history()
        self.assertEqual([day["delivery"] for day in waiting.values()], ["queued"] * 5)
        events_before = world.ask("status")["delivery"]["queuedEvents"]
        world.reboot(wall=FUTURE, is_synchronised=False)
        for _ in range(6):
            world.live(4 * HOUR)
            time = self.check_untrusted(world)
            self.assertEqual(world.history(), waiting)
        self.assertGreater(time["waitingQuarters"], 90)
        self.assertEqual(world.records(), {})
        world.reboot()
        # At four o'clock six days are due: all are younger than a week.
        self.assertEqual(self.upload_at(world, 6, 4 * HOUR)["deliveredDays"], 6)
        self.assertEqual(world.upload()["deliveredDays"], 0)
        self.check_dates(world, *map(date, range(6)))
        self.check_steps(world, *map(date, range(6)), lost=70)
        # The days of that boot are known, but not the moments of its events.
        events = world.time()["undatedEvents"]
        self.assertEqual(len(world.events()) + events, events_before + events)
        self.check_time(world, undatedEvents=events)

    def test_a_clock_of_a_week_number_that_rolled_over_is_believed_in_no_boot(self):
        """Its kernel calls it synchronised, for more than a day in all. Nothing is dropped, and nothing of 2044 is sent."""
        world = self.world(config="[delivery]\nkeep-undelivered = 3d\n")
        world.live_until(MIDNIGHT + 2 * DAY + HOUR)
        waiting = world.history()
        self.assertEqual([day["delivery"] for day in waiting.values()], ["queued"] * 2)
        for _ in range(3):
            world.reboot(wall=world.true + ROLLED_OVER)
            world.live(9 * HOUR)
            self.check_untrusted(world)
            self.assertEqual(world.history(), waiting)
        world.reboot()
        self.assertEqual(self.upload_at(world, 3, 5 * HOUR)["dropped"], 0)
        self.check_dates(world, *map(date, range(3)))

    def test_a_board_that_is_switched_off_every_night_drops_what_is_too_old(self):
        world = self.world(config="[delivery]\nkeep-undelivered = 3d\n")
        for day in range(5):
            world.live_until(MIDNIGHT + day * DAY + 16 * HOUR)
            world.reboot(off=8 * HOUR)
            world.live(MINUTE)
        history = world.history()
        self.assertEqual((history[date(0)].get("delivery"), history[date(3)].get("delivery")), (None, "queued"))

    def test_the_first_boot_of_all_stays_undated(self):
        """Nothing tells when it was: it is in no record, and counted."""
        world = self.world(wall=EPOCH, is_synchronised=False)
        world.live_until(MIDNIGHT + 15 * HOUR)
        self.check_untrusted(world)
        self.assertEqual(world.time()["waitingEvents"], 1)
        world.reboot()
        self.upload_at(world, 1)
        self.check_steps(world, date(0), truth=world.true_steps((MIDNIGHT + 15 * HOUR, MIDNIGHT + DAY)))
        time = world.time()
        self.assertAlmostEqual(time["undatedQuarters"], 15 * 4, delta=1)
        self.check_time(world, undatedQuarters=time["undatedQuarters"], undatedEvents=1)
        self.assertTrue(all(event["timestamp"] > f"{date(0)}T15" for event in world.events()))
        # It stays so.
        world.live(5 * HOUR)
        world.upload()
        self.check_time(world, undatedQuarters=time["undatedQuarters"], undatedEvents=1)


if __name__ == "__main__":
    unittest.main()
