"""The programs as they ship, under clocks that a test sets: what arrives, against the truth about the simulated wearer."""

import unittest

from world import DAY, HOUR, MINUTE, SECOND, World, at

FIRST = "2025-01-13"
SECOND_DAY = "2025-01-14"
MIDNIGHT = at("2025-01-13T00:00:00")
# When the timer has certainly fired.
NIGHT = 3 * HOUR + 45 * MINUTE
# The share of steps that may be missing: pulses outside a rhythm, as at the ends of a walk.
MISSING_STEPS = 0.01
# How far sedentaryMinutes may be off: no interrupt tells here when a sitting begins and ends.
MINUTES = 30


class TimeTests(unittest.TestCase):
    def world(self, **options):
        world = World(**options)
        self.enterContext(world)
        world.boot(MIDNIGHT)
        world.start()
        world.turn("motion", "on")
        world.turn("steps", "on")
        return world

    def check_steps(self, world, date):
        steps, truth = world.records()[date]["steps"], world.truth()[date]["steps"]
        self.assertLessEqual(steps, truth)
        self.assertGreaterEqual(steps, truth * (1 - MISSING_STEPS))

    def check_minutes(self, world, date):
        truth = world.truth()[date]["sedentarySeconds"] / 60
        self.assertAlmostEqual(world.records()[date]["sedentaryMinutes"], truth, delta=MINUTES)

    def test_days_by_a_clock_that_is_right_arrive_as_they_were(self):
        world = self.world()
        for day in range(1, 3):
            world.live_until(MIDNIGHT + day * DAY + NIGHT)
            self.assertEqual(world.upload()["deliveredDays"], 1)
        self.assertEqual(list(world.records()), [FIRST, SECOND_DAY])
        for date in (FIRST, SECOND_DAY):
            self.check_steps(world, date)
            self.check_minutes(world, date)
        self.assertEqual(len(world.events()), 4)

    def test_a_day_in_one_boot_gives_the_same_record_every_time(self):
        records = []
        for _ in range(2):
            with World(days=2) as world:
                world.boot(MIDNIGHT)
                world.start()
                world.turn("motion", "on")
                world.turn("steps", "on")
                world.live_until(MIDNIGHT + DAY + NIGHT)
                world.upload()
                records.append((world.records(), world.events()))
        self.assertEqual(records[0], records[1])

    def test_no_step_is_lost_or_doubled_by_reboots_with_a_clock_that_is_right(self):
        world = self.world()
        for hour in range(3, 24, 3):
            world.live_until(MIDNIGHT + hour * HOUR)
            world.shut_down()
            world.boot(world.true + 30 * SECOND)
            world.start()
        world.live_until(MIDNIGHT + DAY + NIGHT)
        world.upload()
        self.check_steps(world, FIRST)

    def test_kills_lose_a_minute_of_steps_each_at_most(self):
        world = self.world()
        for hour in range(1, 24):
            world.live_until(MIDNIGHT + hour * HOUR + 20 * MINUTE)
            world.cut_power()
            world.start()
        world.live_until(MIDNIGHT + DAY + NIGHT)
        world.upload()
        steps, truth = world.records()[FIRST]["steps"], world.truth()[FIRST]["steps"]
        # Walks have up to 130 steps a minute.
        self.assertGreaterEqual(steps, truth * (1 - MISSING_STEPS) - 23 * 130)
        self.assertLessEqual(steps, truth)

    def test_boot_time_goes_on_through_suspend_and_so_do_the_days(self):
        world = self.world()
        world.live_until(MIDNIGHT + 2 * HOUR)
        # Suspended for an hour of the night: nothing runs, and boot time has gone on.
        world.clocks.suspended += HOUR
        world.clocks.limit += HOUR
        world.clocks.boot += HOUR
        world.live_until(MIDNIGHT + DAY + NIGHT)
        world.upload()
        self.check_steps(world, FIRST)


if __name__ == "__main__":
    unittest.main()
