"""A disk is full for hours: writing stops and sensing does not, and afterwards everything is written down."""

import functools
import itertools
import os
import sqlite3
import subprocess
import tempfile
import unittest

from harness.faults import FaultyWorld, counted, faults
from harness.scenario import MIDNIGHT, NIGHT, begin, date, usual
from harness.world import DAY, HOUR, MINUTE, World
from trials import FaultTest

ENOSPC = 28
FULL_FOR = 3  # hours
MINUTES_OFF = 10
KIB = 1024
WITH_SLEEP = "motion", "steps", "sleep"
TRY_AGAIN = 75  # EX_TEMPFAIL


def worn(world):
    world.live_until(MIDNIGHT + DAY + NIGHT)
    world.upload()
    return world.records(), world.events()


@functools.cache
def undisturbed():
    with tempfile.NamedTemporaryFile() as file, FaultyWorld({"FAULT_COUNTS": file.name}) as world:
        begin(world)
        return worn(world), counted(file.name)


@functools.cache
def nights():
    """The records of two days with sleep."""
    with World() as world:
        begin(world, domains=WITH_SLEEP)
        for day in (1, 2):
            world.live_until(MIDNIGHT + day * DAY + NIGHT)
            world.upload()
        return world.records()


class Tmpfs:
    """A small file system in place of a directory. Use it with `with`; needs root."""

    def __init__(self, directory, size):
        self.directory, self.size = directory, size

    def __enter__(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.size}", "none", self.directory], check=True)
        return self

    def __exit__(self, *failure):
        subprocess.run(["umount", "--lazy", self.directory], check=True)

    def fill(self, left):
        """Leaves so many bytes."""
        stat = os.statvfs(self.directory)
        (self.directory / "filler").write_bytes(bytes(max(0, stat.f_bavail * stat.f_frsize - left)))

    def release(self):
        (self.directory / "filler").unlink()

    def allow_writing(self, is_allowed):
        subprocess.run(["mount", "-o", f"remount,{'rw' if is_allowed else 'ro'}", self.directory], check=True)


def small_disk(world):
    """Moves the store of a device to a small file system."""
    store = world.directory / "store"
    store.mkdir()
    text = world.config.read_text().replace(f"directory = {world.directory}\nkey", f"directory = {store}\nkey", 1)
    world.config.write_text(text)
    return Tmpfs(store, "4m")


def fold_log(world):
    """Stops the daemon, and leaves the store without a log, as another program does that closes it last."""
    world.shut_down()
    store = world.directory / "store/ledger.sqlite"
    database = sqlite3.connect(store)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    assert not os.path.exists(f"{store}-wal")


