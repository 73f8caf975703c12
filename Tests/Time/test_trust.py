"""Who is believed about the time besides the kernel, and what the wearer turns off or deletes while nobody is."""

import unittest

from scenario import MIDNIGHT, Scenario, date
from world import DAY, HOUR, MINUTE, SECOND, at

EPOCH = at("1970-01-01T00:00:20")
FUTURE = at("2030-01-01T00:00:00")
HARDWARE = "[time]\ntrust = hardware-clock\n"


class VouchedTests(Scenario):
    def test_the_wearer_vouches_for_a_clock_that_the_kernel_never_calls_synchronised(self):
        world = self.world(is_synchronised=False)
        world.live_until(MIDNIGHT + 15 * HOUR)
        self.check_untrusted(world)
        world.run("anicca", "time", "confirm")
        world.live(MINUTE)
        self.check_time(world, source="wearer")
        self.upload_at(world, 1)
        self.check_as_usual(world)
        self.check_time(world, source="wearer")

    def test_what_the_wearer_says_holds_for_one_boot(self):
        world = self.world(is_synchronised=False)
        world.live_until(MIDNIGHT + 9 * HOUR)
        world.run("anicca", "time", "confirm")
        world.live(HOUR)
        world.reboot(is_synchronised=False)
        world.live(HOUR)
        self.check_untrusted(world)
        self.upload_at(world, 1)
        self.check_untrusted(world)
        world.run("anicca", "time", "confirm")
        world.live(MINUTE)
        world.upload()
        self.check_steps(world, date(0), lost=70)

    def test_what_the_wearer_says_outlives_the_daemon_and_a_clock_that_is_set(self):
        world = self.world(is_synchronised=False)
        world.live_until(MIDNIGHT + 9 * HOUR)
        world.run("anicca", "time", "confirm")
        world.cut_power()
        world.clocks.wall = FUTURE
        world.start()
        world.live(HOUR)
        self.check_time(world, source="wearer")
        self.upload_at(world, 1)
        self.check_steps(world, date(0), lost=130)
        self.check_dates(world, date(0))

    def test_the_wearer_confirms_again_after_setting_the_clock(self):
        world = self.world(wall=MIDNIGHT + 2 * DAY, is_synchronised=False)
        world.live_until(MIDNIGHT + 9 * HOUR)
        world.run("anicca", "time", "confirm")
        world.live(HOUR)
        world.clocks.wall = world.true
        world.run("anicca", "time", "confirm")
        self.upload_at(world, 1)
        self.check_as_usual(world)
        self.check_time(world, source="wearer")

    def test_a_clock_before_every_device_cannot_be_vouched_for(self):
        world = self.world(wall=EPOCH, is_synchronised=False)
        world.run("anicca", "time", "confirm", codes=(65,))
        world.live(MINUTE)
        self.check_untrusted(world)

    def test_the_kernel_outranks_the_wearer(self):
        world = self.world(wall=MIDNIGHT + 2 * DAY, is_synchronised=False)
        world.live_until(MIDNIGHT + 9 * HOUR)
        world.run("anicca", "time", "confirm")
        world.live(HOUR)
        world.correct_clock()
        self.upload_at(world, 1)
        self.check_as_usual(world)
        self.check_time(world)

    def test_a_hardware_clock_dates_every_boot_from_its_start(self):
        world = self.world(is_synchronised=False, config=HARDWARE)
        self.check_time(world, source="hardware-clock")
        world.live_until(MIDNIGHT + 11 * HOUR)
        world.reboot(is_synchronised=False)
        self.check_time(world, source="hardware-clock")
        self.upload_at(world, 1)
        self.check_steps(world, date(0), lost=70)
        self.check_dates(world, date(0))
        self.check_time(world, source="hardware-clock")

    def test_a_hardware_clock_with_an_empty_battery_is_not_believed(self):
        for wall in (EPOCH, at("2000-01-01T00:00:00")):
            with self.subTest(wall=wall):
                world = self.world(wall=wall, is_synchronised=False, config=HARDWARE)
                world.live_until(MIDNIGHT + 15 * HOUR)
                self.check_untrusted(world)
                world.correct_clock()
                self.upload_at(world, 1)
                self.check_as_usual(world)
                self.check_time(world)

    def test_a_hardware_clock_that_the_configuration_vouches_for_from_now_on(self):
        world = self.world(is_synchronised=False)
        world.live_until(MIDNIGHT + 10 * HOUR)
        self.check_untrusted(world)
        world.config.write_text(world.config.read_text(encoding="utf-8") + HARDWARE, encoding="utf-8")
        world.reload()
        world.live(5 * MINUTE)
        self.check_time(world, source="hardware-clock")
        self.upload_at(world, 1)
        self.check_steps(world, date(0))
        self.check_time(world, source="hardware-clock")

    def test_a_kernel_that_calls_a_clock_in_1970_synchronised_is_not_believed(self):
        world = self.world(wall=EPOCH)
        world.live_until(MIDNIGHT + 15 * HOUR)
        self.check_untrusted(world)
        world.correct_clock()
        self.upload_at(world, 1)
        self.check_as_usual(world)
        self.check_time(world)

    def test_a_clock_that_was_confirmed_two_minutes_ahead_leaves_no_doubt_about_the_day(self):
        world = self.world(wall=MIDNIGHT + 2 * MINUTE, is_synchronised=False)
        world.run("anicca", "time", "confirm")
        world.live_until(MIDNIGHT + 12 * HOUR)
        world.reboot(wall=EPOCH, is_synchronised=False)
        world.live(4 * HOUR)
        world.reboot()
        self.upload_at(world, 1)
        self.check_steps(world, date(0), lost=70)

    def test_hours_without_power_and_a_hardware_clock(self):
        world = self.world(is_synchronised=False, config=HARDWARE)
        world.live_until(MIDNIGHT + 14 * HOUR + 25 * MINUTE)
        world.reboot(is_synchronised=False, off=17 * HOUR + 35 * MINUTE, abruptly=True)
        world.live(40 * MINUTE)
        world.upload()
        self.assertEqual(world.events(), [])
        self.check_dates(world, date(0))


