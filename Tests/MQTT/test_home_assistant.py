"""The sensors that Home Assistant makes of a device: the real one, in Python 3.11 (make test-home-assistant)."""

import json
import pathlib
import tempfile
import unittest

from harness.brokers import Mosquitto
from harness.home_assistant import PROGRAM, HomeAssistant
from harness.life import Life
from harness.processes import until

ROOT = "anicca/wrist"
# By the end of the object's name in the topic of its discovery.
UNITS = {"steps": ("steps", None), "sedentaryMinutes": ("min", "duration"), "sleepDurationMin": ("min", "duration"),
         "snsMinutesTotal": ("min", "duration"), "wakeAt": (None, "timestamp"), "date": (None, "date"), "sentAt": (None, "timestamp")}


@unittest.skipUnless(PROGRAM.exists(), "no Home Assistant: make test-home-assistant")
class HomeAssistantTests(unittest.TestCase):
    def setUp(self):
        self.broker = self.enterContext(Mosquitto())
        directory = self.enterContext(tempfile.TemporaryDirectory(prefix="anicca-home-life-"))
        self.life = Life(pathlib.Path(directory), "typical", 2, body=True)
        with open(self.life.config, "a", encoding="ascii") as file:
            file.write(f"[mqtt]\nbroker = {self.broker.address}\ndevice = wrist\nhome-assistant = homeassistant\n")
        self.home = self.enterContext(HomeAssistant(self.broker))

    def upload(self, day, hour=4):
        self.life.do("anicca-upload", "--json", "--at", f"2025-01-{day:02}T{hour:02}:00:00Z")

    def offered(self):
        """By object, the discovery messages that the broker keeps."""
        return {topic.split("/")[3]: json.loads(text) for topic, text in self.broker.retained("homeassistant/#").items()}

    def daily(self):
        return json.loads(self.broker.retained(f"{ROOT}/daily")[f"{ROOT}/daily"])

    def names(self):
        """By object, the name that the user sees."""
        return {object: f"{offer['device']['name']} {offer['name']}" for object, offer in self.offered().items()}

    def states(self):
        """By object, the state that the user sees."""
        sensors = self.home.sensors()
        return {object: sensors[name]["state"] for object, name in self.names().items() if name in sensors}

    def expected(self):
        """What each sensor is to show of the retained day."""
        daily, states = self.daily(), {}
        for object in self.offered():
            name, _, column = object.partition("_")
            value = daily.get(name)
            if column:
                value = (value or {}).get(column)
            states[object] = "unknown" if value is None else str(len(value) if isinstance(value, list) else value)
        states["sentAt"] = json.loads(self.broker.retained(f"{ROOT}/status")[f"{ROOT}/status"])["sentAt"]
        for object in ("wakeAt", "sentAt"):
            # Home Assistant writes the zone as an offset.
            states[object] = states[object].replace("Z", "+00:00")
        return states

    def shows(self):
        states = self.states()
        return len(states) > 9 and states == self.expected()

    def test_each_figure_is_a_sensor_with_its_value_unit_and_class(self):
        self.upload(15)
        until(self.shows, "every sensor has its value", 60)
        sensors = self.home.sensors()
        names = self.names()
        for object, (unit, kind) in UNITS.items():
            attributes = sensors[names[object]]["attributes"]
            self.assertEqual((attributes.get("unit_of_measurement"), attributes.get("device_class")), (unit, kind), object)
        self.assertNotEqual(self.states()["steps"], "unknown")
        self.assertNotIn("ERROR", self.home.log)
        self.assertNotIn("mqtt", "\n".join(line for line in self.home.log.splitlines() if "WARNING" in line))

    def test_the_values_are_those_of_the_last_day_after_the_broker_or_home_assistant_was_away(self):
        self.upload(14)
        until(self.shows, "the first day is there", 60)
        self.broker.stop()
        until(lambda: set(self.states_of_all()) == {"unavailable"}, "no sensor pretends to know", 60)
        self.broker.start()
        self.upload(15, 5)
        until(self.shows, "the second day is there", 90)
        before = self.states()
        self.home.stop()
        self.home.start()
        until(lambda: self.states() == before, "it knows the same after a restart", 90)

    def states_of_all(self):
        return [state["state"] for name, state in self.home.sensors().items() if name.startswith("Anicca wrist ")]

    def test_a_sensor_goes_with_the_consent_and_the_day_that_had_it(self):
        self.upload(15)
        until(self.shows, "every sensor has its value", 60)
        steps = self.names()["steps"]
        self.life.do("anicca-lab", "toggle", "steps", "off")
        self.upload(15, 6)
        until(lambda: steps not in self.home.sensors(), "the sensor is gone", 60)
        self.assertNotIn("steps", self.offered())
        self.assertEqual(self.broker.retained(f"{ROOT}/daily"), {})
        until(lambda: {state for object, state in self.states().items() if object != "sentAt"} == {"unknown"}, "the day is gone", 60)


if __name__ == "__main__":
    unittest.main()
