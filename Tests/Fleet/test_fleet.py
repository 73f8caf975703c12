"""Failures in the middle of a night of devices (night.py): each record is kept once, none is lost or set aside, and they do not come back all at
once.
"""

import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from harness.fleet import World
from harness.front import trusting
from harness.processes import Failed, until
from night import DEVICES, OUTAGE, SPEED, accounts, play
from truth import day_row, differences, found_rows


class FailureTests(unittest.TestCase):
    def outcomes(self, world, disturb):
        """How often the devices heard what; the records at the server are those that were sent."""
        with tempfile.NamedTemporaryFile("w", prefix="anicca-fleet-accounts-") as file:
            file.write("".join(f"{account} {token}\n" for account, _, token in world.enroll(accounts(DEVICES))))
            file.flush()
            told, lines = play(lambda _: disturb(), "--server", world.front.base, "--accounts", file.name,
                               around=lambda words: trusting(world.front.authority, words))
        sent = [day_row(line["key"], {"userId": line["userId"], "date": line["date"], **line["figures"]}) for line in lines]
        self.assertEqual(list(differences(sent, found_rows(world.cluster)))[:3], [])
        return told["outcomes"]

    def test_the_database_is_killed_and_comes_back(self):
        with World() as world:
            def disturb():
                world.cluster.kill()
                until(lambda: [receiver.get("/healthz")[0] for receiver in world.receivers] == [503, 503], "both say 503", 20)
                world.cluster.start()

            self.assertLessEqual(set(self.outcomes(world, disturb)), {"delivered", "retry"})

    def test_a_receiver_is_killed_and_costs_nothing(self):
        with World() as world:
            def disturb():
                for receiver in world.receivers:
                    receiver.kill()
                    receiver.start()
                    # A request that the first one lost is with the second, and has to be over before that is killed as well.
                    time.sleep(60 / SPEED)

            self.assertEqual(set(self.outcomes(world, disturb)), {"delivered"}, "a device heard of a receiver's end")

    def test_another_version_and_another_configuration_cost_nothing(self):
        with World() as world:
            def disturb():
                for receiver in world.receivers:
                    self.assertEqual(receiver.stop(), 0)
                    receiver.start()
                world.front.reload()

            self.assertEqual(set(self.outcomes(world, disturb)), {"delivered"}, "a restart or a reload lost a request")

    def test_both_receivers_are_away_for_a_while(self):
        with World() as world:
            def disturb():
                for receiver in world.receivers:
                    receiver.kill()
                time.sleep(OUTAGE / SPEED)
                for receiver in world.receivers:
                    receiver.start()

            self.assertLessEqual(set(self.outcomes(world, disturb)), {"delivered", "retry"})

    @unittest.skipUnless(os.geteuid() == 0, "mounting a small file system takes root")
    def test_the_disk_of_the_database_is_full(self):
        with tempfile.TemporaryDirectory(prefix="anicca-fleet-disk-") as directory:
            os.chmod(directory, 0o755)
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m,mode=755", "anicca-fleet", directory], check=True)
            try:
                self.fill(pathlib.Path(directory))
            finally:
                subprocess.run(["umount", "--lazy", directory], check=True)

    def fill(self, disk):
        with World(data=disk / "data", settings="max_wal_size = 32MB\nmin_wal_size = 32MB\n") as world:
            def disturb():
                ballast = disk / "ballast"
                with open(ballast, "wb", buffering=0) as file:
                    try:
                        while True:
                            file.write(bytes(1 << 16))
                    except OSError:
                        pass
                time.sleep(OUTAGE / SPEED)
                ballast.unlink()
                try:
                    until(world.cluster.is_ready, "PostgreSQL goes on", 5)
                except Failed:
                    world.cluster.start()  # As systemd would.

            self.assertLessEqual(set(self.outcomes(world, disturb)), {"delivered", "retry"})


if __name__ == "__main__":
    unittest.main()
