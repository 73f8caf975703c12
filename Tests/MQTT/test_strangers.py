"""Listeners at the broker's address that are none, or misbehave: the uploader ends in time, says what is wrong, keeps the
records, and delivers them to a broker that works."""

import itertools
import signal
import socket
import struct
import time
import unittest

from harness import PROGRAMS
from harness.brokers import CONNACK, Mosquitto, Proxy, Stranger, Subscriber, message_id, puback
from harness.device import run
from harness.processes import Receiver, until
from harness.wearable import Wearable

LARGEST_MEMORY = 40_000  # KiB


def read_packet(link):
    """One packet that fits into one read."""
    return link.recv(65536)


def silent(link):
    while link.recv(65536):
        pass


def script(*steps):
    """Answers by a script: reads a packet (READ), sends bytes, or does what a function does."""
    def answer(link):
        for step in steps:
            if isinstance(step, bytes):
                link.sendall(step)
            else:
                step(link)
    return answer


READ = read_packet
#: To the first record.
LOGIN = (READ, CONNACK, READ)


def reset(link):
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def pause(_link):
    """So that what was sent arrives before the end."""
    time.sleep(0.2)


def another_message_id(link):
    other = (int.from_bytes(message_id(read_packet(link)), "big") % 65535 + 1).to_bytes(2, "big")
    link.sendall(puback(other) + puback(b"\xff\xfe"))


