"""One call fails while a phone reports and a receiver shows places: of the daemon, of whoever reports, and of an export. Minutes and visits
are right, nothing is told twice, and no coordinate is left anywhere."""

import collections
import functools
import hashlib
import json
import os
import pathlib
import shutil
import tempfile
import unittest

from harness import FAULTSHIM, PROGRAMS, SHIM
from harness.device import run
from harness.faults import USUAL, FaultyWorld, counted
from test_faults import CallTest
from harness.scenario import MIDNIGHT, NIGHT, begin
from harness.travel import Trip, fence
from harness.world import DAY, MINUTE, World, shown

#: Reports of the phone, as minutes of the life at which they come and minutes of use; they overlap.
REPORTS = ((5, 4), (12, 7), (12, 7), (20, 8), (33, 25))
#: The minutes that at least one of them covers: from minute 1 to 33.
USED = 32


class Outing(Trip):
    """Half an hour on the way, with the phone, and the night after it."""

    def __init__(self, directory, environment=None):
        self.meet(directory)
        self.inbox = self.directory / "inbox"
        self.inbox.mkdir()
        self.device = FaultyWorld(environment, wearer="resting", config=f"[companion]\ninbox = {self.inbox}\n{self.config(location=self.LOCATION)}")

    def __enter__(self):
        self.device.__enter__()
        return self

    def __exit__(self, *failure):
        try:
            self.device.__exit__(*failure)
        finally:
            self.gpsd.end()

    def put(self, number, minute, minutes):
        text = json.dumps({"type": "sns", "timestamp": shown(MIDNIGHT + minute * MINUTE), "minutes": minutes})
        (self.inbox / f".{number}").write_text(text, encoding="utf-8")
        os.rename(self.inbox / f".{number}", self.inbox / f"{number}.json")

    def live(self):
        begin(self.device, domains=("screenTime",))
        self.agree("events only")
        for number, (minute, minutes) in enumerate(REPORTS):
            self.go_on_until(minute)
            self.put(number, minute, minutes)
        self.go_on_until(34)
        # The night needs no receiver.
        self.gpsd.stop()
        self.device.live(MINUTE)
        self.device.live_until(MIDNIGHT + DAY + NIGHT)

    def check(self):
        """All that came is right, and what is missing is told."""
        if self.is_refused("location"):
            assert not collections.Counter(self.told()) - collections.Counter(self.TOLD)
            self.check_stored()
        else:
            # A daemon that ends forgets a crossing that was not confirmed, and looks for it again: a look takes two minutes at most.
            self.check_trip(doubt=5 if self.device.ends else 3)
        if not self.is_refused("screenTime"):
            records = {day: record["snsMinutesTotal"] for day, record in self.device.records().items()}
            assert records == {shown(MIDNIGHT)[:10]: USED}, records
            thresholds = [event["eventPayload"] for event in self.events() if event["eventType"] == "sns_threshold_exceeded"]
            assert thresholds == [{"thresholdMinutes": 30}], thresholds
            left = [path.name for path in self.inbox.iterdir() if path.suffix == ".json"]
            assert left == [], left
        said = collections.Counter(line for line in self.lines() if not USUAL.match(line))
        repeated = [line for line, times in said.items() if times > 1]
        assert not repeated, repeated

    def is_refused(self, domain):
        """Whether the device was refused: that ends the consent, and what was not sent by then is not sent."""
        return bool(self.lines(f"{domain} is off: refused by the kernel"))


class SurroundingsCalls(CallTest):
    @classmethod
    def setUpClass(cls):
        """Needs no device that has lived."""


class DaemonCalls(SurroundingsCalls):
    @functools.cache
    def counts(self):
        with tempfile.NamedTemporaryFile() as file, tempfile.TemporaryDirectory() as directory:
            with Outing(directory, {"FAULT_COUNTS": file.name}) as outing:
                outing.live()
                outing.check()
            return counted(file.name)

    def attempt(self, fault, trials):
        with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as place:
            with Outing(place, fault.environment(f"{directory}/told")) as outing:
                outing.live()
                if outing.device.ends:
                    trials.note("ended and started again" if fault.kind != "memory" else "ended by Swift's allocator")
                outing.check()

    def test_each_call_of_the_daemon(self):
        self.try_all("calls", "a call of the daemon with surroundings", self.draw_one_error_each(self.counts(), 45), self.attempt)

    def test_memory_that_the_daemon_is_refused(self):
        cases = self.draw_one_error_each(self.counts(), 8, 300, ("memory",))
        self.try_all("memory-calls", "memory that the daemon with surroundings is refused", cases, self.attempt)


