"""Alarms on the wearer's clock, and what a reload, a restart and a kill make of one that rings."""

import unittest

from harness.scenario import Scenario
from harness.world import HOUR, MINUTE, SECOND, at, shown

MIDNIGHT = at("2025-03-08T00:00:00")
NEW_YORK = "[alarm]\ntime-zone = America/New_York\n"


class AlarmTests(Scenario):
    def world_with_alarm(self, *words, config=NEW_YORK):
        """A wake alarm at 07:00."""
        world = self.world(MIDNIGHT, domains=("alarm",), wearer="resting", first_day="2025-03-08", config=config)
        world.run("anicca", "alarm", "add", "wake", "07:00", *words)
        return world

    @staticmethod
    def played(world):
        """When, as the log has it."""
        return [line.split(" ")[0] for line in world.log.splitlines() if "(alarmPlayed " in line]

    def test_an_alarm_follows_the_wearers_clock_over_a_change_to_summer_time_and_a_reload_with_another_zone(self):
        world = self.world_with_alarm()
        world.live_until(at("2025-03-09T12:00:00"))
        world.config.write_text(world.config.read_text().replace("America/New_York", "Asia/Tokyo"))
        world.reload()
        world.live_until(at("2025-03-10T12:00:00"))
        world.config.write_text(world.config.read_text().replace("Asia/Tokyo", "Atlantis/Capital"))
        world.reload()
        world.live_until(at("2025-03-11T12:00:00"))
        self.assertEqual(self.played(world), [
            "2025-03-08T12:00:00Z", "2025-03-09T11:00:00Z", "2025-03-09T22:00:00Z", "2025-03-11T07:00:00Z"])
        self.assertIn("the wearer's time-zone is not in the time-zone database", world.log)

    def test_an_alarm_that_rings_goes_on_after_a_reload_a_restart_and_a_kill(self):
        """Also without a follow-up; and not for ever, however often the daemon ends."""
        due = MIDNIGHT + 12 * HOUR
        for words in ((), ("--follow-ups", "1")):
            for end in ("kill", "restart", "reload"):
                with self.subTest(end, words=words):
                    world = self.world_with_alarm(*words)
                    world.live_until(due)
                    for _ in range(2):
                        world.live(5 * SECOND)
                        if end == "reload":
                            world.reload()
                            continue
                        world.cut_power() if end == "kill" else world.shut_down()
                        world.live(5 * SECOND)
                        world.start()
                        world.live(SECOND)
                    alarm = world.ask("alarm")[0]
                    self.assertEqual((alarm["ringing"], alarm["outcome"], alarm["outcomeAt"]), (True, "played", shown(due)))
                    self.assertEqual(len(self.played(world)), 3, world.log)
                    world.live(2 * MINUTE)
                    self.assertEqual(world.ask("alarm")[0]["ringing"], bool(words))
                    world.live(10 * MINUTE)
                    self.assertEqual(len(self.played(world)), 3 + bool(words), world.log)
                    self.assertNotIn("alarmMissed", world.log)

    def test_what_the_wearer_ended_meanwhile_and_what_is_long_over_is_not_played_on(self):
        for words, off, outcome in ((("stop",), 5 * SECOND, "played"), (("disable", "wake"), 5 * SECOND, "played"),
                                    (("snooze",), 5 * SECOND, "played"), ((), 3 * MINUTE, "cutShort")):
            with self.subTest(words):
                world = self.world_with_alarm()
                world.live_until(MIDNIGHT + 12 * HOUR + 5 * SECOND)
                world.cut_power()
                if words:
                    world.run("anicca", "alarm", *words)
                world.live(off)
                world.start()
                world.live(MINUTE)
                self.assertEqual(len(self.played(world)), 1, world.log)
                self.assertEqual(world.ask("alarm")[0]["outcome"], outcome)
                world.live(10 * MINUTE)
                self.assertEqual(len(self.played(world)), 2 if words == ("snooze",) else 1, world.log)


if __name__ == "__main__":
    unittest.main()
