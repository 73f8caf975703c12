"""What aniccad itself costs, counted on the program as it ships: memory that lasts, instructions, bytes that reach the card."""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from shipped import BEGIN, ShippedWorld
from harness import PROGRAMS
from harness.world import DAY, HOUR, MINUTE

# Days on which nothing moves, for what memory comes to.
QUIET_DAYS = 12


@contextlib.contextmanager
def living(motion="day", **options):
    """A device whose wearer has just turned on motion and steps."""
    os.sync()  # Pages of a freshly linked program would count as dirty.
    with ShippedWorld(motion, **options) as device:
        device.boot(BEGIN)
        device.start()
        allow(device)
        yield device


def allow(device):
    for domain in ("motion", "steps"):
        device.turn(domain, "on")


def memory():
    """After the first commit, an hour in, an hour after a reload, a day after that; and over days without a movement."""
    figures = {}

    def note(when):
        for name, value in device.memory().items():
            figures[f"aniccad_{name.lower()}_kb_{when}"] = value

    with living() as device:
        device.live(15 * MINUTE)
        note("after_first_commit")
        device.live(45 * MINUTE)
        note("after_an_hour")
        device.reload()
        note("at_a_reload")
        device.live(HOUR)
        note("after_a_reload")
        device.live(DAY)
        note("a_day_later")
    with living("table") as device:
        for _ in range(QUIET_DAYS):
            device.live(DAY)
        figures[f"aniccad_private_dirty_kb_after_{QUIET_DAYS}_quiet_days"] = device.memory()["Private_Dirty"]
    return figures


class Profile:
    """A file of callgrind's: the cost of each object's own functions, and calls and cost of some functions with all that they call."""

    def __init__(self, path):
        self.own, self.calls, self.inclusive = {}, {}, {}
        self._functions = {}
        where = called = function = None
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("ob="):
                where = pathlib.Path(line[3:]).name
            elif line.startswith("fn="):
                function = line[3:].split("'")[0]  # 'N marks a recursion.
            elif line.startswith("cfn="):
                called = line[4:]
            elif line.startswith("calls="):
                self.calls[called] = self.calls.get(called, 0) + int(line[6:].split()[0])
                where, called = (where, called), None
            elif re.match(r"[-+*\d]", line):
                cost = int(line.split()[-1])
                if isinstance(where, tuple):
                    self.inclusive[where[1]] = self.inclusive.get(where[1], 0) + cost
                    where = where[0]
                else:
                    self.own[where] = self.own.get(where, 0) + cost
                    self._functions[where, function] = self._functions.get((where, function), 0) + cost

    def functions_of(self, name):
        """The functions of an object, those that cost most first."""
        costs = {
            function: cost for (where, function), cost in self._functions.items()
            if where == name and not function.startswith("0x")}
        return sorted(costs, key=costs.get, reverse=True)

    @property
    def total(self):
        """All but the shims and valgrind's own."""
        return sum(cost for name, cost in self.own.items() if not name.endswith("shim.so") and "vgpreload" not in name and name != "???")

    def of(self, pattern):
        """How often the functions were called whose mangled names match, and what they cost with all that they called."""
        names = [name for name in self.calls if re.search(pattern, name)]
        assert names, f"no function is called {pattern}"
        return sum(self.calls[name] for name in names), sum(self.inclusive[name] for name in names)


@contextlib.contextmanager
def profiled(out):
    """A device whose daemon runs under callgrind, not started yet. Each `dump` writes a file: `out` with .1, .2 and so on."""
    with tempfile.TemporaryDirectory(prefix="anicca-bench-") as directory:
        program = pathlib.Path(directory) / "aniccad"
        # valgrind 3.19 does not understand the debug information of newer compilers.
        subprocess.run(["objcopy", "--strip-debug", PROGRAMS / "aniccad", program], check=True)
        debugger = [
            "valgrind", "--tool=callgrind", "--demangle=no", "--compress-strings=no", "--compress-pos=no",
            f"--callgrind-out-file={out}"]
        with ShippedWorld(debugger=debugger, program=program) as device:
            yield device


