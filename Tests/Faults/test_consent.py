"""What takes an act of the wearer or of whoever sets the device up: a phone that is paired, a sensor that is worn."""

import contextlib
import csv
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

from harness import PROGRAMS
from harness.life import configure
from harness.scenario import MIDNIGHT, NIGHT
from harness.world import DAY, World

CONSENT_NEEDED, UNAVAILABLE = 79, 69


class ConsentTest(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="anicca-consent-"))
        self.addCleanup(shutil.rmtree, self.place)
        self.directory = self.place / "anicca"
        self.directory.mkdir(mode=0o700)
        self.config = configure(
            self.directory, more=f"[companion]\ninbox = {self.directory}/inbox\n[imu]\nbus = /dev/i2c-none\n[time]\ntrust = hardware-clock\n")
        self.call("anicca-lab", "daemon", "resting", "--days", "1")

    def call(self, program, *words, expected=0):
        """What a program prints, on both of its outputs."""
        ended = subprocess.run(
            [PROGRAMS / program, *words, "--config", self.config], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        self.assertEqual(expected, ended.returncode, ended.stdout)
        return ended.stdout

    def test_nobody_is_asked_about_screen_time_before_a_phone_is_paired(self):
        self.assertIn("no question is open", self.call("anicca", "setup"))
        self.assertIn("anicca companion pair", self.call("anicca", "toggle", "screenTime", "on", expected=UNAVAILABLE))
        self.assertIn("paired", self.call("anicca", "companion", "pair"))
        self.assertEqual(0o3730, (self.directory / "inbox").stat().st_mode & 0o7777)
        self.assertIn("not answered yet: screenTime, phone\n", self.call("anicca", "setup", expected=CONSENT_NEEDED))

    def test_a_kind_of_alarms_is_turned_in_the_trail(self):
        for words in (["add", "wake", "07:00"], ["disable", "wake"], ["disable", "wake"], ["enable", "wake"]):
            self.call("anicca", "alarm", *words)
        trail = [(entry["what"], entry["from"], entry["to"], entry["by"]) for entry in json.loads(self.call("anicca", "audit", "--json"))]
        self.assertEqual([("wake alarms", *change, "wearer") for change in (("off", "on"), ("on", "off"), ("off", "on"))], trail)
        self.assertIn("intact", self.call("anicca", "audit", "--verify"))

    def test_a_sensor_that_is_worn_is_read_with_consent_alone(self):
        for words in (["test"], ["calibrate", "--automatic", "--for", "1m"]):
            self.call("anicca-lab", "toggle", "motion", "off")
            self.assertIn("--not-worn", self.call("anicca", "sensor", *words, expected=CONSENT_NEEDED))
            self.assertIn("/dev/i2c-none", self.call("anicca", "sensor", *words, "--not-worn", expected=UNAVAILABLE))
            self.call("anicca-lab", "toggle", "motion", "on")
            self.assertIn("/dev/i2c-none", self.call("anicca", "sensor", *words, expected=UNAVAILABLE))


class QuestionTest(unittest.TestCase):
    """What the question says is stored and sent, against the store and the requests of a life with nothing else on."""

    DAYS = 4

    def live(self, *domains):
        """The device after some days, all of which were delivered."""
        world = self.enterContext(World(config="""[time]
trust = hardware-clock
[fence "home"]
latitude = 48.2
longitude = 16.37
radius = 150
"""))
        inbox = world.directory / "inbox"
        inbox.mkdir()
        with open(world.config, "a", encoding="utf-8") as config:
            config.write(f"[companion]\ninbox = {inbox}\n")
        self.do(world, "anicca-lab", "daemon", "typical", "--days", "1", "--with-surroundings", "--from", "2025-01-12")
        for domain in domains:
            self.do(world, "anicca-lab", "toggle", domain, "on")
        if "alarm" in domains:
            self.do(world, "anicca", "alarm", "add", "wake", "07:00")
        self.do(world, "anicca-lab", "daemon", "typical", "--days", str(self.DAYS), "--with-surroundings", "--from", "2025-01-13")
        world.boot(MIDNIGHT + self.DAYS * DAY + NIGHT)
        self.do(world, "anicca", "export", world.place / "mine")
        world.upload()
        return world

    @staticmethod
    def do(world, *words):
        subprocess.run([PROGRAMS / words[0], *words[1:], "--config", world.config], check=True, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, timeout=120)

    def said(self, world, permission=None):
        """The names in brackets of what the question says is sent and kept, and its words."""
        records = [record for record in self.exported(world, "receipt.json")["records"] if permission in (None, record["permission"])]
        self.assertEqual(1, len(records))
        text = re.sub(r"\n {13}", " ", records[0]["notice"]["text"])
        sent, kept = (re.search(rf"\n  {row} +(.*)", text).group(1) for row in ("Sent", "Kept"))
        return set(re.findall(r"\((\w+)\)", sent)), set(re.findall(r"\((\w+)\)", kept)), text

    def exported(self, world, name):
        return json.loads((world.place / "mine" / name).read_text(encoding="utf-8"))

    def stored(self, world, domains):
        """The names of what is in the store, as an export gives it, and whether that is all that lies there."""
        figures = {figure["figure"] for day in self.exported(world, "days.json") for figure in day["figures"]}
        with open(world.place / "mine/quarters.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                figures |= {name.split(" ")[0] for name, value in row.items() if value} - {"date", "began", "length", "boot"}
        books = {name for name in ("alarms", "nudges", "places") if self.exported(world, f"{name}.json")}
        events = {event["event"] for event in self.exported(world, "events.json")}
        with contextlib.closing(sqlite3.connect(world.directory / "ledger.sqlite")) as store:
            rows = {table: {row[0] for row in store.execute(f"SELECT DISTINCT sample_type FROM {table}")}
                    for table in ("history", "quarter", "book")}
            kinds = {row[0] for row in store.execute("SELECT kind FROM outbox WHERE kind BETWEEN 1 AND 254")}
        self.assertLessEqual(len(rows["history"]), len(figures), "figures that no export has")
        self.assertLessEqual(len(rows["quarter"] | rows["book"]), len(domains), "rows of another domain")
        self.assertEqual(len(kinds), len(events), "events that no export has")
        return figures | books, events

    def sent(self, world):
        days, events = (world.receiver.bodies(path) for path in ("/mobile/daily_metrics", "/nudge/trigger"))
        members = {member for day in days for member in day} - {"userId", "date"}
        for event in events:
            self.assertEqual({"eventType", "eventPayload", "timestamp"}, set(event))
            members |= {event["eventType"], *event["eventPayload"]}
        return members

    def check(self, *domains, never_here=()):
        """The domains of one question. `never_here`: what this wearer never does."""
        world = self.live(*domains)
        says_sent, says_kept, text = self.said(world)
        stored, events = self.stored(world, domains)
        sent = self.sent(world)
        self.assertEqual(says_kept, stored | set(never_here), "what is stored")
        self.assertEqual(bool(events), "the events with their times" in text)
        self.assertEqual(says_sent, sent | (set(never_here) & says_sent), "what is sent")
        self.assertLessEqual(events, sent)
        self.assertEqual(not sent, "nothing leaves the device" in text)

    def test_what_is_asked_of_motion_is_what_is_stored_and_sent(self):
        # There is no barometer.
        self.check("motion", never_here=("runningMinutes", "flightsClimbed", "floorsObserved"))

    def test_what_is_asked_of_health_is_what_is_stored_and_sent(self):
        # Walks wait for motion.
        self.check("steps", "sleep", never_here=(
            "distanceM", "walkingCadence", "activeEnergyKcal", "workouts", "walksObserved", "wearer"))

    def test_what_walks_store_and_send_was_asked(self):
        """Without the wearer's measures."""
        world = self.live("motion", "steps", "walks")
        says_sent, says_kept, _ = self.said(world, "health")
        stored, _ = self.stored(world, ("motion", "steps", "walks"))
        of_walks = {"walkingCadence", "workouts", "walksObserved"}
        self.assertEqual(stored & (of_walks | {"distanceM", "activeEnergyKcal"}), of_walks)
        self.assertLessEqual(of_walks, says_kept)
        self.assertEqual(self.sent(world) - says_sent, {"sedentaryMinutes", "sedentary_long", "stationaryMinutes"})

    def test_what_is_asked_of_screen_time_is_what_is_stored_and_sent(self):
        self.check("screenTime")

    def test_what_is_asked_of_the_phone_is_what_is_stored_and_sent(self):
        self.check("phone")

    def test_what_is_asked_of_location_is_what_is_stored_and_sent(self):
        self.check("location")

    def test_what_is_asked_of_the_alarm_is_what_is_stored_and_sent(self):
        self.check("alarm", never_here=("nudges",))


if __name__ == "__main__":
    unittest.main()
