"""Nudges over a broker: what devices publish is answered by the policy of the study, once, whichever receivers run."""

import concurrent.futures
import datetime
import json
import pathlib
import subprocess
import tempfile
import unittest
import uuid

import jsonschema
import yaml

import test_front
import test_nudges
import test_sign_in
from harness.brokers import Mosquitto, Stranger, Subscriber
from harness.certificates import Certificates
from harness.fleet import OWNER, RECEIVER, SERVING, World
from harness.processes import Process, until

CONTRACT = pathlib.Path(__file__).resolve().parents[2] / "docs/asyncapi.yaml"
WALK = test_nudges.POLICY["rules"][1]["text"]


def silent(link):
    while link.recv(65536):
        pass


class Answering:
    """`anicca-receiver subscribe`, as systemd/server starts it. Use it with `with`."""

    def __init__(self, world, broker, number, *words):
        self._words = [RECEIVER, "subscribe", "--database", world.cluster.url(SERVING), "--policy", world.policy, "--broker", broker, *words]
        self.log = world.directory / f"subscribe-{number}.log"
        self._process = None

    def start(self):
        self._process = Process(self._words, self.log)

    def __enter__(self):
        self.start()
        until(lambda: self.times("subscribed") or not self._process.is_running, "it has subscribed", 30)
        return self

    def __exit__(self, *_):
        self._process.kill()

    is_running = property(lambda self: self._process.is_running)
    code = property(lambda self: self._process.code)

    def stop(self):
        return self._process.end()

    def times(self, event):
        return self.log.read_text().count(f'"event":"{event}"')


class BrokerNudgeTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="anicca-nudges-")
        cls.addClassCleanup(folder.cleanup)
        file = pathlib.Path(folder.name) / "policy.json"
        file.write_text(json.dumps(test_nudges.POLICY))
        cls.world = cls.enterClassContext(World(policy=file))
        cls.broker = cls.enterClassContext(Mosquitto())
        cls.subscriber = cls.enterClassContext(Subscriber(cls.broker, "anicca/+/answer"))
        cls.answering = [cls.enterClassContext(Answering(cls.world, cls.broker.address, number)) for number in (1, 2)]
        cls.server = test_nudges.NudgeTests()
        cls.server.world, cls.server.front, cls.server.sign_in = cls.world, test_front.FrontTests.of(cls.world), test_sign_in.SignInTests()
        cls.server.sign_in.world, cls.server.sign_in.front = cls.world, cls.server.front
        cls.answer = yaml.safe_load(CONTRACT.read_text(encoding="utf-8"))["components"]["messages"]["answer"]["payload"]

    def enrol(self, participant, *description):
        self.world.owner("enroll", participant)
        if description:
            self.world.owner("participant", participant, *description)

    def publish(self, device, minutes=90, key=None, ago=datetime.timedelta()):
        """The key of an event that is published now."""
        key = key or str(uuid.uuid4())
        at = (datetime.datetime.now(datetime.timezone.utc) - ago).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.broker.publish(f"anicca/{device}/event", json.dumps(
            {"key": key, "eventType": test_nudges.SITTING, "eventPayload": {"stationaryMinutes": minutes}, "timestamp": at}))
        return key

    def answers(self, key, count=2):
        """All answers to an event, as (device, nudge), once both have answered."""
        def found():
            return [message for message in self.subscriber.messages if key in message["payload"]]
        until(lambda: len(found()) >= count, "both answer", 20)
        for message in found():
            jsonschema.validate(json.loads(message["payload"]), self.answer)
            self.assertFalse(message["retain"])
        return {(message["topic"].split("/")[1], json.dumps(json.loads(message["payload"]).get("nudge"))) for message in found()}

    def kept(self, participant):
        return self.world.cluster.query(
            f"SELECT count(*) FROM nudge JOIN participant USING (account) WHERE name = '{participant}'", user=OWNER)[0][0]

    def test_both_answer_with_the_one_nudge_of_the_event(self):
        self.enrol("P70")
        self.enrol("P71", "--language", "de")
        for device, language in (("P70", "en"), ("P71", "de")):
            nudge = json.dumps({"message": WALK[language], "strength": "light"})
            self.assertEqual(self.answers(self.publish(device)), {(device, nudge)})
            self.assertEqual(self.kept(device), "1")

    def test_an_event_without_a_nudge_is_answered_too(self):
        self.enrol("P72")
        for device, event in (("nobody", {}), ("P72", {"minutes": 60}), ("P72", {"ago": test_nudges.LATE})):
            self.assertEqual(self.answers(self.publish(device, **event)), {(device, "null")})
        self.assertEqual(self.kept("P72"), "0")

    def test_at_most_so_many_a_day_over_the_broker_and_the_server_together(self):
        token = self.server.token("P73")
        key = str(uuid.uuid4())
        nudge = self.server.event(token, key=key)
        self.assertEqual({json.loads(text)["message"] for _, text in self.answers(self.publish("P73", key=key))}, {nudge["message"]})
        self.assertEqual(self.kept("P73"), "1", "the same event over both has one nudge")
        keys = [key]
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            keys += pool.map(lambda _: self.publish("P73"), range(8))
        answers = [answer for key in keys for answer in self.answers(key)]
        self.assertEqual(sum(nudge != "null" for _, nudge in answers), 2, answers)
        self.assertEqual(self.kept("P73"), "2")

    def test_an_event_that_is_published_again_has_the_same_nudge(self):
        self.enrol("P74")
        key = self.publish("P74")
        first = self.answers(key)
        self.publish("P74", key=key)
        self.assertEqual(self.answers(key, 4), first)
        self.assertEqual(self.kept("P74"), "1")

    def test_what_is_no_event_is_refused_and_the_next_one_is_answered(self):
        self.enrol("P75")
        before = [process.times("refused") for process in self.answering]
        event = {"key": str(uuid.uuid4()), "eventType": test_nudges.SITTING, "eventPayload": {"stationaryMinutes": 90}, "timestamp": "2026-01-01T00:00:00Z"}
        strange = ["", "x", "[]", "{}", json.dumps({**event, "key": "P75"}), json.dumps({**event, "more": 1}), json.dumps({**event, "eventType": "sleep"}),
                   json.dumps({**event, "userId": str(uuid.uuid4())}), "{" * 9000, json.dumps({key: value for key, value in event.items() if key != "key"})]
        for payload in strange:
            self.broker.publish("anicca/P75/event", payload)
        self.broker.publish("anicca/P75/event", json.dumps(event), "-r")
        self.assertEqual(len(self.answers(self.publish("P75"))), 1)
        self.assertEqual([process.times("refused") for process in self.answering], [number + len(strange) for number in before])
        for process in self.answering:
            self.assertNotIn("P75", process.log.read_text())

    def test_after_a_restart_of_the_broker_events_are_answered(self):
        self.enrol("P76")
        before = [process.times("subscribed") for process in self.answering]
        self.broker.rest()
        self.broker.kill()
        self.broker.start()
        until(lambda: all(process.times("subscribed") > number for process, number in zip(self.answering, before)), "both have come back", 60)
        self.assertEqual(len(self.answers(self.publish("P76"))), 1)

    def test_without_its_table_there_is_no_nudge_until_it_is_back(self):
        self.enrol("P77")
        self.world.cluster.query("ALTER TABLE nudge RENAME TO hidden", user=OWNER)
        try:
            self.assertEqual(self.answers(self.publish("P77")), {("P77", "null")})
        finally:
            self.world.cluster.query("ALTER TABLE hidden RENAME TO nudge", user=OWNER)
        self.assertNotIn(("P77", "null"), self.answers(self.publish("P77")))


