"""The programs as they ship, under clocks that a test sets: what arrives, against the truth about the simulated wearer."""

import unittest

from scenario import MIDNIGHT, MISSING_STEPS, NIGHT, STEPS_A_MINUTE, Scenario, begin, date
from world import DAY, HOUR, MINUTE, SECOND, World


class TimeTests(Scenario):
    def test_days_by_a_clock_that_is_right_arrive_as_they_were(self):
        world = self.world()
        for day in range(1, 3):
            world.live_until(MIDNIGHT + day * DAY + NIGHT)
            self.assertEqual(world.upload()["deliveredDays"], 1)
        self.assertEqual(list(world.records()), [date(0), date(1)])
        self.check_steps(world, date(0), date(1))
        self.check_minutes(world, date(0), date(1))
        self.check_time(world)
        self.assertEqual(len(world.events()), 2, "one long sitting a day")

    def test_a_day_in_one_boot_gives_the_same_record_every_time(self):
        records = []
        for _ in range(2):
            with World(days=2) as world:
                begin(world)
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
        self.check_steps(world, date(0))

    def test_kills_lose_a_minute_of_steps_each_at_most(self):
        world = self.world()
        for hour in range(1, 24):
            world.live_until(MIDNIGHT + hour * HOUR + 20 * MINUTE)
            world.cut_power()
            world.start()
        world.live_until(MIDNIGHT + DAY + NIGHT)
        world.upload()
        steps, truth = world.records()[date(0)]["steps"], world.truth()[date(0)]["steps"]
        self.assertGreaterEqual(steps, truth * (1 - MISSING_STEPS) - 23 * STEPS_A_MINUTE)
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
        self.check_steps(world, date(0))


if __name__ == "__main__":
    unittest.main()
