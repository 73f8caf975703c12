"""The uploader as it ships against a real mosquitto."""

import json
import socket
import subprocess
import tempfile
import unittest

from harness import PROGRAMS
from harness.brokers import Mosquitto, Proxy, Subscriber
from harness.device import DAYS, run
from harness.processes import Receiver, until
from harness.wearable import ROOT, Wearable

CONFIGS = "homeassistant/sensor/anicca_wrist"


def keys(subscriber):
    return [record["key"] for record in subscriber.records("event") + subscriber.records("daily")]


class DeliveryTests(unittest.TestCase):
    def test_every_record_arrives_once_over_one_connection(self):
        with Mosquitto() as broker, Subscriber(broker) as subscriber, Proxy(broker) as proxy, Wearable(proxy.address) as device:
            expected = [item["key"] for item in device.queue()]
            device.later()
            self.assertEqual(device.upload().summary["end"], "finished")
            until(lambda: len(keys(subscriber)) == len(expected), "all arrive")
            self.assertCountEqual(keys(subscriber), expected)
            self.assertEqual(proxy.connections, 1)
            device.later()
            device.upload()
            self.assertEqual(proxy.connections, 1, "without anything to send there is no connection")
            for message in subscriber.messages:
                if message.get("payload") and not message["topic"].endswith("/status"):
                    record = json.loads(message["payload"])
                    self.assertEqual(message["qos"], 1)
                    self.assertEqual(message["properties"]["user-properties"], {"idempotency-key": record["key"]})
                    self.assertNotIn("userId", record)
                    self.assertLess(len(message["payload"]), 1024)

    def test_the_last_day_and_the_status_are_retained_and_events_are_not(self):
        with Mosquitto() as broker, Wearable(broker.address) as device:
            device.deliver()
            retained = broker.retained()
            self.assertEqual(set(retained), {f"{ROOT}/daily", f"{ROOT}/status"})
            self.assertEqual(json.loads(retained[f"{ROOT}/daily"])["date"], f"2025-01-{12 + DAYS}")
            self.assertIn("version", json.loads(retained[f"{ROOT}/status"]))

    def test_a_retained_message_of_a_stranger_is_replaced_and_read_by_nobody_here(self):
        with Mosquitto() as broker, Wearable(broker.address) as device:
            for topic in ("daily", "event", "status", "erasure", "answer"):
                broker.publish(f"{ROOT}/{topic}", '{"nudge":{"strength":"strong","message":"x"}}', "-r")
            device.deliver()
            self.assertEqual(json.loads(broker.retained()[f"{ROOT}/daily"])["date"], f"2025-01-{12 + DAYS}")
            self.assertIsNone(device.nudge)

    def test_another_broker_alone_gets_what_waits_and_another_user_does_not(self):
        with Mosquitto() as broker, Mosquitto() as other, Subscriber(other) as subscriber, Wearable(broker.address) as device:
            expected = [item["key"] for item in device.queue()]
            broker.kill()
            device.later()
            device.upload()
            device.point(other.address, "user = another")
            device.later()
            self.assertEqual(device.upload().summary["waiting"], len(expected), "it waits for its own account")
            self.assertEqual(keys(subscriber), [])
            device.point(other.address)
            device.deliver()
            until(lambda: len(keys(subscriber)) == len(expected), "all arrive")
            self.assertCountEqual(keys(subscriber), expected)

    def test_a_broker_without_room_gets_everything_later(self):
        with Mosquitto("message_size_limit 60") as broker, Wearable(broker.address) as device:
            device.later()
            ended = device.upload()
            self.assertEqual(ended.summary["deliveredDays"] + ended.summary["deliveredEvents"], 0, ended)
            self.assertEqual(len(device.queue()), 6, "nothing is lost")

    def test_a_broker_with_no_connection_left(self):
        with Mosquitto(listener=["allow_anonymous true", "max_connections 1"]) as broker, Wearable(broker.address) as device:
            with socket.create_connection(("127.0.0.1", broker.port)):
                device.later()
                # Whether its end comes before or after the first byte of ours is chance.
                self.assertIn(device.upload().summary["end"], ("held", "unreachable"))
            device.deliver()


class ErasureTests(unittest.TestCase):
    def test_a_request_to_erase_clears_what_is_retained_and_is_not_retained(self):
        with Mosquitto() as broker, Subscriber(broker) as subscriber, Wearable(broker.address) as device:
            device.deliver()
            self.assertIn(f"{ROOT}/daily", broker.retained())
            device.run("anicca", "forget", "steps", "--yes", codes=(0,))
            device.later()
            self.assertEqual(device.upload().summary["deliveredErasures"], 1)
            until(lambda: subscriber.records("erasure"), "the request arrives")
            request, = subscriber.records("erasure")
            self.assertEqual(request["figures"], ["steps"])
            self.assertTrue(request["key"] and request["until"])
            self.assertEqual(set(broker.retained()), {f"{ROOT}/status"})

    def test_with_nothing_allowed_a_request_to_erase_leaves_nothing_retained(self):
        with Mosquitto() as broker, Wearable(broker.address) as device:
            device.deliver()
            device.turn("steps", "off")
            device.turn("motion", "off")
            device.run("anicca", "forget", "steps", "--yes", codes=(0,))
            device.later()
            self.assertEqual(device.upload().summary["deliveredErasures"], 1)
            self.assertEqual(broker.retained(), {})