@functools.cache
def lived():
    """The disk of a device after an outing, and its clocks."""
    with tempfile.TemporaryDirectory() as directory, Outing(directory) as outing:
        outing.live()
        outing.device.shut_down()
        return outing.device.disk(), outing.device.clocks.boot, outing.device.booted


class CommandCalls(SurroundingsCalls):
    """Whoever is at the terminal, or a bridge, while a call of the program fails."""

    REPORT = ("companion", "report", "--type", "sns", "--minutes", "5", "--until", shown(MIDNIGHT + DAY))

    def device(self, place):
        device = World(wearer="resting", config=f"[companion]\ninbox = {place}/inbox\n" + fence("home"))
        disk, boot, booted = lived()
        device.put_back(disk)
        device.resume(booted, boot)
        (place / "inbox").mkdir()
        return device

    def ask(self, device, words, **environment):
        shims = {"LD_PRELOAD": f"{FAULTSHIM}:{SHIM}", "ANICCA_CLOCKS": str(device.clocks.path), "ANICCA_CLOCK_DRIVER": "0"}
        return run([PROGRAMS / "anicca", *words, "--config", device.config], {**shims, **environment}, 15)

    def try_command(self, name, words, check):
        """`check(place, code)` looks at what a run left that ended so, and makes room for another."""
        with tempfile.TemporaryDirectory() as directory, tempfile.NamedTemporaryFile() as file:
            place = pathlib.Path(directory)
            with self.device(place) as device:
                ended = self.ask(device, words(place), FAULT_COUNTS=file.name)
                assert ended.code == 0, ended
                check(place, 0)
            counts = counted(file.name)

        def attempt(fault, trials):
            with tempfile.TemporaryDirectory() as directory:
                place = pathlib.Path(directory)
                with self.device(place) as device:
                    told = device.directory / "told"
                    ended = self.ask(device, words(place), **fault.environment(told))
                    if not self.is_by_design(ended, fault, told, trials):
                        assert ended.code == 0 or "Success" not in ended.err, ended
                        check(place, ended.code)
                    again = self.ask(device, words(place))
                    assert again.code == 0, f"afterwards: {again}"

        self.try_program(name, counts, attempt)

    def check_report(self, place, code):
        """One file with the report, or none: never a part of one under a name that the daemon reads."""
        files = [path for path in (place / "inbox").iterdir() if not path.name.startswith(".")]
        assert len(files) == 1 if code == 0 else len(files) <= 1, files
        for path in files:
            report = json.loads(path.read_text(encoding="utf-8"))
            assert report == {"type": "sns", "timestamp": self.REPORT[-1], "minutes": 5}, report

    def test_companion_report(self):
        self.try_command("companion report", lambda place: self.REPORT, self.check_report)

    def check_export(self, place, code):
        """All files, each as its manifest says, or none of them."""
        target = place / "mine"
        files = {path.name: path.read_bytes() for path in target.iterdir()} if target.exists() else {}
        if code != 0 and not files:
            assert not target.exists()
            return
        manifest = json.loads(files["manifest.json"])
        for entry in manifest["files"]:
            assert hashlib.sha256(files[entry["file"]]).hexdigest() == entry["sha256"], entry
        assert len(files) == len(manifest["files"]) + 1, sorted(files)
        places = json.loads(files["places.json"])
        visits = [visit.get("place", "") for day in places for visit in day["visits"]]
        assert visits == [place for place, _, _ in Trip.STAYS], visits
        figures = {figure["figure"]: figure["value"] for day in json.loads(files["days.json"]) for figure in day["figures"]}
        assert figures == {"snsMinutesTotal": USED}, figures
        shutil.rmtree(target)

    def test_export(self):
        self.try_command("export", lambda place: ("export", str(place / "mine")), self.check_export)


if __name__ == "__main__":
    unittest.main()
