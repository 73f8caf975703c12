"""One call of a program fails, whichever: it neither crashes nor hangs, tells why it ended, and nothing is lost, doubled or changed."""

import concurrent.futures
import functools
import json
import tempfile
import unittest

from harness import PROGRAMS
from harness.device import Device, run
from harness.faults import FaultyWorld, counted, drawn, is_by_design, told_of
from harness.scenario import MIDNIGHT, NIGHT, begin
from harness.server import Server
from harness.world import DAY, HOUR
from test_server import truth
from trials import IS_HALF, IS_WHOLE, ONLY, FaultTest

# Two programs at a time: they wait for disks and networks as much as they work.
WORKERS = 2
STEPS_THAT_A_RESTART_COSTS = 250
# Sitting begins and ends a little off where windows are taken at other times: after a commit that failed, and more after a restart.
MINUTES_OFF = 10
MINUTES_THAT_A_RESTART_COSTS = 30

# What writes, by what flushes it: SQLite's files and the anchor beside them.
FLUSHED = {"fdatasync": {"pwrite", "pwrite64"}, "fsync": {"write"}}


class CallTest(FaultTest):
    suite = "faults"

    def try_all(self, promise, what, cases, attempt):
        """Tries each fault; `attempt(fault, trials)` returns nothing, and fails by an assertion."""
        if ONLY:
            cases = [case for case in cases if str(case) in ONLY.split(",")]
        with self.trials(promise, what) as trials, concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            results = [(case, pool.submit(attempt, case, trials)) for case in cases]
            for case, result in results:
                with trials.one(case):
                    result.result()

    def try_program(self, name, counts, attempt):
        """Tries the calls of a program that made so many, and its requests for memory."""
        self.try_all("calls", f"a call of {name}", self.draw(counts, 60), attempt)
        self.try_all("memory-calls", f"memory that {name} is refused", self.draw(counts, 20, ("memory",)), attempt)

    @staticmethod
    def is_by_design(ended, fault, told, trials):
        """Whether Swift's allocator ended a program that was refused memory; every other end is checked."""
        if fault.kind == "memory" and is_by_design(ended.code, told):
            trials.note("ended by Swift's allocator")
            return True
        ended.check()
        return False

    def draw(self, counts, most, kinds=None):
        return drawn(self.random, counts, most // 2 if IS_HALF else most, kinds, IS_WHOLE or bool(ONLY))

    def draw_one_error_each(self, counts, most, at_most=None, kinds=None):
        """As `draw`, but in a whole run each call fails once, in a way that is drawn: a daemon makes too many for all."""
        if not IS_WHOLE or ONLY:
            return self.draw(counts, most, kinds)
        by_call = {}
        for fault in self.draw(counts, most, kinds):
            by_call.setdefault((fault.kind, fault.number), []).append(fault)
        every = [self.random.choice(errors) for errors in by_call.values()]
        return every if at_most is None or len(every) <= at_most else sorted(self.random.sample(every, at_most))


class UploaderCalls(CallTest):
    @functools.cache
    def counts(self):
        with Server() as server, Device(server.address) as device, tempfile.NamedTemporaryFile() as file:
            device.upload(FAULT_COUNTS=file.name)
            return counted(file.name)

    def attempt(self, fault, trials):
        with Server() as server, Device(server.address, delivery="deadline = 3s") as device:
            told = device.directory / "told"
            ended = run([PROGRAMS / "anicca-upload", "--json", "--config", device.config], device.environment(**fault.environment(told)),
                        patience=15)
            self.is_by_design(ended, fault, told, trials)
            if not told.exists():
                trials.note("not reached")
            device.settle()
            server.table.check(truth())

    def test_each_call_of_the_uploader(self):
        self.try_all("calls", "a call of the uploader", self.draw(self.counts(), 400), self.attempt)

    def test_what_is_sent_is_on_the_disk_before(self):
        """A power cut after a request forgets neither its key nor its bytes: nothing that was written waits for the disk then."""
        with self.trials("same-bytes", "the requests of a run, and what was flushed before each") as trials:
            with Server() as server, Device(server.address) as device, tempfile.NamedTemporaryFile(mode="r", errors="replace") as file:
                device.upload(FAULT_COUNTS=file.name)
                waiting = set()
                for number, line in enumerate(file):
                    kind, call = line.split(" ", 2)[:2]
                    if kind == "write":
                        waiting.add(call)
                    elif kind == "sync":
                        waiting -= FLUSHED[call]
                    elif kind == "send":
                        with trials.one(f"call {number}"):
                            assert not waiting, f"a request is sent, and {waiting} is not on the disk"
            self.assertGreaterEqual(trials.tried, len(truth()))

    def test_memory_that_the_uploader_is_refused(self):
        self.try_all("memory-calls", "memory that the uploader is refused", self.draw(self.counts(), 150, ("memory",)), self.attempt)


class CommandCalls(CallTest):
    #: What is asked, and what it changes: a domain and its position.
    COMMANDS = {
        "toggle-on": (("anicca-lab", "toggle", "motion", "on"), ("motion", True)),
        "toggle-off": (("anicca-lab", "toggle", "steps", "off"), ("steps", False)),
        "status": (("anicca", "status", "--json"), None),
        "days": (("anicca", "days", "--json"), None),
        "audit": (("anicca", "audit", "--verify"), None),
        "forget": (("anicca", "forget", "motion", "--yes"), None),
    }

    def run_in(self, device, name, patience=15, **environment):
        (program, *words), _ = self.COMMANDS[name]
        return run([PROGRAMS / program, *words, "--config", device.config], device.environment(**environment), patience)

    def device(self, name):
        """A toggle is turned on where it was off, and off where it was on."""
        device = Device(None)
        if name == "toggle-on":
            run([PROGRAMS / "anicca-lab", "toggle", "motion", "off", "--config", device.config], device.environment()).check()
        return device

    def positions(self, device):
        return {name: toggle["on"] for name, toggle in device.ask("status")["toggles"].items()}

    def attempt(self, name, fault, trials):
        with self.device(name) as device:
            told = device.directory / "told"
            before = self.positions(device)
            ended = self.run_in(device, name, **fault.environment(told))
            self.is_by_design(ended, fault, told, trials)
            after = self.positions(device)
            change = self.COMMANDS[name][1]
            wanted = {**before, **dict([change])} if change else before
            if name != "forget":
                assert after in ([wanted] if ended.code == 0 else [before, wanted]), f"{ended.code}: {before} became {after}"
            again = self.run_in(device, name)
            again.check()
            assert again.code == 0, f"afterwards: {again}"
            if name != "forget":
                assert self.positions(device) == wanted
            audit = self.run_in(device, "audit")
            assert audit.code == 0, audit

    def try_command(self, name):
        with self.device(name) as device, tempfile.NamedTemporaryFile() as file:
            ended = self.run_in(device, name, FAULT_COUNTS=file.name)
            assert ended.code == 0, ended
            counts = counted(file.name)
        self.try_program(name, counts, functools.partial(self.attempt, name))

    def test_each_command(self):
        for name in self.COMMANDS:
            with self.subTest(name):
                self.try_command(name)


def worn(world, days):
    """Worn days with changes of consent, and delivery after each."""
    begin(world)
    for day in range(1, days + 1):
        world.live_until(MIDNIGHT + (day - 1) * DAY + 12 * HOUR)
        world.turn("steps", "off")
        world.live(HOUR)
        world.turn("steps", "on")
        world.live_until(MIDNIGHT + day * DAY + NIGHT)
        world.upload()
    return world.records(), world.events()


# Memory is asked for some 300,000 times in two days.
MOST_MEMORY_FAULTS = 1000


class DaemonCalls(CallTest):
    days = 1 if IS_WHOLE else 2

    @functools.cache
    def undisturbed(self):
        with tempfile.NamedTemporaryFile() as file, FaultyWorld({"FAULT_COUNTS": file.name}) as world:
            records, events = worn(world, self.days)
            return counted(file.name), records, events

    def attempt(self, fault, trials):
        with tempfile.TemporaryDirectory() as directory:
            with FaultyWorld(fault.environment(f"{directory}/told")) as world:
                came = worn(world, self.days)
                # Timers are spread by the identity of the boot.
                is_spread = "boot_id" in told_of(f"{directory}/told")
                self.compare(world, *came, changes=len(world.ends) + is_spread)
                if world.ends:
                    trials.note("ended and started again" if fault.kind != "memory" else "ended by Swift's allocator")

    def compare(self, world, records, events, changes):
        _, expected, expected_events = self.undisturbed()
        assert records.keys() == expected.keys(), f"came: {sorted(records)}"
        for day, record in expected.items():
            came = records[day]
            assert came.keys() == record.keys(), f"{day} has {json.dumps(came)} and should have {json.dumps(record)}"
            least = record["steps"] - STEPS_THAT_A_RESTART_COSTS * len(world.ends)
            assert least <= came["steps"] <= record["steps"], f"{came} for {record}"
            off = abs(came["sedentaryMinutes"] - record["sedentaryMinutes"])
            assert off <= MINUTES_OFF + MINUTES_THAT_A_RESTART_COSTS * changes, f"{came} for {record}"
        if not changes:
            assert len(events) == len(expected_events), f"{events} for {expected_events}"

    def test_each_call_of_the_daemon(self):
        self.try_all("calls", "a call of the daemon", self.draw_one_error_each(self.undisturbed()[0], 70), self.attempt)

    def test_memory_that_the_daemon_is_refused(self):
        cases = self.draw_one_error_each(self.undisturbed()[0], 16, MOST_MEMORY_FAULTS, ("memory",))
        self.try_all("memory-calls", "memory that the daemon is refused", cases, self.attempt)


if __name__ == "__main__":
    unittest.main()