class FullDiskTest(FaultTest):
    suite = "damage"

    def check(self, world, trials):
        """Every step is there. Windows are taken at other times after a failed commit, so sitting begins and ends a little off."""
        assert not world.ends, f"the daemon ended with {world.ends}:\n{world.log[-500:]}"
        records, events = worn(world)
        (expected, expected_events), _ = undisturbed()
        assert records.keys() == expected.keys(), f"{records} for {expected}"
        for day, record in expected.items():
            assert records[day]["steps"] == record["steps"], f"{records[day]} for {record}"
            off = abs(records[day]["sedentaryMinutes"] - record["sedentaryMinutes"])
            assert off <= MINUTES_OFF, f"{records[day]} for {record}"
        if len(events) != len(expected_events):
            trials.note("with another number of events")

    def test_full_from_a_write_on(self):
        numbers = [fault.number for fault in faults(undisturbed()[1], ("write",)) if fault.error == ENOSPC]
        with self.trials("disk-full", "a disk that is full from one of a day's writes on, for hours") as trials:
            for number in self.sample(numbers, 24):
                with trials.one(number), tempfile.TemporaryDirectory() as directory:
                    is_full, told = f"{directory}/full", f"{directory}/told"
                    open(is_full, "w", encoding="ascii").close()
                    with FaultyWorld({"FAULT": f"write:{number}-0", "FAULT_ERROR": str(ENOSPC), "FAULT_RELEASE": is_full,
                                      "FAULT_TOLD": told, "FAULT_IN": "anicca-lab"}) as world:
                        begin(world)
                        if world.ends:
                            trials.note("ended before there was a store")
                            world.ends = []
                        while not os.path.exists(told) and world.true < MIDNIGHT + DAY:
                            world.live(10 * MINUTE)
                        world.live(FULL_FOR * HOUR)
                        os.unlink(is_full)
                        self.check(world, trials)

    @unittest.skipUnless(os.geteuid() == 0, "a small file system is mounted by root alone")
    def test_a_small_file_system_that_fills(self):
        cases = [(f"{hour}:00, {left} KiB left", hour, left) for hour in range(1, 24, 2) for left in (0, 4, 16, 32, 48, 64, 128)]
        with self.trials("disk-full", "a small file system that fills for hours") as trials:
            for name, hour, left in self.sample(cases, 16):
                with trials.one(name), FaultyWorld() as world:
                    with small_disk(world) as disk:
                        begin(world)
                        world.live_until(MIDNIGHT + hour * HOUR)
                        disk.fill(left * KIB)
                        world.live(FULL_FOR * HOUR)
                        disk.release()
                        self.check(world, trials)
                        world.shut_down()

    @unittest.skipUnless(os.geteuid() == 0, "a small file system is mounted by root alone")
    def test_a_restart_while_nothing_can_be_written(self):
        """What could not be carried over is a gap of the day: what arrives is true, and what is left out is told."""
        cases = list(itertools.product((True, False), (World.cut_power, World.shut_down), ((3, 14), (8, 10), (12, 3))))
        with self.trials("disk-full", "a restart while the disk is full or read-only") as trials:
            for stays_writable, end, (hour, hours) in self.sample(cases, 6):
                with trials.one(f"{'full' if stays_writable else 'read-only'} {end.__name__} {hour}:00 for {hours} h"), World() as world:
                    with small_disk(world) as disk:
                        begin(world)
                        world.live_until(MIDNIGHT + hour * HOUR)
                        disk.fill(0)
                        world.live(hours * HOUR)
                        end(world)
                        disk.allow_writing(stays_writable)
                        try:
                            world.start()
                        except AssertionError:
                            assert stays_writable and world.daemon.returncode == TRY_AGAIN, world.log[-500:]
                            world.daemon = None
                            trials.note("waiting for a disk that can be written")
                        world.live(HOUR)
                        disk.allow_writing(True)
                        disk.release()
                        if not world.daemon:
                            world.start()
                        world.live_until(MIDNIGHT + DAY + NIGHT)
                        world.upload()
                        world.live_until(MIDNIGHT + 2 * DAY + NIGHT)
                        world.upload()
                        if not self.is_whole_or_told(world):
                            trials.note("with an incomplete day")
                        assert date(1) in world.records(), world.records()
                        world.shut_down()

    def is_whole_or_told(self, world):
        """Whether the first day arrived whole. Else what is left out of it is told, and in history; what arrives is true."""
        records, (expected, _) = world.records(), usual()
        for day, record in records.items():
            # What a kill loses of a walk, and windows that come at other times.
            if "steps" in record:
                assert expected[day]["steps"] - 130 <= record["steps"] <= expected[day]["steps"], f"{record} for {expected[day]}"
            if "sedentaryMinutes" in record:
                off = abs(expected[day]["sedentaryMinutes"] - record["sedentaryMinutes"])
                assert off <= MINUTES_OFF, f"{record} for {expected[day]}"
        missing = expected[date(0)].keys() - records.get(date(0), {}).keys() - {"date", "userId"}
        told = world.history()[date(0)]
        assert (told["delivery"] == "incomplete") == (date(0) not in records), f"{told}: {records}"
        why = {figure["figure"]: figure.get("lacking", False) for figure in world.ask("why", date(0))["figures"]}
        assert missing == {figure for figure in why if why[figure]}, f"{why}: {records}"
        assert all(figure in told for figure in missing), f"{told}: {records}"
        incomplete = world.ask("status")["delivery"].get("incompleteDays", [])
        assert [day["date"] for day in incomplete] == ([date(0)] if missing else []), f"{incomplete}: {records}"
        return not missing

    @unittest.skipUnless(os.geteuid() == 0, "a small file system is mounted by root alone")
    def test_a_card_that_cannot_be_written_at_all(self):
        """A daemon that starts on it senses what is allowed there. What it holds when the card can be written is not lost."""
        ends = {"stopped": World.shut_down, "killed": World.cut_power, "rebooted": None, "stopped, its log folded in": fold_log}
        cases = [(name, again) for name in ends for again in (False, True)]
        with self.trials("disk-full", "a start on a card that cannot be written") as trials:
            for name, again in self.sample(cases, 8):
                with trials.one(f"{name}{', and once more' if again else ''}"), World() as world:
                    with small_disk(world) as disk:
                        begin(world)
                        world.live_until(MIDNIGHT + 8 * HOUR)
                        self.begin_anew(world, ends[name], disk)
                        world.live(FULL_FOR * HOUR)
                        assert world.ask("status")["toggles"]["motion"]["on"] and world.ask("why", date(0))["figures"]
                        world.run("anicca", "toggle", "motion", "off", codes=[TRY_AGAIN])
                        if again:
                            world.cut_power()
                            world.start()
                            world.live(HOUR)
                        disk.allow_writing(True)
                        world.live_until(MIDNIGHT + DAY + NIGHT)
                        world.upload()
                        world.live_until(MIDNIGHT + 2 * DAY + NIGHT)
                        world.upload()
                        assert self.is_whole_or_told(world) or again, world.records()
                        assert world.log.count("the file system is read-only") == 1 + again, world.log
                        world.shut_down()

    @staticmethod
    def begin_anew(world, end, disk):
        """Ends the daemon and starts it on a card that can be read only, in a new boot if it is not ended by `end`."""
        if end:
            end(world)
        else:
            true = world.true + MINUTE
            world.shut_down()
            world.boot(true)
        disk.allow_writing(False)
        world.start()

    @unittest.skipUnless(os.geteuid() == 0, "a small file system is mounted by root alone")
    def test_what_an_evening_without_a_card_costs_the_next_day(self):
        """A daemon is killed several times in an evening or night in which the card can only be read. Of the next day nothing is left out but
        the sleep, which may be short of its beginning; a sleep that is sent is whole.
        """
        cases = [(18 * HOUR + 18 * MINUTE, (2 * HOUR, 3 * MINUTE)), (15 * HOUR, (5 * HOUR, 3 * MINUTE)), (21 * HOUR, (0, 15 * MINUTE, 8 * MINUTE)),
                 (22 * HOUR, (90 * MINUTE, 15 * MINUTE, 15 * MINUTE))]
        with self.trials("disk-full", "kills in an evening on a card that cannot be written") as trials:
            for since, lives in self.sample(cases, 4):
                with trials.one(f"{since // MINUTE} {[life // MINUTE for life in lives]}"), World() as world:
                    with small_disk(world) as disk:
                        begin(world, domains=WITH_SLEEP)
                        world.live_until(MIDNIGHT + since)
                        self.begin_anew(world, World.cut_power, disk)
                        world.live(lives[0])
                        for life in lives[1:]:
                            world.cut_power()
                            world.start()
                            world.live(life)
                        disk.allow_writing(True)
                        for day in (1, 2):
                            world.live_until(MIDNIGHT + day * DAY + NIGHT)
                            world.upload()
                        sent, true = world.records()[date(1)], nights()[date(1)]
                        assert sent["steps"] == true["steps"], f"{sent} for {true}"
                        assert abs(sent["sedentaryMinutes"] - true["sedentaryMinutes"]) <= MINUTES_OFF, f"{sent} for {true}"
                        asleep = sent.get("sleepDurationMin")
                        assert asleep is None or abs(asleep - true["sleepDurationMin"]) <= 15, f"{sent} for {true}"
                        told = {day["date"]: day["lacking"] for day in world.ask("status")["delivery"].get("incompleteDays", [])}
                        assert (told.get(date(1)) == ["sleep"]) == (asleep is None), f"{told}: {sent}"
                        world.shut_down()

    @unittest.skipUnless(os.geteuid() == 0, "a small file system is mounted by root alone")
    def test_consent_decides_on_a_card_that_cannot_be_written(self):
        """What was off stays off; what is turned off once the card can be written goes off at once."""
        with self.trials("disk-full", "consent on a card that cannot be written") as trials, trials.one("steps off"), World() as world:
            with small_disk(world) as disk:
                begin(world)
                world.live_until(MIDNIGHT + 8 * HOUR)
                world.turn("steps", "off")
                self.begin_anew(world, World.shut_down, disk)
                world.live(HOUR)
                disk.allow_writing(True)
                world.turn("motion", "off")
                assert world.ask("status")["toggles"]["motion"]["on"] is False
                world.live_until(MIDNIGHT + DAY + NIGHT)
                world.upload()
                assert world.records() == {}, world.records()
                world.shut_down()


if __name__ == "__main__":
    unittest.main()
