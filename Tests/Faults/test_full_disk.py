"""A disk is full for hours: writing stops and sensing does not, and afterwards everything is written down."""

import functools
import os
import subprocess
import tempfile
import unittest

from harness.faults import FaultyWorld, counted, faults
from harness.scenario import MIDNIGHT, NIGHT, begin
from harness.world import DAY, HOUR, MINUTE
from trials import FaultTest

ENOSPC = 28
FULL_FOR = 3  # hours
MINUTES_OFF = 10
KIB = 1024


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
                    store = world.directory / "store"
                    store.mkdir()
                    text = world.config.read_text().replace(f"directory = {world.directory}\nkey", f"directory = {store}\nkey", 1)
                    world.config.write_text(text)
                    with Tmpfs(store, "4m") as disk:
                        begin(world)
                        world.live_until(MIDNIGHT + hour * HOUR)
                        disk.fill(left * KIB)
                        world.live(FULL_FOR * HOUR)
                        disk.release()
                        self.check(world, trials)
                        world.shut_down()


if __name__ == "__main__":
    unittest.main()
