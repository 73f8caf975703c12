"""The broker is killed in the middle of a night of devices (night.py): each record is there, once by its key, and none is another one than was sent."""

import contextlib
import datetime
import signal
import time
import unittest

from harness.brokers import Mosquitto, Subscriber
from harness.processes import Failed, until
from night import OUTAGE, SPEED, play


def since_three(text):
    """Seconds of the devices' time since the night began."""
    time_of_day = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (time_of_day - time_of_day.replace(hour=3, minute=0, second=0)).total_seconds()


class BrokerTests(unittest.TestCase):
    def test_the_broker_is_killed_under_the_fleet_of_the_laboratory(self):
        with Mosquitto() as broker, Subscriber(broker, "anicca/+/daily") as subscriber:
            began, back = time.monotonic(), []

            def disturb(sending):
                # mosquitto may lose what it acknowledged since it last wrote its store: nothing is sent for that moment.
                sending.send(signal.SIGSTOP)
                broker.rest()
                broker.kill()
                sending.send(signal.SIGCONT)
                time.sleep(OUTAGE / SPEED)
                broker.start()
                back.append((time.monotonic() - began) * SPEED)

            told, sent = play(disturb, "--broker", broker.address)
            with contextlib.suppress(Failed):
                until(lambda: len(subscriber.by_key()) >= len(sent), "all records are with the subscriber", 60)
            found = subscriber.by_key()
        self.assertEqual(set(found), {line["key"] for line in sent})
        for line in sent:
            record = (line["device"], {"date": line["date"], **line["figures"]})
            self.assertTrue(all(one == record for one in found[line["key"]]), f"{line} came as {found[line['key']]}")
        # A slow machine ends what it began on time a little later.
        last = max(since_three(line["deliveredAt"]) for line in sent)
        self.assertLessEqual(last, max(3600, *back) + told["longestWaitSeconds"] + 120, "later than the backoff allows")


if __name__ == "__main__":
    unittest.main()
