"""Who is believed about the time besides the kernel, and what the wearer turns off or deletes while nobody is."""

import unittest

from harness.scenario import MIDNIGHT, Scenario, date
from harness.world import DAY, HOUR, MINUTE, SECOND, at

EPOCH = at("1970-01-01T00:00:20")
FUTURE = at("2030-01-01T00:00:00")
HARDWARE = "[time]\ntrust = hardware-clock\n"


class VouchedTests(Scenario):
    def test_the_wearer_vouches_for_a_clock_that_the_kernel_never_calls_synchronised(self):
        world = self.world(is_synchronised=False)
        world.live_until(MIDNIGHT + 15 * HOUR)
        self.check_untrusted(world)
        world.run("anicca", "time", "confirm")
        self.check_usual_day(world, source="wearer")

    def test_what_the_wearer_says_holds_for_one_boot_and_outlives_the_daemon_and_a_clock_that_is_set(self):
        world = self.world(is_synchronised=False)
        world.live_until(MIDNIGHT + 9 * HOUR)
        world.run("anicca", "time", "confirm")
        world.cut_power()
        world.clocks.wall = FUTURE
        world.start()
        world.live(HOUR)
        self.check_time(world, source="wearer")
        world.clocks.wall = world.true
        world.reboot(is_synchronised=False)
        world.live(HOUR)
        self.check_untrusted(world)
        self.upload_at(world, 1)
        self.check_untrusted(world)
        world.run("anicca", "time", "confirm")
        world.live(MINUTE)
        world.upload()
        self.check_steps(world, date(0), lost=200)
        self.check_dates(world, date(0))

    def test_what_is_too_old_is_dropped_once_the_wearer_agrees_with_the_network(self):
        """After five days off the network's word is a surprise that nobody else shares."""
        for agrees in (False, True):
            with self.subTest(agrees=agrees):
                world = self.world(config="[delivery]\nkeep-undelivered = 3d\n")
                world.live_until(MIDNIGHT + 2 * DAY + HOUR)
                world.reboot(off=5 * DAY)
                world.live(MINUTE)
                if agrees:
                    world.run("anicca", "time", "confirm")
                world.live(2 * HOUR)
                self.assertEqual(world.ask("status")["delivery"]["dropped"] > 0, agrees)
                self.assertEqual(world.upload()["deliveredDays"], 0 if agrees else 3)

    def test_a_clock_before_every_device_cannot_be_vouched_for(self):
        world = self.world(wall=EPOCH, is_synchronised=False)
        world.run("anicca", "time", "confirm", codes=(65,))
        world.live(MINUTE)
        self.check_untrusted(world)

    def test_a_hardware_clock_dates_every_boot_from_its_start(self):
        """Also where the configuration vouches for it from now on."""
        world = self.world(is_synchronised=False)
        world.live_until(MIDNIGHT + 10 * HOUR)
        self.check_untrusted(world)
        world.config.write_text(world.config.read_text(encoding="utf-8") + HARDWARE, encoding="utf-8")
        world.reload()
        world.live(5 * MINUTE)
        self.check_time(world, source="hardware-clock")
        world.reboot(is_synchronised=False)
        self.check_time(world, source="hardware-clock")
        self.upload_at(world, 1)
        self.check_steps(world, date(0), lost=70)
        self.check_dates(world, date(0))
        self.check_time(world, source="hardware-clock")

    def test_a_clock_before_every_device_is_not_believed(self):
        """The battery of a hardware clock is empty, or a kernel calls a clock in 1970 synchronised."""
        for config, wall, is_synchronised in ((HARDWARE, EPOCH, False), (HARDWARE, at("2000-01-01T00:00:00"), False), ("", EPOCH, True)):
            with self.subTest(wall=wall, is_synchronised=is_synchronised):
                world = self.world(wall=wall, is_synchronised=is_synchronised, config=config)
                world.live_until(MIDNIGHT + 15 * HOUR)
                self.check_untrusted(world)
                world.correct_clock()
                self.check_usual_day(world)


class WithdrawnTests(Scenario):
    """What was turned off or deleted is never sent, whatever the clock showed when."""

    def test_steps_turned_off_and_on_again_while_the_time_is_unknown(self):
        """Off at 13:00 by a clock, on again at 15:00 by another; the clock is right from 16:00 on. Only what was collected since is sent."""
        for before, after in ((EPOCH, FUTURE), (FUTURE, EPOCH)):
            for on_again in (False, True):
                with self.subTest(before=before, on_again=on_again):
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
                    if on_again:
                        self.check_steps(world, date(0), truth=world.true_steps((MIDNIGHT + 15 * HOUR, MIDNIGHT + DAY)), lost=70)
                    else:
                        self.assertNotIn("steps", world.records()[date(0)])
                        self.check_minutes(world, date(0))

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
        """In the boot that never knew it, and in one that follows others."""
        for boots in (1, 2):
            with self.subTest(boots=boots):
                world = self.world(**({"wall": EPOCH, "is_synchronised": False} if boots == 1 else {}))
                world.live_until(MIDNIGHT + 12 * HOUR)
                if boots == 2:
                    world.reboot(wall=FUTURE, is_synchronised=False)
                world.live(3 * HOUR)
                world.run("anicca", "forget", "--all", "--yes")
                world.live(SECOND)
                self.assertEqual(world.time()["waitingEvents"], 0)
                if boots == 2:
                    world.reboot()
                world.correct_clock()
                self.upload_at(world, 1)
                for day in (world.history().get(date(0), {}), world.records().get(date(0), {})):
                    self.assertLessEqual(day.get("steps", 0), world.true_steps((MIDNIGHT + 15 * HOUR, MIDNIGHT + DAY)))
                    self.assertLess(day.get("sedentaryMinutes", 0), 9 * 60)
                self.assertTrue(all(event["timestamp"] > f"{date(0)}T15" for event in world.events()))


if __name__ == "__main__":
    unittest.main()
