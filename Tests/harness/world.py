"""A device whose clocks a test sets: the programs as they ship under `clockshim.c`, a simulated wearer whose truth is known, and a
receiver on this machine.

Times are whole nanoseconds: true time since the epoch, the wall clock's time, or time since boot.
"""

import collections
import datetime
import json
import mmap
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import uuid

from harness import PROGRAMS, SHIM
from harness.life import configure, sign_in
from harness.processes import Receiver

SECOND = 1_000_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
# How long, in real seconds, the daemon may work without its time going on.
PATIENCE = 60

# `WatchdogSec` of aniccad.service, in microseconds: the daemon never sleeps for longer than half of it.
WATCHDOG = str(15 * 60 * 1_000_000)

# `struct clocks` of clockshim.c.
PAGE = struct.Struct("=QqqqqIIQ64s")
MAGIC = 0x616E69636361636C
BOOT, WALL, LIMIT, SUSPENDED = (8 * n for n in range(1, 5))
SYNCHRONISED, PARKED, WAKEUPS, BOOT_ID = 40, 44, 48, 56


def at(text):
    """The time `2025-01-13T12:00:00`, in UTC."""
    moment = datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc)
    return int(moment.timestamp()) * SECOND


def shown(nanoseconds):
    """A time as the programs write it."""
    moment = datetime.datetime.fromtimestamp(nanoseconds // SECOND, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class Clocks:
    """The page that the shim reads."""

    def __init__(self, path):
        self.path = path
        self._boots = 0
        path.write_bytes(PAGE.pack(MAGIC, 0, 0, 0, 0, 1, 0, 0, b""))
        self._file = open(path, "r+b")  # Kept as long as the map.
        self._map = mmap.mmap(self._file.fileno(), PAGE.size)

    def _get(self, offset, form="q"):
        return struct.unpack_from("=" + form, self._map, offset)[0]

    def _set(self, offset, value, form="q"):
        struct.pack_into("=" + form, self._map, offset, value)

    boot = property(lambda self: self._get(BOOT), lambda self, value: self._set(BOOT, value))
    limit = property(lambda self: self._get(LIMIT), lambda self, value: self._set(LIMIT, value))
    suspended = property(lambda self: self._get(SUSPENDED), lambda self, value: self._set(SUSPENDED, value))
    wakeups = property(lambda self: self._get(WAKEUPS))

    @property
    def wall(self):
        return self.boot + self._get(WALL)

    @wall.setter
    def wall(self, value):
        self._set(WALL, value - self.boot)

    @property
    def is_synchronised(self):
        return bool(self._get(SYNCHRONISED, "I"))

    @is_synchronised.setter
    def is_synchronised(self, value):
        self._set(SYNCHRONISED, int(value), "I")

    @property
    def is_parked(self):
        return bool(self._get(PARKED, "I"))

    def unpark(self):
        self._set(PARKED, 0, "I")

    def name_boot(self):
        """Gives the boot a new identity. systemd spreads timers by it, so it is the same in every run of a test."""
        self._boots += 1
        name = uuid.uuid5(uuid.NAMESPACE_OID, f"boot {self._boots}")
        self._map[BOOT_ID:BOOT_ID + 64] = f"{name}\n".encode().ljust(64, b"\0")

    def close(self):
        self._map.close()
        self._file.close()


class World:
    """Use it with `with`: what it started is ended, and its directory removed. On a failure `log` has the entries."""

    def __init__(self, wearer="typical", first_day="2025-01-13", days=7, config=""):
        self.wearer = wearer
        self.first_day = first_day
        self.days = days
        # The store has an anchor beside its directory.
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="anicca-time-"))
        self.directory = self.place / "anicca"
        self.directory.mkdir(mode=0o700)
        self.clocks = Clocks(self.directory / "clocks")
        self.daemon = None
        self.booted = None
        self.receiver = Receiver(self.directory / "received.sqlite")
        sign_in(self.directory)
        self.config = configure(self.directory, self.receiver.address, config)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.cut_power()
        self.receiver.end()
        self.clocks.close()
        shutil.rmtree(self.place)

    # -- Clocks

    def boot(self, true, wall=None, is_synchronised=True):
        """Boots the device at a true time; the wall clock shows it too, or another one. Everything is as before but the clocks."""
        self.booted = true - 10 * SECOND
        self.clocks.boot = self.clocks.limit = 10 * SECOND
        self.clocks.suspended = 0
        self.clocks.wall = true if wall is None else wall
        self.clocks.is_synchronised = is_synchronised
        self.clocks.name_boot()

    def resume(self, booted, boot):
        """Goes on at a time since boot of a device that lived before, with a clock that is right."""
        self.booted = booted
        self.clocks.boot = self.clocks.limit = boot
        self.clocks.wall = self.true
        self.clocks.is_synchronised = True
        self.clocks.name_boot()

    @property
    def true(self):
        return self.booted + self.clocks.boot

    def correct_clock(self):
        """What a network does: the wall clock shows the truth, and the kernel knows it."""
        self.clocks.wall = self.true
        self.clocks.is_synchronised = True

    # -- Programs

    def _environment(self, drives=False):
        return {
            **os.environ, "LD_PRELOAD": str(SHIM), "ANICCA_CLOCKS": str(self.clocks.path),
            "ANICCA_CLOCK_DRIVER": "1" if drives else "0",
        }

    def run(self, program, *words, codes=(0, 75), messages=subprocess.STDOUT):
        """Runs a program to its end under the clocks; returns what it printed, with its messages if they are not kept apart."""
        command = [PROGRAMS / program, *words, "--config", self.config]
        ended = subprocess.run(
            command, env=self._environment(), stdout=subprocess.PIPE, stderr=messages, text=True, check=False)
        if ended.returncode not in codes:
            raise AssertionError(f"{program} {' '.join(words)} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr or ''}")
        return ended.stdout

    def start(self):
        """Starts the daemon, and waits until it is ready."""
        self.clocks.unpark()
        with open(self.log_path, "ab") as log:
            self.daemon = subprocess.Popen(
                self.command, env={**self._environment(drives=True), "WATCHDOG_USEC": WATCHDOG}, stdout=log, stderr=log)
        self._wait()

    @property
    def command(self):
        """What starts the daemon."""
        return [PROGRAMS / "anicca-lab", "daemon", self.wearer, "--from", self.first_day, "--booted", shown(self.booted), "--config", self.config]

    def live(self, length):
        """Lets time go by in the daemon's life, and stops it there."""
        self.clocks.unpark()
        self.clocks.limit = self.clocks.boot + length
        if self.daemon:
            self._wait()
        else:
            self.clocks.boot = self.clocks.limit

    def live_until(self, true):
        self.live(true - self.true)

    def _wait(self):
        stands_since, boot = time.monotonic(), self.clocks.boot
        while not (self.clocks.is_parked and self.clocks.boot >= self.clocks.limit):
            if self.daemon.poll() is not None:
                raise AssertionError(f"the daemon ended with {self.daemon.returncode}:\n{self.log}")
            if boot != self.clocks.boot:
                stands_since, boot = time.monotonic(), self.clocks.boot
            if time.monotonic() > stands_since + PATIENCE:
                raise AssertionError(f"the daemon stands at {shown(self.true)}:\n{self.log}")
            time.sleep(0.001)

    def cut_power(self):
        """Ends the daemon where it stands."""
        self._end(signal.SIGKILL)

    def shut_down(self):
        self._end(signal.SIGTERM)

    def _end(self, how):
        if self.daemon and self.daemon.poll() is None:
            self.daemon.send_signal(how)
            self.daemon.wait(PATIENCE)
        self.daemon = None

    def turn(self, domain, position):
        """Turns a toggle, and lets the daemon follow."""
        self.run("anicca-lab", "toggle", domain, position)
        if self.daemon:
            self.live(SECOND)

    def reboot(self, wall=None, is_synchronised=True, off=30 * SECOND, abruptly=False):
        """Ends the daemon, leaves the device without power for a while, and starts it in a new boot."""
        true = self.true + off
        self.cut_power() if abruptly else self.shut_down()
        self.boot(true, wall, is_synchronised)
        self.start()

    def reload(self):
        """Has the daemon read its configuration again."""
        self.daemon.send_signal(signal.SIGHUP)
        self.live(SECOND)

    def upload(self):
        """What the timer starts. Returns the summary of the run."""
        printed = self.run("anicca-upload", "--json")
        return json.loads(printed.splitlines()[-1])

    def ask(self, *words):
        """What `anicca` answers to `words --json`."""
        return json.loads(self.run("anicca", *words, "--json", messages=subprocess.PIPE))

    def time(self):
        """Whether the time is trusted, and what is in no record, as `anicca status` says."""
        return self.ask("status")["time"]

    def history(self):
        """The days that have ended, as `anicca days` lists them, by date."""
        return {day["date"]: day for day in self.ask("days")}

    # -- The disk

    #: What a power cut leaves of a store: what the daemon keeps in memory, and the index of the log, are gone with the power.
    ON_DISK = ("ledger.sqlite", "ledger.sqlite-wal", "key")

    def disk(self):
        """The files of the store and its anchor as a power cut would leave them now, by their names below `place`."""
        anchor = self.place / "anicca-anchor"
        paths = [self.directory / name for name in self.ON_DISK] + sorted(anchor.glob("*") if anchor.exists() else [])
        return {path.relative_to(self.place): path.read_bytes() for path in paths if path.exists()}

    def put_back(self, disk):
        """Has a device that is off hold what `disk` gave."""
        for name in ("ledger.sqlite-shm", "ledger.sqlite-wal", "aniccad.state"):
            (self.directory / name).unlink(missing_ok=True)
        shutil.rmtree(self.place / "anicca-anchor", ignore_errors=True)
        for name, data in disk.items():
            path = self.place / name
            path.parent.mkdir(mode=0o700, exist_ok=True)
            path.touch(mode=0o600)
            path.write_bytes(data)

    # -- What came of it

    @property
    def log_path(self):
        return self.directory / "log"

    @property
    def log(self):
        return self.log_path.read_text(encoding="utf-8")[-6000:]

    def records(self):
        """The daily records that the receiver has, by date; fails when one date came twice."""
        return {body["date"]: body for body in self._received("/mobile/daily_metrics", "date")}

    def events(self):
        return self._received("/nudge/trigger", "timestamp")

    def _received(self, endpoint, key):
        bodies = self.receiver.bodies(endpoint)
        repeated = [name for name, times in collections.Counter(body[key] for body in bodies).items() if times > 1]
        if repeated:
            raise AssertionError(f"came more than once: {repeated}")
        return bodies

    def quarters(self):
        """The truth by quarter of an hour: when it began, steps, and seconds of sitting."""
        printed = subprocess.run(
            [PROGRAMS / "anicca-lab", "truth", self.wearer, "--from", self.first_day, "--days", str(self.days)],
            stdout=subprocess.PIPE, text=True, check=True).stdout
        lines = map(json.loads, printed.splitlines())
        return [(at(line["start"].rstrip("Z")), line["steps"], line["sedentarySeconds"]) for line in lines]

    def truth(self):
        """By date: steps, and seconds of sitting."""
        days = collections.defaultdict(lambda: {"steps": 0, "sedentarySeconds": 0})
        for start, steps, seconds in self.quarters():
            day = days[shown(start)[:10]]
            day["steps"] += steps
            day["sedentarySeconds"] += seconds
        return dict(days)

    def true_steps(self, *spans):
        """The steps of spans of true time, each from one end of a quarter to another."""
        return sum(steps for start, steps, _ in self.quarters() if any(a <= start < b for a, b in spans))
