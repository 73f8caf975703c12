"""The broker is killed in the middle of a night of devices: each record is there, once by its key, and none is another one than was sent.

DEVICES=10000 tries the whole fleet, SPEED another length of the night.
"""

import collections
import contextlib
import datetime
import json
import os
import pathlib
import signal
import tempfile
import time
import unittest

from harness import PROGRAMS
from harness.brokers import Mosquitto, Subscriber
from harness.processes import Failed, Process, until

DEVICES = int(os.environ.get("DEVICES", "300"))
SPEED = int(os.environ.get("SPEED", max(2, 120 // max(1, DEVICES // 600))))
# Seconds of the devices' time: when half have come, and for how long the broker is away.
MIDDLE, OUTAGE = 1800, 300
# The most retries of a minute against the busiest of arrivals, those that find no broker included: 3.3 in a fleet of 10000. Devices that come while
# the test waits for the store arrive together after it.
PEAK = 4


def since_three(text):
    """Seconds of the devices' time since the night began."""
    time_of_day = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (time_of_day - time_of_day.replace(hour=3, minute=0, second=0)).total_seconds()


class BrokerTests(unittest.TestCase):
    def play(self, directory, broker):
        """What the laboratory says of the night, what it sent, and when the broker was back, by the devices' time or a little later."""
        truth = directory / "truth"
        words = [PROGRAMS / "anicca-lab", "fleet", "--broker", broker.address, "--devices", DEVICES, "--speed", SPEED, "--truth", truth,
                 "--lifetime", f"{7200 // SPEED + 120}s"]
        began = time.monotonic()
        with open(directory / "out", "wb") as out:
            sending = Process(words, directory / "log", stdout=out)
        try:
            time.sleep(MIDDLE / SPEED)
            # mosquitto may lose what it acknowledged since it last wrote its store: nothing is sent for that moment.
            sending.send(signal.SIGSTOP)
            broker.rest()
            broker.kill()
            sending.send(signal.SIGCONT)
            time.sleep(OUTAGE / SPEED)
            broker.start()
            back = (time.monotonic() - began) * SPEED
            self.assertEqual(sending.wait(), 0, sending.last_words())
        finally:
            sending.kill()
        return json.loads((directory / "out").read_text()), [json.loads(line) for line in truth.read_text().splitlines()], back

    def test_the_broker_is_killed_under_the_fleet_of_the_laboratory(self):
        with tempfile.TemporaryDirectory(prefix="anicca-fleet-broker-") as name:
            directory = pathlib.Path(name)
            with Mosquitto() as broker, Subscriber(broker, "anicca/+/daily") as subscriber:
                told, sent, back = self.play(directory, broker)
                with contextlib.suppress(Failed):
                    until(lambda: len(subscriber.by_key()) >= len(sent), "all records are with the subscriber", 60)
                found = subscriber.by_key()
        self.describe(told, sent, found, back)
        self.assertEqual((len(sent), told["delivered"]), (DEVICES, DEVICES))
        self.assertEqual(set(found), {line["key"] for line in sent})
        for line in sent:
            record = (line["device"], {"date": line["date"], **line["figures"]})
            self.assertTrue(all(one == record for one in found[line["key"]]), f"{line} came as {found[line['key']]}")
        # A slow machine ends what it began on time a little later.
        last = max(since_three(line["deliveredAt"]) for line in sent)
        self.assertLessEqual(last, max(3600, back) + told["longestWaitSeconds"] + 120, "later than the backoff allows")
        limit = PEAK * told["arrivalPeak"]
        self.assertLessEqual(told["retryPeak"], limit + 4 * limit**0.5, "they came back all at once")

    def describe(self, told, sent, found, back):
        minutes = collections.Counter(int(since_three(line["deliveredAt"]) // 60) for line in sent if "deliveredAt" in line)
        print(f"the laboratory's fleet at a broker: {told['delivered']} records, {told['attempts']} attempts, {told['outcomes']}, "
              f"{sum(map(len, found.values())) - len(found)} came twice; {told['arrivalMean']:.0f} arrive in a minute on the mean and "
              f"{told['arrivalPeak']} at most, again at most {told['retryPeak']}, delivered at most {max(minutes.values())}, and "
              f"{minutes[int(back // 60)]} in the minute of the return; longest wait {told['longestWaitSeconds']} s", flush=True)


if __name__ == "__main__":
    unittest.main()
