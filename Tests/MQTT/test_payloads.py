"""Every payload of a device is as docs/asyncapi.yaml has it."""

import json
import pathlib
import unittest

import jsonschema
import yaml

from harness.brokers import Mosquitto, Subscriber
from harness.processes import until
from harness.wearable import ROOT, Wearable

CONTRACT = pathlib.Path(__file__).resolve().parents[2] / "docs/asyncapi.yaml"


class PayloadTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        contract = yaml.safe_load(CONTRACT.read_text(encoding="utf-8"))
        cls.messages = contract["components"]["messages"]

    def schema(self, topic):
        name = "sensor" if topic.startswith("homeassistant/") else {"daily": "day"}.get(topic.split("/")[-1], topic.split("/")[-1])
        return self.messages[name]["payload"]

    def test_the_examples(self):
        for name, message in self.messages.items():
            for example in message.get("examples", []):
                with self.subTest(name):
                    jsonschema.validate(example["payload"], message["payload"], format_checker=jsonschema.FormatChecker())

    def test_everything_that_is_published(self):
        with Mosquitto() as broker, Subscriber(broker, "#") as subscriber, Wearable(
                broker.address, "home-assistant = homeassistant") as device:
            device.deliver()
            device.run("anicca", "forget", "steps", "--yes", codes=(0,))
            device.deliver()
            until(lambda: subscriber.records("erasure"), "the last of it arrives")
            topics = {message["topic"] for message in subscriber.messages}
            self.assertLessEqual({f"{ROOT}/{name}" for name in ("daily", "event", "erasure", "status")}, topics)
            for message in subscriber.messages:
                if message.get("payload"):
                    with self.subTest(message["topic"]):
                        jsonschema.validate(json.loads(message["payload"]), self.schema(message["topic"]))
                        self.assertEqual(message["qos"], 1)


if __name__ == "__main__":
    unittest.main()