class WithdrawnTests(Scenario):
    """What was turned off or deleted is never sent, whatever the clock showed when."""

    def turned(self, before, after, on_again):
        """Steps are turned off at 13:00 by a clock, and on again at 15:00 by another; the clock is right from 16:00 on."""
        world = self.world(wall=before, is_synchronised=False)
        world.live_until(MIDNIGHT + 13 * HOUR)
        world.turn("steps", "off")
        world.live_until(MIDNIGHT + 15 * HOUR)
        world.clocks.wall = after
        if on_again:
            world.turn("steps", "on")
        world.live_until(MIDNIGHT + 16 * HOUR)
        world.correct_clock()
        self.upload_at(world, 1)
        return world

    CLOCKS = ((EPOCH, FUTURE), (FUTURE, EPOCH))

    def test_steps_turned_off(self):
        for before, after in self.CLOCKS:
            with self.subTest(before=before, after=after):
                world = self.turned(before, after, on_again=False)
                self.assertNotIn("steps", world.records()[date(0)])
                self.check_minutes(world, date(0))

    def test_steps_turned_off_and_on_again(self):
        """Only what was collected since is sent."""
        for before, after in self.CLOCKS:
            with self.subTest(before=before, after=after):
                world = self.turned(before, after, on_again=True)
                self.check_steps(world, date(0), truth=world.true_steps((MIDNIGHT + 15 * HOUR, MIDNIGHT + DAY)), lost=70)

    def test_steps_turned_off_between_a_wrong_clock_and_the_right_one(self):
        for wall in (EPOCH, FUTURE):
            with self.subTest(wall=wall):
                world = self.world(wall=wall, is_synchronised=False)
                world.live_until(MIDNIGHT + 13 * HOUR)
                world.turn("steps", "off")
                world.correct_clock()
                self.upload_at(world, 1)
                self.assertNotIn("steps", world.records()[date(0)])

    def test_steps_turned_off_in_one_boot_and_on_in_the_next(self):
        for wall in (EPOCH, FUTURE):
            with self.subTest(wall=wall):
                world = self.world()
                world.live_until(MIDNIGHT + 12 * HOUR)
                world.reboot(wall=wall, is_synchronised=False)
                world.live_until(MIDNIGHT + 13 * HOUR)
                world.turn("steps", "off")
                world.live(HOUR)
                world.reboot(wall=EPOCH, is_synchronised=False)
                world.live(HOUR)
                world.turn("steps", "on")
                world.live(HOUR)
                world.reboot()
                self.upload_at(world, 1)
                truth = world.true_steps((MIDNIGHT + 15 * HOUR, MIDNIGHT + DAY))
                self.check_steps(world, date(0), truth=truth, lost=140)

    def test_an_event_that_waits_for_its_date_when_motion_is_turned_off(self):
        for on_again in (False, True):
            with self.subTest(on_again=on_again):
                world = self.world(wall=EPOCH, is_synchronised=False)
                world.live_until(MIDNIGHT + 15 * HOUR)
                self.assertEqual(world.time()["waitingEvents"], 1)
                world.turn("motion", "off")
                if on_again:
                    world.live(5 * MINUTE)
                    world.turn("motion", "on")
                world.correct_clock()
                self.upload_at(world, 1)
                self.assertTrue(all(event["timestamp"] > f"{date(0)}T15" for event in world.events()), world.events())
                self.assertEqual(world.time()["waitingEvents"], 0)

    def test_what_is_collected_after_it_was_forgotten_is_sent(self):
        world = self.world()
        world.live_until(MIDNIGHT + 15 * HOUR)
        world.run("anicca", "forget", "steps", "--yes")
        self.upload_at(world, 1)
        self.upload_at(world, 2)
        self.check_steps(world, date(1))
        self.check_steps(world, date(0), truth=world.true_steps((MIDNIGHT + 15 * HOUR, MIDNIGHT + DAY)))

    def test_what_is_forgotten_while_the_time_is_unknown_is_gone(self):
        world = self.world(wall=EPOCH, is_synchronised=False)
        world.live_until(MIDNIGHT + 15 * HOUR)
        world.run("anicca", "forget", "steps", "--yes")
        world.run("anicca", "forget", "motion", "--yes")
        world.live(SECOND)
        self.assertEqual(world.time()["waitingEvents"], 0)
        world.correct_clock()
        self.upload_at(world, 1)
        self.check_at_most(world, world.true_steps((MIDNIGHT + 15 * HOUR, MIDNIGHT + DAY)))
        self.assertTrue(all(event["timestamp"] > f"{date(0)}T15" for event in world.events()))

    def test_what_is_forgotten_over_boots_is_gone(self):
        world = self.world()
        world.live_until(MIDNIGHT + 12 * HOUR)
        world.reboot(wall=FUTURE, is_synchronised=False)
        world.live(3 * HOUR)
        world.run("anicca", "forget", "--all", "--yes")
        world.live(SECOND)
        world.reboot()
        self.upload_at(world, 1)
        self.check_at_most(world, world.true_steps((MIDNIGHT + 15 * HOUR, MIDNIGHT + DAY)))

    def check_at_most(self, world, steps):
        """Neither history nor a record has more of the first day than this, or than nine hours of sitting."""
        for day in (world.history().get(date(0), {}), world.records().get(date(0), {})):
            self.assertLessEqual(day.get("steps", 0), steps)
            self.assertLess(day.get("sedentaryMinutes", 0), 9 * 60)


