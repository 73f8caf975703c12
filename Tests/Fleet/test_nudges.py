"""Nudges by the policy of a study: who gets one at an event, in which words, how often, and when not; with two receivers."""

import concurrent.futures
import csv
import datetime
import io
import json
import pathlib
import subprocess
import tempfile
import unittest
import uuid

import test_front
import test_sign_in
from harness.fleet import OWNER, RECEIVER, World
from harness.processes import Failed, run



def zone_at(hour):
    """A time zone in which it is this hour now, of those without a name of a place."""
    offset = (datetime.datetime.now(datetime.timezone.utc).hour - hour) % 24
    return f"Etc/GMT{offset if offset <= 12 else offset - 24:+d}" if offset else "Etc/GMT"


def rule(name, event, strength="light", most=5, text=None, **more):
    return {"name": name, "event": event, "strength": strength, "mostADay": most, "text": text or {"en": f"By {name}"}, **more}


POLICY = {
    "language": "en", "timeZone": zone_at(12), "quietHours": {"from": "22:00", "until": "07:30"},
    "rules": [
        rule("control", "sedentary_long", participants=["C*"], text={"en": "A text for the controls"}),
        rule("walk", "sedentary_long", threshold=90, most=2, participants=["P*", "Q1"],
             text={"en": "Walk a little, \"please\" \\ <b>", "de": "Geh ein paar Schritte ä"}),
        rule("phone", "sns_threshold_exceeded", "strong"),
    ],
}
LATE, SITTING = datetime.timedelta(minutes=11), "sedentary_long"


class NudgeTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="anicca-nudges-")
        cls.addClassCleanup(folder.cleanup)
        cls.file = pathlib.Path(folder.name) / "policy.json"
        cls.file.write_text(json.dumps(POLICY))
        cls.world = World(policy=cls.file).__enter__()
        cls.addClassCleanup(cls.world.__exit__, None, None, None)
        cls.front = test_front.FrontTests.of(cls.world)
        cls.sign_in = test_sign_in.SignInTests()
        cls.sign_in.world, cls.sign_in.front = cls.world, cls.front

    def token(self, participant, *description):
        code = self.world.owner("enroll", participant).split("enrolment = ")[1].split()[0]
        if description:
            self.world.owner("participant", participant, *description)
        return self.sign_in.post(test_sign_in.TOKEN, {"grant_type": test_sign_in.CODE_GRANT, "device_code": code, "client_id": "anicca"})[2]["access_token"]

    def event(self, token, kind=SITTING, minutes=90, key=None, ago=datetime.timedelta()):
        """The nudge in the answer to an event."""
        at = datetime.datetime.now(datetime.timezone.utc) - ago
        body = {"eventType": kind, "timestamp": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "eventPayload": {"stationaryMinutes": minutes} if kind == SITTING else {"thresholdMinutes": minutes}}
        status, _, answer = self.front.ask(path="/nudge/trigger", body=body, Authorization=f"Bearer {token}",
                                           **{"Idempotency-Key": key or str(uuid.uuid4())})
        self.assertEqual(status, 200, answer)
        return answer.get("nudge")

    def test_the_first_rule_that_fits_nudges_in_the_words_of_the_participant(self):
        walk = POLICY["rules"][1]["text"]
        self.assertEqual(self.event(self.token("P1")), {"strength": "light", "message": walk["en"]})
        self.assertEqual(self.event(self.token("P2", "--language", "de"))["message"], walk["de"])
        self.assertEqual(self.event(self.token("P3", "--language", "fr"))["message"], walk["en"])
        self.assertEqual(self.event(self.token("C7"))["message"], "A text for the controls")
        self.assertIsNone(self.event(self.token("P4"), minutes=60), "another threshold")
        self.assertIsNone(self.event(self.token("X1")), "another participant")
        self.assertIsNone(self.event(self.front.token), "an account without a name")
        self.assertEqual(self.event(self.front.token, "sns_threshold_exceeded", 30), {"strength": "strong", "message": "By phone"})
        self.assertIsNone(self.event(self.front.token, "sns_threshold_exceeded", 30, ago=LATE), "too late")

    def test_at_most_so_many_a_day_even_at_once_with_two_receivers(self):
        token = self.token("P10")
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            nudges = list(pool.map(lambda _: self.event(token), range(24)))
        self.assertEqual(sum(nudge is not None for nudge in nudges), 2)
        self.world.cluster.query("UPDATE nudge SET given_at = given_at - interval '1 day'", user=OWNER)
        self.assertIsNotNone(self.event(token), "another day")

    def test_an_event_has_one_decision_however_often_it_comes(self):
        token, key = self.token("P11"), str(uuid.uuid4())
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            nudges = list(pool.map(lambda _: self.front.ask(
                path="/nudge/trigger", body=self.body, Authorization=f"Bearer {token}", **{"Idempotency-Key": key})[2].get("nudge"), range(12)))
        self.assertEqual(len([nudge for nudge in nudges if nudge]), len(nudges) - nudges.count(None))
        self.assertLessEqual(len({json.dumps(nudge) for nudge in nudges if nudge}), 1)
        self.assertEqual(self.world.cluster.query(f"SELECT count(*) FROM nudge WHERE key = '{key}'", user=OWNER), [("1",)])

    body = {"eventType": SITTING, "timestamp": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "eventPayload": {"stationaryMinutes": 90}}

    def test_quiet_hours_are_those_of_the_participants_time_zone(self):
        for hour, is_quiet in ((20, False), (22, True), (23, True), (0, True), (6, True), (8, False)):
            nudge = self.event(self.token(f"P2{hour}", "--time-zone", zone_at(hour)))
            self.assertEqual(nudge is None, is_quiet, f"{hour} o'clock")

    def test_a_nudge_goes_with_its_event(self):
        token = self.token("P30")
        self.assertIsNotNone(self.event(token))
        row = [row for row in csv.DictReader(io.StringIO(self.world.owner("table", "events"))) if row["participant"] == "P30"][0]
        self.assertEqual(row["nudge"], "walk")
        now = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
        erasure = {"userId": row["account"], "until": now, "figures": [], "events": [SITTING]}
        self.assertEqual(self.front.ask(path="/mobile/erasure", body=erasure, Authorization=f"Bearer {token}")[0], 200)
        self.assertEqual(self.world.cluster.query(f"SELECT count(*) FROM nudge WHERE account = '{row['account']}'", user=OWNER), [("0",)])

    def test_without_its_table_the_event_is_kept_and_the_answer_has_no_nudge(self):
        token, key = self.token("P31"), str(uuid.uuid4())
        self.world.cluster.query("ALTER TABLE nudge RENAME TO hidden", user=OWNER)
        try:
            self.assertIsNone(self.event(token, key=key))
        finally:
            self.world.cluster.query("ALTER TABLE hidden RENAME TO nudge", user=OWNER)
        self.assertEqual(self.world.cluster.query(f"SELECT count(*) FROM event WHERE key = '{key}'", user=OWNER), [("1",)])

    def test_a_policy_is_tried_on_the_events_of_a_day(self):
        account = self.world.owner("enroll", "P40") and self.world.cluster.query(
            "SELECT account FROM participant WHERE name = 'P40'", user=OWNER)[0][0]
        self.world.owner("participant", "P40", "--time-zone", "Europe/Berlin")
        for time in ("08:00", "09:00", "10:00", "21:30"):
            self.world.cluster.query(
                f"INSERT INTO event(account, at, key, received_at, type, threshold) VALUES ('{account}', '2026-03-02T{time}:00Z', "
                f"'{uuid.uuid4()}', '2026-03-02T{time}:20Z', '{SITTING}', 90)", user=OWNER)
        url = self.world.cluster.url(OWNER)
        lines = run([RECEIVER, "policy", "try", "--database", url, self.file, "--date", "2026-03-02"]).splitlines()
        self.assertEqual([line.split("  ")[0] for line in lines], [f"2026-03-02 {time}" for time in ("09:00", "10:00", "11:00", "22:30")])
        self.assertEqual([line.split("  ")[3].split(":")[0] for line in lines], ["walk, light", "walk, light", "none", "none"])
        self.assertIn("enough of the rule", lines[2])
        self.assertIn("quiet hours", lines[3])
        self.assertEqual(self.world.cluster.query(f"SELECT count(*) FROM nudge WHERE account = '{account}'", user=OWNER), [("0",)])

    def test_a_participant_is_exported_and_erased_by_name_with_a_receipt(self):
        token = self.token("P60")
        self.assertIsNotNone(self.event(token))
        self.assertIn(SITTING, self.world.owner("export", "--participant", "P60"))
        receipt = self.world.owner("erase", "--participant", "P60")
        self.assertRegex(receipt, r"(?s)^erased at   \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\naccount     [0-9a-f-]{36}, participant P60\nerased      1 record or event;")
        for words in (["export", "--participant", "P60"], ["revoke", "--participant", "P60"], ["erase"],
                      ["erase", "--participant", "P1", "--account", str(uuid.uuid4())]):
            with self.assertRaises(Failed):
                self.world.owner(*words)
        self.assertEqual(self.world.cluster.query("SELECT count(*) FROM participant WHERE name = 'P60'", user=OWNER), [("0",)])

    def test_a_participant_is_described_by_known_zones_alone(self):
        for words in (["P50", "--language", "de"], ["P1", "--time-zone", "Nowhere/City"], ["P1"]):
            with self.assertRaises(Failed):
                self.world.owner("participant", *words)


