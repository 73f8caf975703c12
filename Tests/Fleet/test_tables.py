"""The tables for analysis, `anicca-receiver table`: what was sent is in them, whatever its text, and memory does not grow with the rows."""

import csv
import io
import json
import os
import random
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
# By kind of data, the figures that are sums of quarters of an hour.
SUMS = {"steps": ["steps"], "motion": ["sedentaryMinutes"], "walks": ["distanceM", "activeEnergyKcal"]}
COLUMNS = {"steps": "steps", "sedentaryMinutes": "sedentary_minutes", "distanceM": "distance_m", "activeEnergyKcal": "active_energy_kcal",
           "restingHeartRate": "resting_heart_rate"}


def device_day(draw, device, date):
    """The record of a device that was worn for some quarters, and had some kinds of data on."""
    kinds = {kind for kind in SUMS if draw.random() < 0.8} or {"steps"}
    body = {"device": device, "userId": ACCOUNT, "date": date, "coverage": {}, "quarters": {}}
    for kind in sorted(kinds):
        worn = [draw.choice([None, 0, 5, 15]) for _ in range(96)]
        lists = {figure: [None if minutes is None else draw.randrange(minutes + 1) for minutes in worn]
                 for figure in SUMS[kind] if figure != "activeEnergyKcal" or draw.random() < 0.7}
        body |= {figure: sum(number or 0 for number in numbers) for figure, numbers in lists.items()}
        body["coverage"][kind] = {"observed": sum(minutes or 0 for minutes in worn)}
        # Without its time, an amount has no quarter, and the device sends none of the kind.
        if draw.random() < 0.9:
            body["quarters"][kind] = {"observed": worn, **lists}
    if draw.random() < 0.5:
        body |= {"restingHeartRate": draw.randrange(40, 90)}
        body["coverage"]["heart"] = {"observed": draw.randrange(1440)}
    return body


def combined(records):
    """The figures of a day with the last record of each device: the rule of decision 71, written once more."""
    records = sorted(records, key=lambda record: record["device"])
    kinds = {figure: kind for kind, names in SUMS.items() for figure in names} | {"restingHeartRate": "heart"}
    figures = {}
    for name, kind in kinds.items():
        having = [record for record in records if name in record]
        if not having:
            continue
        lists = [record["quarters"].get(kind) for record in having]
        if name == "restingHeartRate" or not all(lists) or len(records) == 1:
            figures[name] = max(having, key=lambda record: record["coverage"].get(kind, {"observed": 0})["observed"])[name]
            continue
        there = [[own for own in lists if own[name][place] is not None] for place in range(96)]
        figures[name] = sum(max(owns, key=lambda own, place=place: own["observed"][place])[name][place]
                            for place, owns in enumerate(there) if owns)
    return figures


class TableTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World().__enter__()
        cls.addClassCleanup(cls.world.__exit__, None, None, None)
        cls.front = test_front.FrontTests.of(cls.world)

    def table(self, name):
        return list(csv.DictReader(io.StringIO(self.world.owner("table", name))))

    def test_each_day_has_the_consent_that_was_given_then(self):
        self.world.owner("enroll", "P700")
        account = self.world.cluster.value("SELECT account FROM participant WHERE name = 'P700'")
        (_, _, token), = self.world.enroll([(account, "band")])
        for day in (1, 2, 3, 4):
            body = {**DAY, "userId": account, "date": f"2026-11-0{day}", "wakeAt": f"2026-11-0{day}T06:00:00Z"}
            self.assertEqual(self.front.ask(body=body, Authorization=f"Bearer {token}")[0], 200)
        for words in (("1.0", "2026-11-02"), ("2.0", "2026-11-04"), ("9", "2026-11-03"), ("", "2026-11-03"), ("1.1", "2026-11-02")):
            self.world.owner("participant", "P700", "--consent", words[0], "--since", words[1])
        self.world.owner("participant", "P700", "--consent", "3")
        self.assertEqual([row["consent"] for row in self.table("days") if row["participant"] == "P700"], ["", "1.1", "1.1", "2.0"])
        for wrong in (["--since", "2026-11-02"], ["--consent", "a b"], ["--consent", "1", "--since", "yesterday"]):
            with self.assertRaises(Failed):
                self.world.owner("participant", "P700", *wrong)
        self.world.owner("erase", "--participant", "P700")
        self.assertEqual(self.world.cluster.value("SELECT count(*) FROM consent"), "0")

    def test_a_day_is_a_row_and_the_last_record_of_it_counts(self):
        for body in ({**DAY, "steps": 5}, DAY):
            self.assertEqual(self.front.ask(body=body)[0], 200)
        row, = [row for row in self.table("days") if row["date"] == "2026-11-20"]
        self.assertEqual((row["account"], row["date"], row["steps"], row["wake_at"]), (ACCOUNT, "2026-11-20", "0", DAY["wakeAt"]))
        self.assertEqual((row["sedentary_minutes"], row["coverage"]), ("", ""), "missing is empty, and not zero")
        self.assertEqual(row["heart_rate"].count("180"), 1)
        self.assertRegex(row["received_at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

    def send_day(self, body):
        self.assertEqual(self.front.ask(path="/mobile/daily_quarters", body=body)[0], 200)

    def test_each_quarter_of_an_hour_is_of_the_device_that_observed_more_of_it(self):
        """Of days with two or three devices, some of which send a day again, as after a lost store."""
        draw = random.Random(16)
        days = {}
        for index in range(24):
            date = f"2026-10-{index + 1:02}"
            days[date] = {}
            for device in draw.sample(["wrist", "belt", "shoe"], draw.choice([1, 2, 3])) + draw.choice([[], ["belt"]]):
                body = days[date][device] = device_day(draw, device, date)
                self.send_day(body)
        rows = {row["date"]: row for row in self.table("days")}
        for date, records in days.items():
            expected = combined(records.values())
            found = {figure: int(rows[date][column]) for figure, column in COLUMNS.items() if rows[date][column]}
            self.assertEqual(found, expected, f"{date}: {records}")
        erasure = {"userId": ACCOUNT, "until": "2026-11-01T00:00:00Z", "figures": ["walkingCadence"], "events": []}
        self.assertEqual(self.front.ask(path="/mobile/erasure", body=erasure)[0], 200)
        for row in self.table("days"):
            for figure in ("steps", "sedentary_minutes", "resting_heart_rate"):
                self.assertEqual(row[figure], rows[row["date"]][figure], "another kind of data")
        left = self.world.cluster.value("SELECT count(*) FROM daily_record WHERE date < '2026-11-01' AND quarters::text || coverage LIKE '%walks%'")
        self.assertEqual(left, "0", "the times for which walks were observed are erased with any figure of them")

    def test_of_what_one_device_has_alone_nothing_is_cut(self):
        """The night of one device and the day of another; and a day whose other record is erased."""
        night = {"device": "night", "userId": ACCOUNT, "date": "2026-09-10", "sleepDurationMin": 450, "wakeAt": "2026-09-10T06:00:00Z",
                 "coverage": {"sleep": {"observed": 1440}}, "quarters": {}}
        lists = {"observed": [15] * 40 + [None] * 56, "sedentaryMinutes": [5] * 40 + [None] * 56}
        day = {"device": "day", "userId": ACCOUNT, "date": "2026-09-10", "sleepDurationMin": 31, "sedentaryMinutes": 300,
               "coverage": {"sleep": {"observed": 45}, "motion": {"observed": 600}}, "quarters": {"motion": lists}}
        for body in (night, day):
            self.send_day(body)
        row, = [row for row in self.table("days") if row["date"] == "2026-09-10"]
        self.assertEqual((row["sleep_duration_min"], row["wake_at"], row["sedentary_minutes"]), ("450", "2026-09-10T06:00:00Z", "200"))
        self.assertEqual(json.loads(row["coverage"]), {"sleep": {"observed": 1440}, "motion": {"observed": 600}})
        for figures, expected in ((["sleepDurationMin"], ("", "2026-09-10T06:00:00Z", "200")), (["wakeAt"], ("", "", "300"))):
            erasure = {"userId": ACCOUNT, "until": "2026-09-11T00:00:00Z", "figures": figures, "events": []}
            self.assertEqual(self.front.ask(path="/mobile/erasure", body=erasure)[0], 200)
            row, = [row for row in self.table("days") if row["date"] == "2026-09-10"]
            # In the end as in the one record that is left.
            self.assertEqual((row["sleep_duration_min"], row["wake_at"], row["sedentary_minutes"]), expected)

    def test_a_month_gets_its_partition_with_the_days_of_two_devices(self):
        days = [{**device_day(random.Random(seed), device, date), "restingHeartRate": 50}
                for seed, (device, date) in enumerate([("wrist", "2031-02-01"), ("belt", "2031-02-01"), ("belt", "2031-02-02")])]
        for body in days:
            self.send_day(body)
        before = [row for row in self.table("days") if row["date"] > "2031"]
        self.world.cluster.query("SELECT add_month('daily_record', '2031-02-01')", user=OWNER)
        self.assertEqual([row for row in self.table("days") if row["date"] > "2031"], before)
        self.send_day({**days[0], "restingHeartRate": 60, "coverage": {"heart": {"observed": 1440}}})
        row = next(row for row in self.table("days") if row["date"] == "2031-02-01")
        self.assertEqual(row["resting_heart_rate"], "60", "the partition combines too")

    def test_a_device_that_sends_no_quarters_goes_on(self):
        """Beside one that does, the record that came last counts: what the other one has of each quarter is not known."""
        body = device_day(random.Random(1), "belt", "2026-09-01")
        self.send_day(body)
        self.assertEqual(self.front.ask(body={**DAY, "date": "2026-09-01", "wakeAt": "2026-09-01T07:30:00Z", "steps": 7})[0], 200)
        row, = [row for row in self.table("days") if row["date"] == "2026-09-01"]
        self.assertEqual(row["steps"], "7")

    def test_quarters_that_no_device_sends_are_refused(self):
        right = device_day(random.Random(2), "belt", "2026-09-02")
        lists = {"observed": [15] * 96, "steps": [1] * 96}
        self.assertEqual(self.front.ask(path="/mobile/daily_quarters", body={**right, "quarters": {}})[0], 200, "nothing with sums")
        for wrong in ({"steps": {"steps": [1] * 96}}, {"steps": {**lists, "steps": [1] * 95}}, {"steps": {**lists, "observed": [16] * 96}},
                      {"steps": {**lists, "cadence": [1] * 96}}, {"steps": {**lists, "wakeAt": [1] * 96}},
                      {"steps": {**lists, "steps": ["1"] * 96}}, {"st-eps": lists}, []):
            status, _, answer = self.front.ask(path="/mobile/daily_quarters", body={**right, "quarters": wrong})
            self.assertEqual(status, 422, wrong)
            self.assertIn("quarters", answer["error"])
        for missing in ("device", "quarters"):
            body = {name: value for name, value in right.items() if name != missing}
            self.assertEqual(self.front.ask(path="/mobile/daily_quarters", body=body)[0], 422)

    def test_after_an_erasure_the_record_before_counts_again(self):
        day = {**DAY, "date": "2026-08-02", "wakeAt": "2026-08-02T07:30:00Z"}
        for body in ({**day, "steps": 5}, {"userId": ACCOUNT, "date": "2026-08-02", "workouts": []}):
            self.assertEqual(self.front.ask(body=body)[0], 200)
        erasure = {"userId": ACCOUNT, "until": "2026-08-03T00:00:00Z", "figures": ["workouts"], "events": []}
        self.assertEqual(self.front.ask(path="/mobile/erasure", body=erasure)[0], 200)
        row, = [row for row in self.table("days") if row["date"] == "2026-08-02"]
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
