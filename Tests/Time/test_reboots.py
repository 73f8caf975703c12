"""Days of several boots, of which some never know the time: what lies between two trusted times of one day is dated."""

import unittest

from harness.scenario import MIDNIGHT, STEPS_A_MINUTE, Scenario, date, seconds_between, usual
from harness.world import DAY, HOUR, MINUTE, SECOND, at

EPOCH = at("1970-01-01T00:00:20")
# Steps that a walk may lose where a reboot cuts it: a rhythm has to begin anew.
CUT = 70


class RebootTests(Scenario):
    def test_rebooted_at_six_with_a_wrong_clock(self):
        """And again after a while; that boot becomes right after two minutes."""
        for wall, lasting in ((MIDNIGHT - 3 * DAY + 18 * HOUR, 2 * HOUR), (EPOCH, MINUTE)):
            with self.subTest(wall=wall):
                world = self.world()
                world.live_until(MIDNIGHT + 18 * HOUR)
                world.reboot(wall=wall, is_synchronised=False)
                world.live(lasting)
                self.check_untrusted(world)
                world.reboot(wall=wall, is_synchronised=False)
                world.live(2 * MINUTE)
                self.check_untrusted(world)
                world.correct_clock()
                self.upload_at(world, 1)
                self.check_steps(world, date(0), lost=CUT)
                self.check_minutes(world, date(0))
                self.check_dates(world, date(0))
                self.check_time(world)

    def test_a_boot_without_time_over_midnight(self):
        world = self.world()
        world.live_until(MIDNIGHT + 21 * HOUR)
        world.reboot(wall=EPOCH, is_synchronised=False)
        world.live(8 * HOUR)
        world.reboot()
        self.upload_at(world, 1, 6 * HOUR)
        self.upload_at(world, 2)
        self.check_steps(world, date(0), date(1))
        self.check_dates(world, date(0), date(1))
        # The quarter in which midnight was may be of either day.
        self.check_time(world, undatedQuarters=world.time()["undatedQuarters"])
        self.assertLessEqual(world.time()["undatedQuarters"], 2)


class NoNetworkTests(Scenario):
    def test_three_days_of_which_the_device_is_off_for_half(self):
        """What is between the trusted times may be of several days: it is counted, and in no record."""
        world = self.world()
        world.live_until(MIDNIGHT + 12 * HOUR)
        hours_on = 0
        for _ in range(3):
            world.reboot(wall=world.clocks.wall, is_synchronised=False, off=12 * HOUR)
            world.live(6 * HOUR)
            hours_on += 6
            self.check_untrusted(world)
            world.reboot(wall=world.clocks.wall, is_synchronised=False, off=SECOND)
            world.live(6 * HOUR)
            hours_on += 6
            self.check_untrusted(world)
        # Noon of the fourth day.
        world.reboot()
        self.upload_at(world, 4)
        self.check_dates(world, date(0), date(3))
        self.check_steps(world, date(0), truth=world.true_steps((MIDNIGHT, MIDNIGHT + 12 * HOUR)))
        self.check_steps(world, date(3), truth=world.true_steps((MIDNIGHT + 84 * HOUR, MIDNIGHT + 4 * DAY)), lost=CUT)
        time = world.time()
        self.assertAlmostEqual(time["undatedQuarters"], 4 * hours_on, delta=6)
        self.check_time(world, undatedQuarters=time["undatedQuarters"], undatedEvents=time["undatedEvents"])


class UninterruptedTests(Scenario):
    """What is not taken for uninterrupted over a boot."""

    #: What the clock of the next boot is, and whether it is set right soon.
    MORNINGS = {
        "a saved clock": ({"is_synchronised": False}, False),
        "a saved clock that is soon right": ({"is_synchronised": False}, True),
        "a clock that is right": ({"wall": None}, True),
        "a hardware clock": ({"wall": None, "is_synchronised": False}, False),
    }

    def test_hours_without_power_end_a_stretch(self):
        """Sits for 80 minutes, is off, and sits again from 08:00 of the next morning."""
        for name, (clock, is_corrected) in self.MORNINGS.items():
            with self.subTest(name):
                hardware = name == "a hardware clock"
                config = "[time]\ntrust = hardware-clock\n" if hardware else ""
                world = self.world(config=config, is_synchronised=not hardware)
                # Sits from 13:07 to 14:52 or so.
                world.live_until(MIDNIGHT + 14 * HOUR + 25 * MINUTE)
                self.assertEqual(world.events(), [])
                world.cut_power()
                world.boot(MIDNIGHT + DAY + 8 * HOUR, **{"wall": world.clocks.wall + 10 * SECOND, **clock})
                world.start()
                world.live(10 * MINUTE)
                if is_corrected:
                    world.correct_clock()
                for length in (30 * MINUTE, 10 * MINUTE):
                    world.live(length)
                    world.upload()
                    self.assertEqual(world.events(), [])
                    world.correct_clock()
                self.assertEqual(world.time()["waitingEvents"], 0)

    def test_a_short_gap_that_both_clocks_show_keeps_a_stretch(self):
        world = self.world()
        world.live_until(MIDNIGHT + 14 * HOUR + 25 * MINUTE)
        world.reboot(off=MINUTE)
        world.live_until(MIDNIGHT + 15 * HOUR)
        world.upload()
        self.assertEqual(len(world.events()), 1)


class SittingTests(Scenario):
    """Sitting that was still undecided when the power went: what is broken off before an hour is sitting."""

    def test_off_while_sitting(self):
        """After more than an hour in a chair, for a moment, for hours, and until the wearer sleeps."""
        for off, on_again_at in ((30 * SECOND, 14 * HOUR + 30 * MINUTE), (4 * HOUR + 30 * MINUTE, 19 * HOUR), (12 * HOUR, DAY)):
            with self.subTest(off=off // SECOND):
                world = self.world()
                world.live_until(MIDNIGHT + 14 * HOUR + 30 * MINUTE)
                world.reboot(off=off)
                world.live_until(MIDNIGHT + DAY + 8 * HOUR)
                world.upload()
                # From the quarter on in which it collects again.
                on = [(MIDNIGHT, MIDNIGHT + 14 * HOUR + 30 * MINUTE), (MIDNIGHT + on_again_at, MIDNIGHT + DAY)]
                self.check_minutes_of(world, date(0), *on, delta=15)


class KillTests(Scenario):
    def test_a_day_with_24_kills_keeps_minutes_events_and_steps(self):
        world = self.world()
        for hour in range(24):
            world.live_until(MIDNIGHT + hour * HOUR + 40 * MINUTE)
            world.cut_power()
            world.start()
        self.upload_at(world, 1)
        self.check_steps(world, date(0), lost=24 * STEPS_A_MINUTE)
        self.check_minutes(world, date(0), delta=15)
        # The long sitting before 14:47 is told once. Windows come at other times after a kill, so a sitting that is hardly long may be
        # or may not.
        usually = min(event["timestamp"] for event in usual()[1])
        close = [event for event in world.events() if seconds_between(event["timestamp"], usually) <= 600]
        self.assertEqual(len(close), 1, world.events())


if __name__ == "__main__":
    unittest.main()
