"""Failures in the middle of a night of devices: each record is kept once, none is lost, and all arrive within the bounds of the backoff.

DEVICES=10000 tries the whole fleet, SPEED another length of the night; without them it is short enough for every change.
"""

import asyncio
import concurrent.futures
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

import night
from harness import PROGRAMS
from harness.front import trusting
from harness.processes import Failed, Process, until
from truth import day_row, differences, event_row, found_rows
from harness.fleet import World

DEVICES = int(os.environ.get("DEVICES", "300"))
# 20 minutes of theirs in 13 s of this machine's; more devices take longer, as one machine plays them all.
SPEED = float(os.environ.get("SPEED", max(4, 90 / max(1, DEVICES / 600))))
# Seconds of the devices' time for which something is away.
OUTAGE = 300


class NightTest(unittest.TestCase):
    """One night in a world of its own."""

    def play(self, world, disturb=None):
        """The night after it is over; `disturb` is called in its middle, and its rows are those that were sent."""
        enrolled = world.enroll(night.accounts(DEVICES))
        fleet = night.devices(enrolled)
        played = night.Night(world.front, fleet, SPEED)

        limit = (night.LENGTH + 2 * night.LONGEST_WAIT) / SPEED + 60
        with concurrent.futures.ThreadPoolExecutor(1) as threads:
            sending = threads.submit(lambda: asyncio.run(asyncio.wait_for(played.run(), limit)))
            time.sleep(night.LENGTH / SPEED / 3)
            if disturb:
                disturb()
            sending.result()
        self.check(world, fleet, played)
        return played

    def check(self, world, fleet, played):
        self.assertEqual(played.set_aside, [], "a device set a record aside for a fault of the server's")
        sent = [self.row(device, record) for device in fleet for record in device.records]
        self.assertEqual(set(played.delivered), {row[0] for row in sent}, "not every record was acknowledged")
        self.assertEqual(list(differences(sent, found_rows(world.cluster)))[:3], [])

    @staticmethod
    def row(device, record):
        if record.path == night.DAY_PATH:
            return day_row(record.key, record.fields)
        return event_row(record.key, device.account, record.fields)

    def describe(self, name, played):
        """Prints what happened; the attempts that failed. Those who have to wait neither ask all the time nor come back all at once: no minute has
        more than twice the requests of an undisturbed one, and what chance adds to so few.
        """
        failed = [attempt for attempt in played.attempts if not 200 <= attempt.status < 300]
        mean = len(played.delivered) / (night.LENGTH / 60)
        peak = night.peak(played.attempts)
        repeated = night.peak(attempt for attempt in played.attempts if attempt.is_repeated)
        print(f"{name}: {len(played.delivered)} records, {len(played.attempts)} requests, {len(failed)} failed "
              f"{sorted({attempt.status for attempt in failed})}, the last after {max(played.delivered.values()) / 60:.0f} min; "
              f"{mean:.0f} a minute undisturbed, at most {peak}, of which repeated at most {repeated}", flush=True)
        self.assertLessEqual(peak, 2 * mean + 4 * (2 * mean)**0.5, "they came back all at once")
        return failed


class UploaderTests(unittest.TestCase):
    """The same with the devices' own sink, schedule and backoff, on connections of their own: an hour of theirs."""

    def test_the_database_is_killed_under_the_fleet_of_the_laboratory(self):
        speed = max(2, int(120 / max(1, DEVICES / 600)))
        with World() as world, tempfile.TemporaryDirectory(prefix="anicca-fleet-truth-") as name:
            directory = pathlib.Path(name)
            accounts, truth = directory / "accounts", directory / "truth"
            enrolled = world.enroll(night.accounts(DEVICES))
            accounts.write_text("".join(f"{account} {token}\n" for account, _, token in enrolled))
            words = [PROGRAMS / "anicca-lab", "fleet", "--server", world.front.base, "--accounts", accounts, "--speed", speed, "--truth",
                     truth, "--lifetime", f"{7200 // speed + 120}s"]
            with open(directory / "out", "wb") as out:
                sending = Process(trusting(world.front.authority, words), directory / "log", stdout=out)
            try:
                # Half past three, when most arrive.
                time.sleep(1800 / speed)
                world.cluster.kill()
                time.sleep(OUTAGE / speed)
                world.cluster.start()
                self.assertEqual(sending.wait(), 0, sending.last_words())
            finally:
                sending.kill()
            told = json.loads((directory / "out").read_text())
            print(f"the laboratory's fleet: {told['delivered']} records, {told['attempts']} requests, {told['outcomes']}, retries at most "
                  f"{told['retryPeak']} a minute", flush=True)
            lines = [json.loads(line) for line in truth.read_text().splitlines()]
            self.assertTrue(all("deliveredAt" in line for line in lines))
            sent = [day_row(line["key"], {"userId": line["userId"], "date": line["date"], **line["figures"]}) for line in lines]
            self.assertEqual(len(sent), DEVICES)
            self.assertEqual(list(differences(sent, found_rows(world.cluster)))[:3], [])


class FailureTests(NightTest):
    def test_the_database_is_killed_and_comes_back(self):
        with World() as world:
            def disturb():
                world.cluster.kill()
                until(lambda: [receiver.get("/healthz")[0] for receiver in world.receivers] == [503, 503], "both say 503", 20)
                world.cluster.start()

            failed = self.describe("database killed", self.play(world, disturb))
            self.assertLessEqual({attempt.status for attempt in failed}, {503})

    def test_a_receiver_is_killed_and_costs_nothing(self):
        with World() as world:
            def disturb():
                for receiver in world.receivers:
                    receiver.kill()
                    receiver.start()
                    # A request that the first one lost is with the second, and has to be over before that is killed as well.
                    time.sleep(60 / SPEED)

            failed = self.describe("receivers killed", self.play(world, disturb))
            self.assertEqual(failed, [], "a device heard of a receiver's end")

    def test_another_version_and_another_configuration_cost_nothing(self):
        with World() as world:
            def disturb():
                for receiver in world.receivers:
                    self.assertEqual(receiver.stop(), 0)
                    receiver.start()
                world.front.reload()

            failed = self.describe("restarted and reloaded", self.play(world, disturb))
            self.assertEqual(failed, [], "a restart or a reload lost a request")

    def test_both_receivers_are_away_for_a_while(self):
        with World() as world:
            def disturb():
                for receiver in world.receivers:
                    receiver.kill()
                time.sleep(OUTAGE / SPEED)
                for receiver in world.receivers:
                    receiver.start()

            failed = self.describe("both receivers away", self.play(world, disturb))
            self.assertLessEqual({attempt.status for attempt in failed}, {503})

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

            failed = self.describe("disk full", self.play(world, disturb))
            self.assertLessEqual({attempt.status for attempt in failed}, {503})


if __name__ == "__main__":
    unittest.main()