class NotWornTests(Scenario):
    def test_a_day_on_a_table_has_no_record(self):
        world = self.world(wearer="resting")
        for day in (1, 2):
            self.assertEqual(self.upload_at(world, day)["deliveredDays"], 0)
        self.assertEqual((world.records(), world.events()), ({}, []))
        for day in world.history().values():
            self.assertFalse({"steps", "sedentaryMinutes", "delivery"} & set(day), day)
        self.check_time(world)

    def test_a_day_on_a_table_without_a_time_has_no_record(self):
        world = self.world(wearer="resting", wall=EPOCH, is_synchronised=False)
        world.live_until(MIDNIGHT + DAY + HOUR)
        world.correct_clock()
        self.upload_at(world, 1)
        self.upload_at(world, 2)
        self.assertEqual((world.records(), world.events()), ({}, []))
        self.check_time(world)

    def test_a_day_on_a_table_with_kills_has_no_record(self):
        world = self.world(wearer="resting")
        for hour in (4, 8, 16, 20):
            world.live_until(MIDNIGHT + hour * HOUR)
            world.cut_power()
            world.start()
        self.upload_at(world, 1)
        self.assertEqual((world.records(), world.events()), ({}, []))

    def test_a_day_on_a_table_with_reboots_has_no_record(self):
        world = self.world(wearer="resting")
        for hour in (8, 16):
            world.live_until(MIDNIGHT + hour * HOUR)
            world.reboot(off=10 * MINUTE)
        self.upload_at(world, 1)
        self.assertEqual((world.records(), world.events()), ({}, []))


if __name__ == "__main__":
    unittest.main()