class PolicyTests(unittest.TestCase):
    """What is no policy is refused with its place, and nothing serves by it."""

    def check(self, policy):
        text = policy if isinstance(policy, str) else json.dumps(policy)
        return subprocess.run([RECEIVER, "policy", "check", "-"], input=text, capture_output=True, text=True, timeout=60)

    def test_a_policy_is_told_rule_by_rule(self):
        ended = self.check(POLICY)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(ended.stdout.splitlines()[1], "walk: light, at sedentary_long of 90 minutes, at most 2 a day, for P*, Q1, in de, en")

    def test_mistakes_are_named(self):
        def changed(**members):
            return {**POLICY, "rules": [{**POLICY["rules"][1], **members}]}
        for policy, said in (
                ("{", "not JSON"), ('{"language": "en",\n "rules":}', "line 2"), ("[]", "the policy is not an object"), ('{"rules": [],}', "not JSON"), ("", "not JSON"),
                ({**POLICY, "rule": []}, "unknown key rule"), ({**POLICY, "timeZone": "Berlin"}, "IANA"),
                ({**POLICY, "quietHours": {"from": "7", "until": "8:00"}}, "quietHours: from must be a time of day"),
                ({**POLICY, "quietHours": {"from": "24:00", "until": "08:00"}}, "quietHours: from"),
                ({**POLICY, "language": "fr"}, "rule 1 (control): text lacks the language of the policy, fr"),
                (changed(event="sitting"), "rule 1 (walk): event must be one of"), (changed(strength="hard"), "rule 1 (walk): strength must be one of"),
                (changed(mostADay=0), "rule 1 (walk): mostADay must be a whole number from 1 to 100"),
                (changed(threshold="90"), "rule 1 (walk): threshold"), (changed(participants=["*A*"]), "with * for the rest"), (changed(participants=["two words"]), "rule 1 (walk): participants must be names"),
                (changed(participants="P1"), "rule 1 (walk): participants must be a list"),
                (changed(text={"en": "x" * 201}), "200 characters"), (changed(text={"en": "a\nb"}), "control characters"),
                (changed(text={"en": "a\u202eb"}), "control characters"), (changed(text={"en": 5}), "rule 1 (walk): text: a text"),
                ({**POLICY, "rules": [POLICY["rules"][2], POLICY["rules"][2]]}, "two rules have the same name"),
                (json.dumps(POLICY).replace('"en"', '"de"'), "twice")):
            ended = self.check(policy)
            self.assertEqual((ended.returncode, ended.stdout), (65, ""), policy)
            self.assertIn(said, ended.stderr)
            self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)

    def test_a_receiver_serves_without_nudges_where_its_policy_is_wrong(self):
        with tempfile.TemporaryDirectory(prefix="anicca-nudges-") as folder:
            wrong = pathlib.Path(folder) / "policy.json"
            wrong.write_text("{")
            with World(policy=wrong) as world:
                front = test_front.FrontTests.of(world)
                body = {"eventType": SITTING, "timestamp": "2026-11-20T10:00:00Z", "eventPayload": {"stationaryMinutes": 90}}
                self.assertEqual(front.ask(path="/nudge/trigger", body=body)[0], 200)
                self.assertIn("the policy is not JSON", (world.directory / "receiver-1.log").read_text())