class LoginTests(unittest.TestCase):
    def end(self, world, *words):
        ended = subprocess.run([RECEIVER, "subscribe", "--database", world.cluster.url(SERVING), "--policy", world.policy, *words],
                               capture_output=True, text=True, timeout=60)
        return ended.returncode, ended.stderr

    def test_a_broker_is_met_with_its_own_authority_and_a_password_or_not_at_all(self):
        with tempfile.TemporaryDirectory(prefix="anicca-nudges-") as name:
            folder = pathlib.Path(name)
            policy, password, wrong = folder / "policy.json", folder / "password", folder / "wrong"
            policy.write_text(json.dumps(test_nudges.POLICY))
            password.write_text("of a test\n")
            wrong.write_text("another")
            users = folder / "users"
            subprocess.run(["mosquitto_passwd", "-b", "-c", users, "study", "of a test"], check=True, stderr=subprocess.DEVNULL)
            certificates = Certificates(folder)
            certificates.certificate("here", host="localhost")
            listener = [f"certfile {certificates.path('here')}", f"keyfile {certificates.path('here', 'key')}", f"password_file {users}",
                        "allow_anonymous false"]
            with World(policy=policy) as world, Mosquitto(listener=listener) as broker, Stranger(silent) as stranger:
                waiting = Answering(world, stranger.address, 2)
                waiting.start()
                self.addCleanup(waiting.__exit__)
                login = ["--broker", f"mqtts://localhost:{broker.port}", "--user", "study", "--ca-file", certificates.path("known"), "--password-file", password]
                with Answering(world, login[1], 1, *login[2:]) as answering:
                    self.assertTrue(answering.is_running)
                    self.assertEqual(answering.stop(), 0)
                for changed, said in (
                        ({"--ca-file": certificates.path("unknown")}, "TLS"), ({"--password-file": wrong}, "refuses the login"),
                        ({"--password-file": folder / "none"}, "none cannot be read"), ({"--broker": "mqtts://localhost:1"}, "localhost:1: ")):
                    code, errors = self.end(world, *[changed.get(before, word) for before, word in zip([""] + login, login)])
                    self.assertIn(code, (65, 69), errors)
                    self.assertIn(said, errors)
                for address in ("mqtt://broker.example", "https://localhost", "mqtts://", "mqtts://user@localhost", "mqtts://localhost:0"):
                    self.assertEqual(self.end(world, "--broker", address)[0], 64, address)
                self.assertEqual(self.end(world, "--broker", "mqtt://localhost", "--topic", "a\nb")[0], 64)
                until(lambda: not waiting.is_running, "it does not wait for ever for a broker that is silent", 60)
                self.assertEqual(waiting.code, 69)


if __name__ == "__main__":
    unittest.main()
