"""Days at the ends of months and years, and a device that is suspended."""

import unittest

from scenario import NIGHT, Scenario, date
from world import DAY, HOUR, MINUTE, at, shown

EPOCH = at("1970-01-01T00:00:20")


class CalendarTests(Scenario):
    def without_a_time_over(self, first_day, dates):
        """Three days from the first on; the clock is in 1970 until the morning of the third."""
        start = at(f"{first_day}T00:00:00")
        world = self.world(true=start, wall=EPOCH, is_synchronised=False, first_day=first_day)
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

    def test_a_leap_day(self):
        self.without_a_time_over("2028-02-28", ["2028-02-28", "2028-02-29", "2028-03-01"])

    def test_the_end_of_a_year(self):
        self.without_a_time_over("2025-12-31", ["2025-12-31", "2026-01-01", "2026-01-02"])

    def test_suspended_for_hours_while_the_time_is_unknown(self):
        start = at("2025-01-13T00:00:00")
        world = self.world(wall=EPOCH, is_synchronised=False)
        world.live_until(start + 9 * HOUR)
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


if __name__ == "__main__":
    unittest.main()