def without_end(*pieces):
    """Sends the first piece, and then the second until the other side has gone or has got 2 GB."""
    def answer(link):
        try:
            link.sendall(pieces[0])
            for _ in range(2 * 2**30 // len(pieces[1])):
                link.sendall(pieces[1])
        except OSError:
            pass
    return script(*LOGIN, answer)


def connack(code):
    return bytes([0x20, 0x03, 0x00, code, 0x00])


def refuse(code):
    return script(READ, connack(code), pause)


def acknowledge(link, codes):
    """Logs in, and acknowledges each record with the next code."""
    script(READ, CONNACK)(link)
    for code in codes:
        publish = read_packet(link)
        if not publish or publish[0] >> 4 != 3:
            return
        link.sendall(puback(message_id(publish), code))


def acknowledge_with(code):
    return lambda link: acknowledge(link, itertools.repeat(code))


class StrangerTests(unittest.TestCase):
    # Said at the deadline.
    LATE = ("gave no answer in time", "waited for an acknowledgement")
    # Answer, end of the run, a part of what is said.
    CASES = {
        "silent": (silent, "held", "gave no answer in time"),
        # It has said something: one that hangs up before may be met as one that nobody reaches.
        "drop": (script(READ), "held", "closed the connection"),
        "reset": (script(READ, reset), "held", "closed the connection"),
        "garbage": (script(READ, bytes(range(255, 0, -1)) * 50, silent), "held", "does not speak MQTT"),
        "http": (script(READ, b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), "held", "does not speak MQTT"),
        "drop after the login": (script(*LOGIN), "held", "closed the connection"),
        "silent after the login": (script(READ, CONNACK, silent), "held", "waited for an acknowledgement"),
        "another message id": (script(READ, CONNACK, another_message_id, silent), "held", "waited for an acknowledgement"),
        "no such user": (refuse(0x86), "paused", "0x86"),
        "not authorized": (refuse(0x87), "paused", "0x87"),
        "another answer to the login": (script(*LOGIN, connack(0x87), pause), "held", "closed the connection"),
        "busy": (refuse(0x89), "held", "0x89"),
        "unavailable": (refuse(0x88), "held", "0x88"),
        "moved": (refuse(0x9D), "held", "has moved"),
        "an older standard": (refuse(0x84), "held", "does not speak MQTT 5"),
        "quota": (acknowledge_with(0x97), "held", "accepts no more messages now"),
        "an ACL": (acknowledge_with(0x87), "held", "does not allow this login to publish"),
        "shutting down": (script(*LOGIN, bytes([0xE0, 0x02, 0x8B, 0x00]), pause), "held", "ended the session"),
    }

    def test_each_is_survived(self):
        for name, (answer, end, text) in self.CASES.items():
            stranger = Stranger(answer)
            delivery = "deadline = 2s" if text in self.LATE else ""
            with self.subTest(name), Wearable(stranger.address, delivery=delivery) as device:
                expected = {item["key"] for item in device.queue()}
                device.later()
                with stranger:
                    ended = device.upload()
                self.assertEqual(ended.summary.get("end"), end, ended)
                self.assertIn(text, ended.err)
                self.assertEqual(stranger.connections, 1, "one drop ends the run with this broker")
                self.assertEqual(ended.code, 0 if end == "paused" else 75, "what only a person mends asks for no run")
                self.assertLess(ended.peak, LARGEST_MEMORY)
                if end == "paused":
                    continue
                # At the same address: another broker would be another account.
                with Mosquitto() as broker, Subscriber(broker) as subscriber, Proxy(broker, port=stranger.port):
                    device.deliver()
                    until(lambda: len(self.keys(subscriber)) == 6, "all arrive at a broker that works")
                    self.assertEqual(self.keys(subscriber), expected)

    @staticmethod
    def keys(subscriber):
        return {record["key"] for record in subscriber.records("daily") + subscriber.records("event")}

    def test_what_is_sent_without_end_costs_no_memory(self):
        for name, answer in (("one packet", without_end(b"\x30\xff\xff\xff\x7f", bytes(65536))), ("many", without_end(b"", b"\xd0\x00" * 4096))):
            with self.subTest(name), Stranger(answer) as stranger, Wearable(stranger.address, delivery="deadline = 2s") as device:
                device.later()
                ended = device.upload()
                self.assertEqual(ended.code, 75, ended)
                self.assertLess(ended.peak, 64 * 1024)

    def test_a_record_that_can_never_be_taken_is_set_aside(self):
        # The first one clears what was retained.
        with Stranger(lambda link: acknowledge(link, itertools.chain([0], itertools.repeat(0x99)))) as stranger, Wearable(
                stranger.address) as device:
            device.later()
            ended = device.upload()
            self.assertEqual(ended.summary["setAside"], 2, ended)
            self.assertEqual(ended.summary["end"], "held", "two in a row are no fault of the records")

    def test_a_broker_that_ends_every_run_loses_nothing_and_keeps_nothing_from_the_server(self):
        """libmosquitto 2.0.11 ends the program at a property that it does not know; a later one may take it for a broken packet."""
        property_7f = b"\x03\x7f\x00\x00"
        trials = {"at the login": script(READ, b"\x20\x06\x00\x00" + property_7f, pause),
                  "at a record": script(*LOGIN, b"\xe0\x05\x8b" + property_7f, pause)}
        for name, answer in trials.items():
            stranger = Stranger(answer)
            with self.subTest(name), Receiver(":memory:") as server, Wearable(
                    stranger.address, delivery="first-retry = 30s\nlongest-retry = 1h", server=server.address) as device:
                device.later()
                with stranger:
                    ends = [self.upload_that_may_end(device) for _ in range(20)]
                    self.assertIn(ends[0].code, (-signal.SIGABRT, 75), ends[0])
                    self.assertLessEqual(stranger.connections, 4, "after three runs that never ended the broker is left alone")
                    self.assertEqual([item["waitsFor"] for item in device.queue() if "(mqtt)" not in item["waitsFor"]], [])
                    days, events = server.bodies("/mobile/daily_metrics"), server.bodies("/nudge/trigger")
                    self.assertEqual((len(days) + len(events), all("steps" in day for day in days)), (6, True), "the server gets its own")
                    device.run("anicca", "forget", "steps", "--yes")
                    self.upload_that_may_end(device)
                    self.assertFalse(any("steps" in day for day in server.bodies("/mobile/daily_metrics")), "and what comes later")
                    for _ in range(24):
                        device.later(1)
                        self.upload_that_may_end(device)
                    self.assertGreater(stranger.connections, 10, "it is tried again")
                with Mosquitto() as broker, Subscriber(broker) as subscriber, Proxy(broker, port=stranger.port):
                    device.deliver()
                    until(lambda: sorted(record["timestamp"] for record in subscriber.records("event"))
                          == sorted(event["timestamp"] for event in events), "what was not forgotten arrives at a broker that works")

    @staticmethod
    def upload_that_may_end(device):
        """One run as a timer starts it."""
        return run([PROGRAMS / "anicca-upload", "--json", "--config", device.config], device.environment(), patience=30)

    def test_no_listener(self):
        with Wearable("mqtt://127.0.0.1:1") as device:
            device.later()
            ended = device.upload()
            self.assertEqual(ended.summary["end"], "unreachable")
            self.assertIn("Connection refused", ended.err)
            self.assertEqual({item["attempts"] for item in device.queue()}, {0}, "that is no attempt")

    def test_a_slow_broker_gets_everything(self):
        def slow(_direction, _packet):
            time.sleep(0.1)
        with Mosquitto() as broker, Subscriber(broker) as subscriber, Proxy(broker, slow) as proxy, Wearable(proxy.address) as device:
            device.later()
            self.assertEqual(device.upload().summary["waiting"], 0)
            until(lambda: len(self.keys(subscriber)) == 6, "all arrive")
            self.assertEqual(proxy.connections, 1, "one connection for a run")


if __name__ == "__main__":
    unittest.main()
