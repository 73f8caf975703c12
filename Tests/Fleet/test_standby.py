"""The machine of a server is lost in the middle of a night, and one with a copy of its database takes over: DEVICES=10000 for a whole fleet."""

import tempfile
import time
import unittest

from harness.fleet import World
from harness.front import trusting
from night import DEVICES, OUTAGE, SPEED, accounts, play
from truth import day_row, differences, found_rows


class LossTests(unittest.TestCase):
    def test_nothing_acknowledged_is_lost_with_the_machine(self):
        with World() as first, tempfile.NamedTemporaryFile("w", prefix="anicca-fleet-accounts-") as file:
            file.write("".join(f"{account} {token}\n" for account, _, token in first.enroll(accounts(DEVICES))))
            file.flush()
            with World(follows=first) as second:
                def disturb(_):
                    first.lose()
                    self.before = len(found_rows(second.cluster))
                    time.sleep(OUTAGE / SPEED)
                    second.take_over()

                told, lines = play(disturb, "--server", first.front.base, "--accounts", file.name,
                                   around=lambda words: trusting(first.front.authority, words))
                found = found_rows(second.cluster)
        self.assertTrue(0 < self.before < DEVICES, f"{self.before} records before the loss: it was not in the middle")
        sent = [day_row(line["key"], {"userId": line["userId"], "date": line["date"], **line["figures"]}) for line in lines]
        self.assertEqual(list(differences(sent, found))[:3], [])
        self.assertIn("delivered", told["outcomes"])


if __name__ == "__main__":
    unittest.main()
