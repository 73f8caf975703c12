"""Day totals of the paired phone, put into a real folder while the daemon lives, is killed, and is started again."""

import json
import os
import pathlib
import random
import shutil
import tempfile

from harness.scenario import MIDNIGHT, Scenario, date
from harness.world import DAY, HOUR, MINUTE, SECOND

BERLIN = "+01:00"


class DayTotalTest(Scenario):
    def setUp(self):
        self.inbox = pathlib.Path(tempfile.mkdtemp(prefix="anicca-inbox-"))
        self.addCleanup(shutil.rmtree, self.inbox)
        self.count = 0

    def phone(self, *domains):
        return self.world(domains=domains, config=f"[companion]\ninbox = {self.inbox}\n")

    def put(self, world, kind, day, amount, offset=BERLIN, written=None):
        """As a bridge does: under a hidden name first."""
        self.count += 1
        member = "minutes" if kind == "sitting" else "total"
        text = json.dumps({"type": kind, "date": date(day) + offset, member: amount, "meals": ["secret"]})
        hidden = self.inbox / f".{self.count}.json"
        hidden.write_text(text, encoding="utf-8")
        os.utime(hidden, ns=(written or world.true,) * 2)
        os.rename(hidden, self.inbox / f"{self.count}.json")

    def waiting(self):
        return sorted(path.name for path in self.inbox.iterdir() if path.is_file())

    def test_no_kill_loses_a_total_or_keeps_an_earlier_one(self):
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        world = self.phone("phone")
        total = {}
        for minute in range(10, 22 * 60, 31):
            world.live_until(MIDNIGHT + minute * MINUTE)
            for kind, most in (("mindful", 1440), ("nutrition", 20_000)):
                # As a rule it grows; a wearer also deletes what was wrong.
                total[kind] = chance.randrange(most + 1)
                self.put(world, kind, 0, total[kind])
            if chance.random() < 0.3:
                self.put(world, "mindful", 0, 1440, written=world.true - HOUR)
            match chance.randrange(5):
                case 0:
                    world.cut_power()
                    world.start()
                case 1:
                    world.live(chance.randrange(1, 90) * SECOND)
                    world.cut_power()
                    world.start()
                case 2:
                    world.reboot(abruptly=True)
                case 3:
                    world.reload()
        world.live(2 * MINUTE)
        self.assertEqual(self.waiting(), [], f"seed {seed}")
        self.upload_at(world, 1)
        record = world.records()[date(0)]
        self.assertEqual((record["mindfulMinutes"], record["dietaryEnergyKcal"]), (total["mindful"], total["nutrition"]), f"seed {seed}")
        self.assertNotIn("sedentaryMinutes", record, "motion is off")
        world.cut_power()

    def test_a_restart_after_a_total_costs_the_others_nothing(self):
        """In the morning: the quarter of the total, that of noon, is open until then."""
        for restart in ("cut_power", "shut_down", "reload", "reboot"):
            world = self.phone("motion", "steps", "phone")
            world.live_until(MIDNIGHT + 9 * HOUR)
            self.put(world, "mindful", 0, 12)
            world.live(3 * MINUTE)
            getattr(world, restart)()
            if restart in ("cut_power", "shut_down"):
                world.start()
            self.assertNotIn("stateUnreadable", world.log, restart)
            self.upload_at(world, 1)
            self.assertEqual(world.records()[date(0)]["mindfulMinutes"], 12, restart)
            self.assertGreater(world.history()[date(0)]["observedMinutes"]["motion"], 1400, restart)
            world.cut_power()

    def test_sitting_fills_what_a_device_without_power_did_not_observe(self):
        world = self.phone("motion", "phone")
        world.live_until(MIDNIGHT + 10 * HOUR)
        world.reboot(off=5 * HOUR)
        world.live_until(MIDNIGHT + 20 * HOUR)
        self.put(world, "sitting", 0, 1440)
        self.upload_at(world, 1)
        day, record = world.history()[date(0)], world.records()[date(0)]
        unobserved = 1440 - day["observedMinutes"]["motion"]
        self.assertTrue(290 <= unobserved <= 330, unobserved)
        self.assertAlmostEqual(day["phoneSitting"], unobserved, delta=1)
        self.assertEqual(record["sedentaryMinutes"], day["sedentaryMinutes"] + day["phoneSitting"])
        self.assertNotIn("phoneSitting", record)
        # A report that knows less than the device fills nothing.
        self.put(world, "sitting", 1, 10)
        self.upload_at(world, 2)
        day, record = world.history()[date(1)], world.records()[date(1)]
        self.assertEqual((day["phoneSitting"], record["sedentaryMinutes"]), (0, day["sedentaryMinutes"]))

    def test_what_was_off_is_not_filled(self):
        world = self.phone("motion", "phone")
        world.live_until(MIDNIGHT + 2 * HOUR)
        world.turn("motion", "off")
        world.live_until(MIDNIGHT + 14 * HOUR)
        world.turn("motion", "on")
        self.put(world, "sitting", 0, 1440)
        self.upload_at(world, 1)
        day, record = world.history()[date(0)], world.records()[date(0)]
        self.assertLessEqual(day["phoneSitting"], 10, "twelve hours were off, and two do not count")
        self.assertEqual(record["sedentaryMinutes"], day["sedentaryMinutes"] + day["phoneSitting"])

    def test_off_the_phone_takes_its_totals_with_it(self):
        world = self.phone("motion", "phone")
        world.live_until(MIDNIGHT + 12 * HOUR)
        world.reboot(off=3 * HOUR)
        self.put(world, "sitting", 0, 1440)
        self.put(world, "mindful", 0, 12)
        world.live_until(MIDNIGHT + DAY + HOUR)
        self.assertGreater(world.history()[date(0)]["phoneSitting"], 150)
        world.turn("phone", "off")
        self.put(world, "mindful", 1, 7)
        self.upload_at(world, 1)
        day, record = world.history()[date(0)], world.records()[date(0)]
        self.assertEqual(record["sedentaryMinutes"], day["sedentaryMinutes"])
        self.assertNotIn("mindfulMinutes", record)
        self.assertEqual(len(self.waiting()), 1, "nothing is read")

    def test_what_cannot_be_is_set_aside_with_a_line(self):
        world = self.phone("phone")
        world.live_until(MIDNIGHT + 9 * HOUR)
        self.put(world, "nutrition", 2, 900)
        self.put(world, "nutrition", -3, 900)
        self.put(world, "nutrition", 0, 20_001)
        self.put(world, "nutrition", 0, 900, offset="")
        self.put(world, "mindful", 0, 3)
        world.live(2 * MINUTE)
        self.assertEqual(self.waiting(), [])
        self.assertEqual(len(list((self.inbox / "rejected").iterdir())), 4)
        self.assertIn("of the future: 2025-01-15+01:00", world.log, "one line a minute names the first")
        self.upload_at(world, 1)
        record = world.records()[date(0)]
        self.assertEqual((record["mindfulMinutes"], record.get("dietaryEnergyKcal")), (3, None))
