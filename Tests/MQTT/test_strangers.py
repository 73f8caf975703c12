"""Listeners at the broker's address that are none, or misbehave: the uploader ends in time, says what is wrong, keeps the
records, and delivers them to a broker that works."""

import socket
import struct
import time
import unittest

from harness.brokers import CONNACK, Mosquitto, Proxy, Stranger, Subscriber, message_id, puback
from harness.processes import until
from harness.wearable import Wearable

LARGEST_MEMORY = 40_000  # KiB


def read_packet(link):
    """One packet that fits into one read."""
    return link.recv(65536)


def silent(link):
    while link.recv(65536):
        pass


def drop(link):
    """After the uploader has said something: one that hangs up before may be met as one that nobody reaches."""
    read_packet(link)


def reset(link):
    read_packet(link)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def garbage(link):
    read_packet(link)
    link.sendall(bytes(range(255, 0, -1)) * 50)
    silent(link)


def http(link):
    read_packet(link)
    link.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def drop_after_login(link):
    read_packet(link)
    link.sendall(CONNACK)
    read_packet(link)


def silent_after_login(link):
    read_packet(link)
    link.sendall(CONNACK)
    silent(link)


def another_message_id(link):
    read_packet(link)
    link.sendall(CONNACK)
    publish = read_packet(link)
    other = (int.from_bytes(message_id(publish), "big") % 65535 + 1).to_bytes(2, "big")
    link.sendall(puback(other) + puback(b"\xff\xfe"))
    silent(link)


def huge(link):
    read_packet(link)
    link.sendall(CONNACK)
    read_packet(link)
    link.sendall(b"\x30\xff\xff\xff\x7f")
    try:
        for _ in range(300):
            link.sendall(bytes(65536))
    except OSError:
        pass


def many_small(link):
    read_packet(link)
    link.sendall(CONNACK)
    read_packet(link)
    try:
        while True:
            link.sendall(b"\xd0\x00" * 4096)
    except OSError:
        pass


def refuse(code):
    def answer(link):
        read_packet(link)
        link.sendall(bytes([0x20, 0x03, 0x00, code, 0x00]))
        time.sleep(0.2)
    return answer


def refuse_after_all(link):
    read_packet(link)
    link.sendall(CONNACK)
    read_packet(link)
    link.sendall(bytes([0x20, 0x03, 0x00, 0x87, 0x00]))
    time.sleep(0.2)


def acknowledge_with(code):
    def answer(link):
        read_packet(link)
        link.sendall(CONNACK)
        while True:
            publish = read_packet(link)
            if not publish or publish[0] >> 4 != 3:
                return
            link.sendall(puback(message_id(publish), code))
    return answer


def disconnect_with(code):
    def answer(link):
        read_packet(link)
        link.sendall(CONNACK)
        read_packet(link)
        link.sendall(bytes([0xE0, 0x02, code, 0x00]))
        time.sleep(0.2)
    return answer


class StrangerTests(unittest.TestCase):
    # Answer, end of the run, a part of what is said; the deadline is one second.
    CASES = {
        "silent": (silent, "held", "gave no answer in time"),
        "drop": (drop, "held", "closed the connection"),
        "reset": (reset, "held", "closed the connection"),
        "garbage": (garbage, "held", "does not speak MQTT"),
        "http": (http, "held", "does not speak MQTT"),
        "drop after the login": (drop_after_login, "held", "closed the connection"),
        "silent after the login": (silent_after_login, "held", "waited for an acknowledgement"),
        "another message id": (another_message_id, "held", "waited for an acknowledgement"),
        "no such user": (refuse(0x86), "paused", "0x86"),
        "not authorized": (refuse(0x87), "paused", "0x87"),
        "another answer to the login": (refuse_after_all, "held", "closed the connection"),
        "busy": (refuse(0x89), "held", "0x89"),
        "unavailable": (refuse(0x88), "held", "0x88"),
        "moved": (refuse(0x9D), "held", "has moved"),
        "an older standard": (refuse(0x84), "held", "does not speak MQTT 5"),
        "quota": (acknowledge_with(0x97), "held", "no room"),
        "an ACL": (acknowledge_with(0x87), "held", "does not let this login publish"),
        "shutting down": (disconnect_with(0x8B), "held", "ended the session"),
    }

    def test_each_is_survived(self):
        for name, (answer, end, text) in self.CASES.items():
            stranger = Stranger(answer)
            with self.subTest(name), Wearable(stranger.address, delivery="deadline = 2s") as device:
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
        for answer in (huge, many_small):
            with self.subTest(answer.__name__), Stranger(answer) as stranger, Wearable(
                    stranger.address, delivery="deadline = 2s") as device:
                device.later()
                ended = device.upload()
                self.assertEqual(ended.code, 75, ended)
                self.assertLess(ended.peak, 64 * 1024)

    def test_a_record_that_can_never_be_taken_is_set_aside(self):
        def answer(link):
            read_packet(link)
            link.sendall(CONNACK)
            is_first = True
            while publish := read_packet(link):
                if publish[0] >> 4 != 3:
                    return
                # The first one clears what was retained.
                link.sendall(puback(message_id(publish), 0 if is_first else 0x99))
                is_first = False
        with Stranger(answer) as stranger, Wearable(stranger.address) as device:
            device.later()
            ended = device.upload()
            self.assertEqual(ended.summary["setAside"], 2, ended)
            self.assertEqual(ended.summary["end"], "held", "two in a row are no fault of the records")

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