class HomeAssistantTests(unittest.TestCase):
    KEYS = "home-assistant = homeassistant"

    def test_the_sensors_are_those_of_what_is_allowed_and_go_with_it(self):
        with Mosquitto() as broker, Wearable(broker.address, self.KEYS) as device:
            device.deliver()
            sensors = {topic.split("/")[3] for topic in broker.retained("homeassistant/#")}
            self.assertEqual(sensors, {"steps", "sedentaryMinutes", "date", "sentAt"})
            device.turn("steps", "off")
            self.assertEqual(device.upload().summary["end"], "finished")
            sensors = {topic.split("/")[3] for topic in broker.retained("homeassistant/#")}
            self.assertEqual(sensors, {"sedentaryMinutes", "date", "sentAt"})
            self.assertNotIn(f"{ROOT}/daily", broker.retained(), "it held steps")
            device.turn("motion", "off")
            device.upload()
            self.assertEqual(broker.retained(), {}, "nothing is left")

    def test_a_withdrawal_waits_for_the_broker(self):
        with Mosquitto() as broker, Wearable(broker.address, self.KEYS) as device:
            device.deliver()
            broker.stop()
            device.turn("steps", "off")
            ended = device.upload()
            self.assertEqual((ended.code, ended.summary["unannounced"]), (75, 1), ended)
            broker.start()
            self.assertEqual(device.upload().code, 0)
            self.assertNotIn(f"{CONFIGS}/steps/config", broker.retained("homeassistant/#"))

    def test_the_daemon_rings_for_the_uploader_when_consent_changes(self):
        with Mosquitto() as broker, Wearable(broker.address, self.KEYS) as device:
            bell = device.run_directory / "upload"
            device.start()
            device.upload()
            self.assertFalse(bell.exists())
            device.turn("steps", "off")
            until(bell.exists, "the bell rings")
            device.shut_down()


class TwoSinksTests(unittest.TestCase):
    def test_each_has_a_state_of_its_own(self):
        directory = self.enterContext(tempfile.TemporaryDirectory(prefix="anicca-receiver-"))
        with Receiver(f"{directory}/received.sqlite") as receiver, Mosquitto() as broker, Subscriber(broker) as subscriber, Wearable(
                broker.address, server=receiver.address) as device:
            broker.stop()
            device.later()
            ended = device.upload()
            self.assertEqual(ended.summary["deliveredDays"], DAYS, "the broker keeps nothing from the server")
            self.assertEqual(ended.summary["waiting"], 6)
            self.assertIn("(mqtt)", device.queue()[0]["waitsFor"])
            broker.start()
            device.deliver()
            until(lambda: len(keys(subscriber)) == 6, "and the broker gets all")
            self.assertEqual(device.queue(), [])


class LoginTests(unittest.TestCase):
    PASSWORD = "a secret that nobody may see"

    def broker(self, *more):
        broker = Mosquitto(listener=["allow_anonymous false", "password_file /nonexistent", *more])
        passwords = broker.directory / "passwords"
        passwords.touch(mode=0o600)
        subprocess.run(["mosquitto_passwd", "-b", passwords, "wearer", self.PASSWORD], check=True, stderr=subprocess.DEVNULL)
        broker.config.write_text(broker.config.read_text().replace("/nonexistent", str(passwords)))
        return broker

    def device(self, broker, password):
        device = Wearable(broker.address)
        path = device.write("password", password + "\n")
        device.point(broker.address, f"user = wearer\npassword-file = {path}")
        return device

    def test_the_right_password(self):
        with self.broker() as broker, Subscriber(broker) as subscriber, self.device(broker, self.PASSWORD) as device:
            device.deliver()
            until(lambda: len(keys(subscriber)) == 6, "all arrive")

    def test_a_wrong_password_pauses_until_it_is_another(self):
        with self.broker() as broker, self.device(broker, "wrong " + self.PASSWORD) as device:
            device.later()
            ended = device.upload()
            self.assertEqual((ended.code, ended.summary["end"]), (0, "paused"), ended)
            self.assertNotIn(self.PASSWORD, ended.err)
            self.assertIn("correct the login in [mqtt]", ended.err)
            attempts = broker.log.count("New connection")
            device.later()
            self.assertEqual(device.upload().summary["end"], "paused")
            self.assertEqual(broker.log.count("New connection"), attempts, "it is not tried again")
            self.assertIn("as the broker refused this one", device.queue()[0]["waitsFor"])
            doctor = run([PROGRAMS / "anicca", "doctor", "--config", device.config], device.environment())
            self.assertIn("refuses the login", doctor.out)
            device.write("password", self.PASSWORD)
            device.deliver()

    def test_a_password_that_is_not_there_yet(self):
        with self.broker() as broker, self.device(broker, self.PASSWORD) as device:
            (device.directory / "password").unlink()
            device.later()
            ended = device.upload()
            self.assertEqual((ended.code, ended.summary["end"]), (0, "signedOut"))
            self.assertIn("the password file", ended.err)

    def test_a_password_that_others_can_read_is_not_used(self):
        with self.broker() as broker, self.device(broker, self.PASSWORD) as device:
            (device.directory / "password").chmod(0o644)
            ended = device.upload()
            self.assertEqual(ended.code, 77)
            self.assertIn("chmod 600", ended.err)


if __name__ == "__main__":
    unittest.main()
