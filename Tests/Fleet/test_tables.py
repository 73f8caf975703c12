"""The tables for analysis, `anicca-receiver table`: what was sent is in them, whatever its text, and memory does not grow with the rows."""

import csv
import io
import os
import subprocess
import unittest
import uuid

import test_front
from harness.fleet import OWNER, RECEIVER, World
from harness.processes import Failed

ACCOUNT = test_front.ACCOUNT
PLACES = ['a"b', "x,y", "a\tb\nc", "NULL", "=1+1", "Zuhause ä 家"]
DAY = {"userId": ACCOUNT, "date": "2026-11-20", "steps": 0, "sleepDurationMin": 420, "wakeAt": "2026-11-20T07:30:00Z",
       "heartRate": {"min": 45, "median": 60, "max": 180}}
ROWS = 200_000


class TableTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World().__enter__()
        cls.addClassCleanup(cls.world.__exit__, None, None, None)
        cls.front = test_front.FrontTests.of(cls.world)

    def table(self, name):
        return list(csv.DictReader(io.StringIO(self.world.owner("table", name))))

    def test_a_day_is_a_row_and_the_last_record_of_it_counts(self):
        for body in ({**DAY, "steps": 5}, DAY):
            self.assertEqual(self.front.ask(body=body)[0], 200)
        row, = [row for row in self.table("days") if row["date"] == "2026-11-20"]
        self.assertEqual((row["account"], row["date"], row["steps"], row["wake_at"]), (ACCOUNT, "2026-11-20", "0", DAY["wakeAt"]))
        self.assertEqual((row["sedentary_minutes"], row["coverage"]), ("", ""), "missing is empty, and not zero")
        self.assertEqual(row["heart_rate"].count("180"), 1)
        self.assertRegex(row["received_at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

    def test_after_an_erasure_the_record_before_counts_again(self):
        day = {**DAY, "date": "2026-11-18", "wakeAt": "2026-11-18T07:30:00Z"}
        for body in ({**day, "steps": 5}, {"userId": ACCOUNT, "date": "2026-11-18", "workouts": []}):
            self.assertEqual(self.front.ask(body=body)[0], 200)
        erasure = {"userId": ACCOUNT, "until": "2026-11-19T00:00:00Z", "figures": ["workouts"], "events": []}
        self.assertEqual(self.front.ask(path="/mobile/erasure", body=erasure)[0], 200)
        row, = [row for row in self.table("days") if row["date"] == "2026-11-18"]
        self.assertEqual((row["steps"], row["workouts"]), ("5", ""))

    def test_an_event_keeps_its_text(self):
        insert = "INSERT INTO event(account, at, key, received_at, type, place) VALUES "
        self.world.cluster.query(insert + ", ".join(
            f"('{ACCOUNT}', '2026-11-20T10:00:0{index}Z', '{uuid.uuid4()}', now(), 'place_entered', '{place}')"
            for index, place in enumerate(PLACES)), user=OWNER)
        rows = self.table("events")
        self.assertEqual([row["place"] for row in rows], PLACES)
        self.assertEqual(rows[0]["at"], "2026-11-20T10:00:00Z")

    def test_a_device_has_its_last_contact_and_no_token(self):
        text = self.world.owner("table", "devices")
        self.assertNotIn(self.front.token, text)
        row, = csv.DictReader(io.StringIO(text))
        self.assertEqual((row["account"], row["device"], row["revoked_at"]), (ACCOUNT, "band", ""))

    def test_each_column_is_described(self):
        described = {(row["table"], row["column"]) for row in self.table("columns") if row["meaning"]}
        there = {(name, column) for name in ("days", "events", "devices")
                 for column in next(csv.reader(io.StringIO(self.world.owner("table", name))))}
        self.assertEqual(described, there)

    def test_what_cannot_be_printed_is_told(self):
        for words, code in ((["nights"], 64), (["days", "--database", "/nonexistent.sqlite"], 65)):
            ended = subprocess.run([RECEIVER, "table", *words], capture_output=True, text=True, timeout=60)
            self.assertEqual((ended.returncode, ended.stdout), (code, ""), ended.stderr)
        with self.assertRaisesRegex(Failed, "permission denied"):
            self.table_of("anicca-dashboards", "devices")
        with open("/dev/full", "wb") as full:
            ended = subprocess.run([RECEIVER, "table", "devices", "--database", self.world.cluster.url(OWNER)],
                                   stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(ended.returncode, 69)
        self.assertIn("not complete", ended.stderr)

    def table_of(self, user, name):
        ended = subprocess.run([RECEIVER, "table", name, "--database", self.world.cluster.url(user)],
                               capture_output=True, text=True, timeout=60)
        if ended.returncode:
            raise Failed(ended.stderr)
        return ended.stdout

    def test_memory_does_not_grow_with_the_rows(self):
        with World() as world:
            few = self.greatest(world, 1000)
            self.assertLess(self.greatest(world, ROWS), few + 4096)
            self.cut_off(world)

    def cut_off(self, world):
        """A server that goes away in the middle leaves a table that is told to be cut."""
        process = subprocess.Popen([RECEIVER, "table", "days", "--database", world.cluster.url(OWNER)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        with process.stdout, process.stderr:
            process.stdout.readline()
            world.cluster.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%'", "postgres")
            lines = sum(1 for _ in process.stdout)
            self.assertEqual(process.wait(60), 69)
            self.assertIn("PostgreSQL: ", process.stderr.read())
        self.assertLess(lines, ROWS)

    def greatest(self, world, rows):
        """The greatest resident memory of a program that prints so many days, in kB."""
        world.cluster.query(f"INSERT INTO daily_record(account, date, key, received_at, steps) "
                            f"SELECT gen_random_uuid(), '2026-11-20', gen_random_uuid(), now(), n FROM generate_series(1, {rows}) AS n "
                            "ON CONFLICT DO NOTHING", user=OWNER)
        process = subprocess.Popen([RECEIVER, "table", "days", "--database", world.cluster.url(OWNER)], stdout=subprocess.PIPE)
        with process.stdout:
            lines = sum(1 for _ in process.stdout)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertGreater(lines, rows)
        return used.ru_maxrss


if __name__ == "__main__":
    unittest.main()
