"""How costs grow with the age of the store, its boots and the records that wait: instructions of the programs as they ship.

The store is filled by `anicca-lab age`, which simulates nothing: 90 days take a second. Prints one JSON object, and fails where a figure is
over its limit. With RECORD=1 it is recorded for the documents.
"""

import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile

import record
from figures import Profile, dump, profiled
from shipped import BEGIN
from harness import PROGRAMS
from harness.gpsd import HOME, east
from harness.scenario import NIGHT, date
from harness.travel import Travel, fence
from harness.world import DAY, HOUR, MINUTE

AGES = (1, 30, 90)
# Of each of so many days.
BOOTS, DAYS_OF_BOOTS = 40, 10
QUEUES = (10, 100, 400)
FENCES = (1, 64)
# What no change may exceed.
LIMITS = {
    "fix_1_fences": 262_000,
    "fix_64_fences": 420_000,
    # The table of settings grows with each domain that has some.
    "start_day_90": 42_500_000,
    "every_call_day_90": 36_500_000,
    "commit_day_90": 200_000,
    "status_day_90": 24_300_000,
    "why_day_90": 48_000_000,
    "days_day_90": 22_700_000,
    "report_day_90": 205_000_000,
    "export_day_90": 2_600_000_000,
    "start_400_boots": 60_000_000,
    "commit_400_boots": 200_000,
    "record_of_400": 2_100_000,
    "missing_folder": 1.03,
}
# How long a daemon is watched.
WATCHED = 4 * HOUR


@contextlib.contextmanager
def aged(days, boots=1, events=0, is_sent=True):
    """A device at 06:00 after so many days, whose daemon is not running yet. It counts what runs in it: see `counted`."""
    with tempfile.TemporaryDirectory(prefix="anicca-bench-") as directory:
        with profiled(pathlib.Path(directory) / "profile") as device:
            debugger, device.debugger = device.debugger, ()
            device.boot(BEGIN)
            device.start()
            for domain in ("motion", "steps", "sleep"):
                device.turn(domain, "on")
            device.shut_down()
            device.run("anicca-lab", "age", "--days", str(days), "--boots", str(boots), "--events", str(events), "--until", date(days), codes=[0])
            device.boot(BEGIN + days * DAY + NIGHT)
            if is_sent:
                device.upload()
            device.clocks.limit += 2 * HOUR
            device.clocks.boot += 2 * HOUR
            device.debugger, device.profile = debugger, pathlib.Path(directory) / "profile"
            yield device