def dump(device):
    """Writes down what was counted since the last time."""
    control = ["callgrind_control", "--dump", str(device.daemon.pid)]
    subprocess.run(control, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def instructions():
    """Of a start, of a day with walks, of a window and of a commit."""
    with tempfile.TemporaryDirectory(prefix="anicca-bench-") as directory:
        out = pathlib.Path(directory) / "profile"
        with profiled(out) as device:
            device.boot(BEGIN)
            device.start()
            dump(device)
            allow(device)
            dump(device)
            before = device.transfers, device.clocks.wakeups
            device.live(DAY)
            dump(device)
            transfers, wakeups = device.transfers - before[0], device.clocks.wakeups - before[1]
        start, day = (Profile(out.with_name(f"{out.name}.{part}")) for part in (1, 3))
    commits, of_commits = day.of(r"^\$s7Sensing11LedgerStoreC6commity.*F$")
    windows, _ = day.of("^\\$s7Sensing0A7SessionV11windowTaken.*F$")
    return {
        "aniccad_instructions_start": start.total,
        "aniccad_instructions_per_day": day.total,
        "aniccad_instructions_per_commit": of_commits // commits,
        "aniccad_instructions_per_window": (day.total - of_commits) // windows,
        "aniccad_commits_per_day": commits,
        "aniccad_windows_per_day": windows,
        "aniccad_wakeups_per_day": wakeups,
        "aniccad_i2c_transfers_per_window": round(transfers / windows, 1),
    }


class Card:
    """A card with a fresh ext4, as a file. Takes root and a loop device."""

    def __init__(self, directory):
        self.mount = directory / "card"
        self.mount.mkdir()
        image = directory / "image"
        with image.open("wb") as file:
            file.truncate(256 << 20)
        extended = "lazy_itable_init=0,lazy_journal_init=0"  # Otherwise the kernel goes on making it.
        subprocess.run(["mkfs.ext4", "-q", "-E", extended, image], check=True)
        subprocess.run(["mount", "-o", "loop,noatime", image, self.mount], check=True)
        mounts = pathlib.Path("/proc/mounts").read_text(encoding="utf-8").splitlines()
        self.device = next(line.split()[0].split("/")[-1] for line in mounts if line.split()[1] == str(self.mount))

    def written(self):
        """Bytes written and flushes so far (Documentation/admin-guide/iostats.rst)."""
        os.sync()
        lines = pathlib.Path("/proc/diskstats").read_text(encoding="ascii").splitlines()
        fields = next(line.split() for line in lines if line.split()[2] == self.device)
        return 512 * int(fields[9]), int(fields[18])


def card():
    """What reaches the card: by the first day after a start, in which the log is filled, and by the day after it."""
    if os.geteuid() != 0:
        print("bench: what reaches the card is not measured: that takes root", file=sys.stderr)
        return {}
    with tempfile.TemporaryDirectory(prefix="anicca-bench-") as directory:
        try:
            disk = Card(pathlib.Path(directory))
        except subprocess.CalledProcessError as error:
            print(f"bench: what reaches the card is not measured: that takes a loop device ({error})", file=sys.stderr)
            return {}
        try:
            store = disk.mount / "anicca"
            store.mkdir(mode=0o700)
            with living(store=store) as device:
                device.shut_down()
                marks = [disk.written()]
                device.start()
                for _ in range(2):
                    device.live(DAY)
                    marks.append(disk.written())
        finally:
            subprocess.run(["umount", disk.mount], check=True)
    (bytes_first, flushes_first), (bytes_then, flushes_then) = (
        (after[0] - before[0], after[1] - before[1]) for before, after in zip(marks, marks[1:]))
    return {
        "card_bytes_first_day": bytes_first, "card_flushes_first_day": flushes_first,
        "card_bytes_per_day": bytes_then, "card_flushes_per_day": flushes_then,
    }


def all_figures():
    return memory() | instructions() | card()
