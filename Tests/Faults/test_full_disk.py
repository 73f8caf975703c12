"""A disk is full for hours: writing stops and sensing does not, and afterwards everything is written down."""

import functools
import itertools
import os
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
        """What could not be carried over is a gap of the day: what arrives is true, and history says that the day is incomplete."""
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
                            assert world.daemon.returncode == TRY_AGAIN, world.log[-500:]
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
                        records, (expected, _) = world.records(), usual()
                        told = world.history()[date(0)]["delivery"]
                        if told == "incomplete":
                            trials.note("with an incomplete day")
                        assert (told == "incomplete") != (date(0) in records), f"{told}: {records}"
                        for day, record in records.items():
                            # What a kill loses of a walk, and windows that come at other times.
                            assert expected[day]["steps"] - 130 <= record["steps"] <= expected[day]["steps"], f"{record} for {expected[day]}"
                            off = abs(expected[day]["sedentaryMinutes"] - record["sedentaryMinutes"])
                            assert off <= MINUTES_OFF, f"{record} for {expected[day]}"
                        assert date(1) in records and not (date(0) in records and not stays_writable), records
                        world.shut_down()


if __name__ == "__main__":
    unittest.main()
