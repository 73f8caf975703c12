"""Answers to events over a broker: a nudge reaches the wearer, and whatever else comes there costs nothing but a short wait."""

import json
import threading
import time
import unittest
import uuid

from harness.brokers import CONNACK, Answerer, Mosquitto, Proxy, Stranger, Subscriber, message_id, puback
from harness.wearable import ROOT, Wearable

SUBSCRIBE, PUBLISH, PUBACK = 8, 3, 4
MESSAGE = "Steh auf und geh ein paar Schritte ä"


def answer(key, message=MESSAGE, strength="light", **more):
    return json.dumps({"key": key, "nudge": {"strength": strength, "message": message}, **more})


class AnswerTests(unittest.TestCase):
    NUDGES = "nudges = yes"
    # A run in which one event waits for an answer that never comes does not finish.
    SHORT = "deadline = 4s"

    def delivered(self, device):
        """The nudge of the device, after one run has delivered its events, and others everything else."""
        device.later()
        ended = device.upload()
        self.assertEqual((ended.code, ended.summary["end"]), (0, "finished"), ended)
        self.assertGreater(ended.summary["deliveredEvents"], 0)
        device.deliver()
        return device.nudge

    def test_a_nudge_is_kept_for_the_wearer(self):
        with Mosquitto() as broker, Answerer(broker, lambda event: [answer(event["key"])]) as answerer:
            with Wearable(broker.address, self.NUDGES) as device:
                nudge = self.delivered(device)
                self.assertEqual((nudge["message"], nudge["strength"]), (MESSAGE, "light"))
                self.assertEqual(len(device.nudges), len({event["key"] for event in answerer.events}), "one for each event")

    def test_an_answer_without_a_nudge_ends_the_wait(self):
        with Mosquitto() as broker, Answerer(broker, lambda event: [json.dumps({"key": event["key"]})]) as answerer:
            with Wearable(broker.address, self.NUDGES, delivery=self.SHORT) as device:
                self.assertIsNone(self.delivered(device))
                self.assertTrue(answerer.events)

    def test_what_is_no_answer_to_the_event_is_ignored(self):
        def strangers(event):
            key = event["key"]
            return ["", "x", "{}", "[]", "null", answer(str(uuid.uuid4())), answer(key.upper()), answer(key)[:-1], json.dumps({"nudge": {"strength": "light", "message": "no key"}}),
                    json.dumps({"key": {"key": key}}), "{" * 5000, answer(key, pad="x" * 9000), *[answer(str(uuid.uuid4())) for _ in range(40)],
                    answer(key, "the right one", "strong")]
        with Mosquitto() as broker, Answerer(broker, strangers), Wearable(broker.address, self.NUDGES) as device:
            nudge = self.delivered(device)
            self.assertEqual((nudge["message"], nudge["strength"]), ("the right one", "strong"))

    def test_a_message_is_as_short_and_plain_as_a_servers(self):
        with Mosquitto() as broker, Answerer(broker, lambda event: [answer(event["key"], "a\u001b[2J\u202eb" + "x" * 300)]):
            with Wearable(broker.address, self.NUDGES) as device:
                self.assertEqual(self.delivered(device)["message"], ("a[2Jb" + "x" * 300)[:200])

    def test_the_same_answer_twice_is_one_nudge(self):
        with Mosquitto() as broker, Answerer(broker, lambda event: [answer(event["key"])] * 3) as answerer:
            with Wearable(broker.address, self.NUDGES) as device:
                self.delivered(device)
                self.assertEqual(len(device.nudges), len(answerer.events))

    def test_nobody_is_waited_for_without_the_setting(self):
        seen = []
        with Mosquitto() as broker, Answerer(broker, lambda event: [answer(event["key"])]):
            with Proxy(broker, lambda direction, packet: seen.append((direction, packet[0] >> 4))) as proxy, Wearable(proxy.address) as device:
                self.assertIsNone(self.delivered(device))
        self.assertIn(("up", PUBLISH), seen)
        self.assertNotIn(("up", SUBSCRIBE), seen)

    def test_without_a_subscriber_no_event_waits(self):
        with Mosquitto() as broker, Wearable(broker.address, self.NUDGES, delivery=self.SHORT) as device:
            self.assertIsNone(self.delivered(device))

    def test_a_subscriber_that_never_answers_costs_one_wait_in_a_run(self):
        with Mosquitto() as broker, Subscriber(broker), Wearable(broker.address, self.NUDGES) as device:
            # Two waits of five seconds would not fit into the run.
            self.assertIsNone(self.delivered(device))

    def test_an_event_whose_answers_may_not_be_read_is_delivered(self):
        for name, answer_to in {
                "refused": lambda packet: bytes([0x90, 0x04]) + packet[2:4] + bytes([0, 0x87]),
                "the session ended with a reason": lambda _: bytes([0xE0, 0x02, 0x87, 0x00]), "and without": lambda _: None,
                "no answer": lambda _: b"", "an answer to another request": lambda _: bytes([0x90, 0x04, 0x7F, 0xFF, 0, 1])}.items():
            def meet(link, answer_to=answer_to):
                """A broker that takes everything and allows no subscription."""
                link.recv(65536)
                link.sendall(CONNACK)
                while packet := link.recv(65536):
                    kind = packet[0] >> 4
                    if kind == SUBSCRIBE:
                        answered = answer_to(packet)
                        if answered is None:
                            return
                        link.sendall(answered)
                        if answered[:1] == b"\xE0":
                            return
                    elif kind == PUBLISH:
                        link.sendall(puback(message_id(packet)))
            with self.subTest(name), Stranger(meet) as broker, Wearable(broker.address, self.NUDGES) as device:
                device.later()
                ended = device.upload()
                self.assertEqual((ended.summary["end"], ended.summary["waiting"], device.nudge), ("finished", 0, None), ended)
                said = device.run("anicca", "doctor", codes=(0, 69, 1, 78))
                self.assertIn(f"does not allow this login to subscribe to {ROOT}/answer", said)

    def test_a_retained_answer_is_of_another_time(self):
        with Mosquitto() as broker, Subscriber(broker), Wearable(broker.address, self.NUDGES) as device:
            key = next(item["key"] for item in device.queue() if "event" in item)
            broker.publish(f"{ROOT}/answer", answer(key), "-r")
            self.assertIsNone(self.delivered(device))

    def test_the_connection_ends_while_an_answer_is_waited_for(self):
        def cut(direction, packet):
            # Behind the acknowledgement of the event.
            return "after" if direction == "down" and packet[0] >> 4 == PUBACK else None
        with Mosquitto() as broker, Subscriber(broker) as subscriber, Proxy(broker, cut) as proxy, Wearable(proxy.address, self.NUDGES) as device:
            expected = {item["key"] for item in device.queue()}
            for _ in range(2 * len(expected)):
                device.later()
                device.upload()
            self.assertEqual(device.queue(), [])
            self.assertEqual({record["key"] for topic in ("daily", "event") for record in subscriber.records(topic)}, expected)

    def test_an_uploader_that_is_killed_while_it_waits_asks_again(self):
        asked = threading.Event()

        def late(event):
            if not asked.is_set():
                asked.set()
                return []
            return [answer(event["key"])]
        with Mosquitto() as broker, Answerer(broker, late) as answerer, Wearable(broker.address, self.NUDGES) as device:
            device.later()
            killed = device.upload(kill_when=lambda: asked.is_set() and not time.sleep(0.3))
            self.assertTrue(killed.was_killed)
            self.delivered(device)
            keys = [event["key"] for event in answerer.events]
            self.assertEqual(keys.count(keys[0]), 2, "the event is published again")
            self.assertEqual(len(device.nudges), len(set(keys)), "and each has one nudge")


if __name__ == "__main__":
    unittest.main()