def counted(device, program, *words):
    """The instructions of a program that ends."""
    out = device.profile.with_name("command")
    plain = device.profile.with_name(program)
    if not plain.exists():
        subprocess.run(["objcopy", "--strip-debug", PROGRAMS / program, plain], check=True)
    command = ["valgrind", "--tool=callgrind", "--demangle=no", "--compress-strings=no", "--compress-pos=no", f"--callgrind-out-file={out}",
               plain, *words, "--config", device.config]
    subprocess.run(command, env=device._environment(), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # pylint: disable=protected-access
    return Profile(out).total


def lived(device):
    """The instructions of a start, and of the mean commit in some hours after it."""
    device.start()
    dump(device)
    device.live(WATCHED)
    dump(device)
    start, after = (Profile(device.profile.with_name(f"profile.{part}")) for part in (1, 2))
    device.shut_down()
    commits, of_commits = after.of(r"^\$s7Sensing11LedgerStoreC6commity.*F$")
    return start.total, of_commits // commits, after.total


def of_age(days, boots=1):
    with aged(days, boots) as device:
        start, commit, _ = lived(device)
        own = counted(device, "anicca", "validate-config")
        costs = {"start": start, "commit": commit, "every_call": own}
        for name, words in (("status", ("status",)), ("why", ("why", date(days - 1))), ("days", ("days",)),
                            ("report", ("report",)), ("export", ("export", str(device.profile.with_name("exported"))))):
            costs[name] = counted(device, "anicca", *words) - own
        return costs


def of_queue(events):
    """What a run of the uploader costs for each record that waits."""
    with aged(1, events=events, is_sent=False) as device:
        return counted(device, "anicca-upload") // (events + 1)


def of_a_missing_folder():
    """Four hours with screen time on, and the same with its folder gone: as a share."""
    costs = []
    for is_there in (True, False):
        with aged(1) as device, tempfile.TemporaryDirectory(prefix="anicca-inbox-") as inbox:
            folder = pathlib.Path(inbox) / "inbox"
            folder.mkdir()
            device.config.write_text(f"{device.config.read_text(encoding='utf-8')}[companion]\ninbox = {folder}\n", encoding="utf-8")
            device.turn("screenTime", "on")
            if not is_there:
                folder.rmdir()
            costs.append(lived(device)[2])
    return round(costs[1] / costs[0], 3)


class Walk(Travel):
    """A wearer who walks eastwards through the first of some fences, with the others in the same town."""

    def __init__(self, device, directory, fences):
        self.device, self.fixes = device, 0
        self.meet(directory)
        others = [(HOME[0] + (place // 8 - 4) * 0.01, east((place % 8 - 4) * 1000)[1]) for place in range(1, fences)]
        text = self.config(fence("home"), *(fence(f"place {number}", place) for number, place in enumerate(others)))
        device.config.write_text(device.config.read_text(encoding="utf-8") + text, encoding="utf-8")
        self.says = self.walk

    def walk(self):
        self.fixes += 1
        self.here, self.speed = east(1.4, self.here), 1.4
        return self.truth()

    @staticmethod
    def lines(_):
        return []


def of_fixes(fences):
    """What a fix of the receiver costs the daemon, without commits."""
    with profiled_walk(fences) as walk:
        walk.go_on(MINUTE)
        dump(walk.device)
        before = walk.fixes
        walk.go_on(10 * MINUTE)
        dump(walk.device)
        after = Profile(walk.device.profile.with_name("profile.2"))
    commits = after.of(r"^\$s7Sensing11LedgerStoreC6commity.*F$")[1]
    return (after.total - commits) // (walk.fixes - before)


@contextlib.contextmanager
def profiled_walk(fences):
    with tempfile.TemporaryDirectory(prefix="anicca-bench-") as directory:
        directory = pathlib.Path(directory)
        with profiled(directory / "profile") as device:
            device.profile = directory / "profile"
            device.boot(BEGIN)
            walk = Walk(device, directory, fences)
            try:
                device.start()
                device.turn("location", "on")
                yield walk
            finally:
                walk.gpsd.end()


def all_figures():
    ages = {days: of_age(days) for days in AGES}
    names = list(ages[AGES[0]])
    figures = {f"{name}_day_{days}": ages[days][name] for name in names for days in AGES}
    figures |= {f"{name}_growth": round(ages[AGES[-1]][name] / ages[AGES[0]][name], 2) for name in names}
    boots = of_age(DAYS_OF_BOOTS, BOOTS)
    figures |= {f"{name}_{BOOTS * DAYS_OF_BOOTS}_boots": boots[name] for name in ("start", "commit")}
    queues = {events: of_queue(events) for events in QUEUES}
    figures |= {f"record_of_{events}": cost for events, cost in queues.items()}
    figures["missing_folder"] = of_a_missing_folder()
    figures |= {f"fix_{fences}_fences": of_fixes(fences) for fences in FENCES}
    return figures


def main():
    figures = all_figures()
    print(json.dumps(figures, indent=1))
    record.keep("growth", "make bench-growth", [*record.PROGRAMS, "Tests/Bench", "Tests/harness"], figures | {"limits": LIMITS})
    excess = [(name, figures[name], limit) for name, limit in LIMITS.items() if figures[name] > limit]
    for name, value, limit in excess:
        print(f"growth: {name} is {value}, over its limit of {limit}", file=sys.stderr)
    return 1 if excess else 0


if __name__ == "__main__":
    sys.exit(main())
