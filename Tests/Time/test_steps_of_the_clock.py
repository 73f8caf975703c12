"""A trusted clock that lies or steps: what was not sent follows it, and what was sent is never sent again."""

import unittest

from harness.scenario import MIDNIGHT, Scenario, date, usual
from harness.world import DAY, HOUR, MINUTE, SECOND

YEARS = 15 * 365 * DAY  # Within those that are believed.


class StepTests(Scenario):
    def jumped(self, at, ahead, lasting, uploads, trusted=True):
        """The clock jumps at an hour of the first day, and back after a while."""
        world = self.world()
        world.live_until(MIDNIGHT + at)
        world.clocks.wall += ahead
        world.clocks.is_synchronised = trusted
        world.live(lasting // 2)
        if uploads:
            world.upload()
        world.live(lasting - lasting // 2)
        if uploads:
            world.upload()
        world.correct_clock()
        self.upload_at(world, 1)
        return world

    def test_a_clock_that_steps_and_comes_back_moves_nothing(self):
        """To the date and, forward, to the second; backwards an event may have been told by the clock that lied."""
        for at_hour, ahead, lasting, uploads, trusted in (
            (15, DAY, 10 * MINUTE, True, False), (15, DAY, 10 * MINUTE, False, True), (15, DAY, 10 * MINUTE, True, True),
            # Past midnight but not to the hour at which days are sent, and past that without an uploader.
            (12, 13 * HOUR, HOUR, True, True), (12, 16 * HOUR, 2 * HOUR, False, True),
            (14, -5 * HOUR, 2 * HOUR, False, True), (14, -20 * HOUR, 2 * HOUR, False, True), (14, -20 * HOUR, 2 * HOUR, True, True),
            # To before any such device existed: nobody believes that.
            (14, -10 * 365 * DAY, HOUR, True, True),
        ):
            with self.subTest(ahead=ahead // HOUR, uploads=uploads, trusted=trusted):
                world = self.jumped(at_hour * HOUR, ahead, lasting, uploads, trusted)
                self.check_as_usual(world, with_events=not -DAY < ahead < 0)
                self.check_time(world)

    def test_ahead_past_the_hour_at_which_days_are_sent_with_an_uploader(self):
        """The record of the day goes out with what the clock dated to it. The rest comes late, and is neither lost silently nor sent."""
        world = self.jumped(12 * HOUR, 16 * HOUR, 2 * HOUR, uploads=True)
        self.assertEqual(sorted(world.records()), [date(0)])
        self.check_steps(world, date(0), truth=world.true_steps((MIDNIGHT, MIDNIGHT + 8 * HOUR)))
        self.check_late(world, 16 * 4)
        self.upload_at(world, 2)
        self.check_dates(world, date(0), date(1))
        self.check_steps(world, date(1))

    def test_back_by_hours_with_an_uploader_that_finds_a_day_before(self):
        """The first hours go out under the date of the day before. They are not sent again, and no step of the day is missing."""
        world = self.jumped(14 * HOUR, -5 * HOUR, 2 * HOUR, uploads=True)
        self.check_dates(world, date(-1), date(0))
        self.assertEqual(world.records()[date(-1)]["steps"], 0)
        self.check_steps(world, date(0))
        self.check_time(world)

    def test_an_event_that_was_not_sent_follows_the_clock(self):
        for ahead in (-5 * HOUR, 10 * DAY, YEARS):
            with self.subTest(ahead=ahead):
                world = self.jumped(14 * HOUR, ahead, HOUR, uploads=False)
                self.check_events(world.events(), [e for e in usual()[1] if e["timestamp"][:10] == date(0)])

    def test_set_right_it_holds_events_for_a_minute_and_after_more_than_a_day_for_an_hour(self):
        for behind, held in ((70 * SECOND, 0), (DAY - MINUTE, 0), (DAY + 10 * MINUTE, 50 * MINUTE)):
            with self.subTest(behind=behind // MINUTE):
                world = self.world(wall=MIDNIGHT - behind)
                world.live_until(MIDNIGHT + 15 * HOUR)
                world.correct_clock()
                world.live(2 * SECOND)
                self.assertEqual((world.upload()["end"], world.events()), ("timeUnknown", []))
                world.live(held)
                if held:
                    self.assertEqual((world.upload()["end"], world.events()), ("timeUnknown", []))
                world.live(15 * MINUTE)
                world.upload()
                self.assertEqual(len(world.events()), 1)

    def test_back_by_a_day_after_the_day_was_sent(self):
        world = self.world()
        self.upload_at(world, 1)
        world.live_until(MIDNIGHT + DAY + 10 * HOUR)
        world.clocks.wall -= DAY
        for _ in range(3):
            world.live(HOUR)
            world.upload()
        world.correct_clock()
        self.upload_at(world, 2)
        self.check_as_usual(world, days=2)
        self.check_time(world)

    def test_steps_of_seconds_around_midnight(self):
        world = self.world()
        world.live_until(MIDNIGHT + DAY - 10 * MINUTE)
        for number in range(20):
            world.live(MINUTE)
            world.clocks.wall = world.true + (-1) ** number * number * 5 * SECOND
        world.correct_clock()
        self.upload_at(world, 1)
        self.upload_at(world, 2)
        self.check_as_usual(world, days=2)
        self.check_time(world)

    def test_ahead_by_three_days_for_a_day_that_is_sent(self):
        """Its record goes out under the wrong date. When that day comes it is counted as late, and not sent a second time."""
        world = self.world(wall=MIDNIGHT + 3 * DAY)
        self.upload_at(world, 1)
        self.assertEqual(sorted(world.records()), [date(3)])
        world.correct_clock()
        sent = world.records()[date(3)]
        for day in (2, 3, 4):
            self.upload_at(world, day)
        self.assertEqual(world.records()[date(3)], sent)
        self.check_dates(world, date(1), date(2), date(3))
        self.check_steps(world, date(1), date(2))
        self.check_late(world, 24 * 4)

    def test_ahead_by_years_for_a_day_without_an_uploader(self):
        world = self.world(wall=MIDNIGHT + YEARS)
        world.live_until(MIDNIGHT + DAY + HOUR)
        world.correct_clock()
        self.check_usual_day(world, with_events=False)

    def test_ahead_by_years_for_ten_minutes_keeps_what_an_earlier_boot_of_the_day_collected(self):
        world = self.world()
        world.live_until(MIDNIGHT + 12 * HOUR)
        world.reboot()
        world.live(2 * HOUR)
        world.clocks.wall += YEARS
        world.live(10 * MINUTE)
        world.correct_clock()
        self.upload_at(world, 1)
        self.check_steps(world, date(0), lost=50)
        self.check_time(world)


class LiesThatDeleteNothing(Scenario):
    """A day that was delivered and one that waits, and then a trusted clock that lies."""

    def device(self):
        world = self.world()
        self.upload_at(world, 1)
        world.live_until(MIDNIGHT + 2 * DAY + 2 * HOUR)
        self.history = world.history()
        self.assertEqual(sorted(self.history), [date(0), date(1)])
        return world

    def check_kept(self, world):
        kept = world.history()
        for name in (date(0), date(1)):
            self.assertEqual(kept[name]["steps"], self.history[name]["steps"], name)

    def test_of_two_boots_in_a_row(self):
        world = self.device()
        for _ in range(2):
            world.reboot(wall=world.true + YEARS)
            world.live(15 * MINUTE)
            self.check_kept(world)
        self.assertEqual(world.upload()["dropped"], 0)

    def test_that_is_stepped_by_seconds(self):
        world = self.device()
        world.clocks.wall += YEARS
        world.live(10 * MINUTE)
        world.clocks.wall += 5 * SECOND
        world.live(15 * MINUTE)
        self.assertEqual(world.upload()["end"], "timeUnknown")
        world.correct_clock()
        world.live(10 * MINUTE)
        self.check_kept(world)
        self.upload_at(world, 2)
        self.check_steps(world, date(1))

    def test_that_the_uploader_sees_first(self):
        world = self.device()
        world.shut_down()
        world.boot(world.true + 30 * SECOND, wall=world.true + YEARS)
        self.assertEqual(world.upload()["dropped"], 0)


class BootsThatContradictEachOther(Scenario):
    """A clock that is trusted and wrong for a whole boot, and right in the next, which then begins before the other ended."""

    def test_a_boot_a_day_ahead_is_not_added_to_the_next_day(self):
        world = self.world(wall=MIDNIGHT + DAY)
        world.live_until(MIDNIGHT + DAY + HOUR)
        world.reboot()
        self.upload_at(world, 2)
        self.check_steps(world, date(1))

    def test_hours_of_a_boot_a_day_behind_make_no_record_of_the_day_before(self):
        world = self.world()
        world.live_until(MIDNIGHT + 12 * HOUR)
        world.reboot(wall=world.true - DAY)
        world.live(3 * HOUR)
        world.upload()
        world.reboot()
        self.upload_at(world, 1)
        self.assertEqual(sorted(world.records()), [date(0)])


if __name__ == "__main__":
    unittest.main()
