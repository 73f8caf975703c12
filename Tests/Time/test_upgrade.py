"""A store of the version before, which put everything to a day at once and knew no quarters, taken over in the middle of a day.

`store-before-quarters.tar.xz` is what that version left of the typical wearer at 15:00 of the first day, under a clock that was right.
"""

import pathlib
import unittest

from harness.scenario import MIDNIGHT, Scenario, date
from harness.world import HOUR, MINUTE, World, at

ARCHIVE = pathlib.Path(__file__).with_name("store-before-quarters.tar.xz")


class UpgradeTests(Scenario):
    def upgraded(self, true=MIDNIGHT + 15 * HOUR + MINUTE, wall=None, is_synchronised=True, wearer="typical"):
        world = World(wearer=wearer)
        self.enterContext(world)
        world.take_over(ARCHIVE)
        world.boot(true, wall, is_synchronised)
        world.start()
        world.live(5 * MINUTE)
        return world

    def test_the_day_is_one_by_any_clock(self):
        """By one that is right, wrong or long past at first."""
        for wall in (None, MIDNIGHT + 15 * HOUR - MINUTE, MIDNIGHT - 9 * HOUR, at("2030-01-01T00:00:00"), at("1970-01-01T00:00:20")):
            with self.subTest(wall=wall):
                world = self.upgraded(wall=wall, is_synchronised=wall is None)
                status = world.ask("status")
                if wall is None:
                    self.assertEqual((status["today"]["date"], status["toggles"]["steps"]["on"]), (date(0), True))
                else:
                    world.live(2 * HOUR)
                    self.check_untrusted(world)
                    world.correct_clock()
                self.upload_at(world, 1)
                self.upload_at(world, 2)
                self.check_dates(world, date(0), date(1))
                self.check_steps(world, date(0), date(1), lost=100)
                self.check_minutes(world, date(0), date(1))
                self.check_time(world)

    def test_a_day_that_is_not_worn_after_the_upgrade_keeps_its_minutes(self):
        world = self.upgraded(wearer="resting")
        self.upload_at(world, 1)
        self.assertGreater(world.records()[date(0)].get("sedentaryMinutes", 0), 300)


if __name__ == "__main__":
    unittest.main()
