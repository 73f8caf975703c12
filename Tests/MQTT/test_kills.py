"""Connections, brokers and uploaders that end around a PUBACK: every record arrives at least once, and once by its key.

A broker that dies loses a message between its PUBACK and the subscriber: mosquitto had it in memory. No device can mend this, so a record
whose PUBACK reached the device is with the subscriber before the broker is killed.

MQTT_KILLS is how often something is killed in all, MQTT_SEED which draw it is.
"""

import collections
import functools
import json
import os
import random
import threading
import time
import unittest

from harness.brokers import Mosquitto, Proxy, Subscriber, message_id
from harness.processes import until
from harness.wearable import ROOT, Wearable

KILLS = int(os.environ.get("MQTT_KILLS", "208"))
SEED = int(os.environ.get("MQTT_SEED", "7"))
PUBLISH, PUBACK = 3, 4
# With one device; another one follows then.
KILLS_OF_A_DEVICE = 8


class Killer:
    """Ends something at a packet that is drawn: the connection, the broker or the uploader, before or after the packet is passed on."""

    def __init__(self, draw, broker, victim, is_with_subscriber):
        self.broker, self.victim, self.is_with_subscriber = broker, victim, is_with_subscriber
        self.kind = draw.choice([PUBLISH, PUBACK])
        self.count = draw.randint(1, 5)
        self.when = draw.choice(["before", "after"])
        self.is_due = threading.Event()
        # What was published, by packet identifier, and what of it the device knows to be acknowledged.
        self.published, self.acknowledged = {}, []

    def __call__(self, direction, packet):
        if self.is_due.is_set():
            return "before"
        kind = packet[0] >> 4
        self.count -= kind == self.kind
        if (kind, direction) == (PUBLISH, "up"):
            self.published[message_id(packet)] = packet
        elif (kind, direction) == (PUBACK, "down") and (self.count > 0 or self.when == "after"):
            self.acknowledged.append(self.published[packet[2:4]])
        return self.end() if kind == self.kind and self.count <= 0 else None

    def end(self):
        if self.victim == "uploader":
            if self.when == "before":
                self.is_due.set()
                time.sleep(0.1)
                return "before"
            # It is killed while it stores what came.
            threading.Timer(0.0005, self.is_due.set).start()
            return None
        self.is_due.set()
        if self.victim == "broker":
            until(lambda: all(map(self.is_with_subscriber, self.acknowledged)), "what is acknowledged arrives")
            if self.when == "before":
                self.broker.kill()
            else:
                threading.Timer(0.002, self.broker.kill).start()
        return self.when


class KillTests(unittest.TestCase):
    def check(self, device, subscriber, expected):
        device.deliver(runs=20)
        until(lambda: expected <= {record["key"] for record in self.records(subscriber)}, "every record arrives")
        bodies = collections.defaultdict(set)
        for record in self.records(subscriber):
            bodies[record["key"]].add(json.dumps(record))
        for key in expected:
            self.assertEqual(len(bodies[key]), 1, "the same key means the same record")
        device.later()
        device.upload()

    def arrived(self, subscriber, expected, packet):
        """Whether the subscriber has the record of a PUBLISH, if it holds one."""
        keys = {key for key in expected if key.encode() in packet}
        return keys <= {record["key"] for record in self.records(subscriber)}

    @staticmethod
    def records(subscriber):
        return subscriber.records("daily") + subscriber.records("event")

    def kill(self, victim, kills, of_a_device=KILLS_OF_A_DEVICE):
        draw = random.Random(f"{SEED} {victim}")
        done = 0
        with Mosquitto() as broker, Proxy(broker) as proxy:
            while done < kills:
                with Subscriber(broker, f"{ROOT}/#") as subscriber, Wearable(proxy.address) as device:
                    expected = {item["key"] for item in device.queue()}
                    self.assertEqual(len(expected), 6)
                    for _ in range(of_a_device):
                        killer = proxy.cut = Killer(draw, broker, victim, functools.partial(self.arrived, subscriber, expected))
                        device.later()
                        ended = device.upload(kill_when=killer.is_due.is_set if victim == "uploader" else None)
                        done += killer.is_due.is_set()
                        proxy.cut = lambda direction, packet: None
                        if victim == "broker" and killer.is_due.is_set():
                            self.revive(broker, subscriber)
                        if ended.code == 0:
                            break
                    self.check(device, subscriber, expected)

    @staticmethod
    def revive(broker, subscriber):
        """Starts the broker, and waits until its subscriber is back."""
        until(lambda: not broker.is_running, "the broker is dead")
        broker.start()
        known = len(subscriber.messages)
        for _ in range(100):
            broker.publish(f"{ROOT}/probe", "there")
            if len(subscriber.messages) > known:
                return
            time.sleep(0.1)
        raise AssertionError("the subscriber does not come back")

    def test_the_connection(self):
        self.kill("connection", KILLS * 6 // 10)

    def test_the_uploader(self):
        self.kill("uploader", KILLS * 3 // 10)

    def test_the_broker(self):
        self.kill("broker", KILLS - KILLS * 6 // 10 - KILLS * 3 // 10)


if __name__ == "__main__":
    unittest.main()
