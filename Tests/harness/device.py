"""A device with some days that wait for delivery, copied from one that lived them, and its uploader run to an end."""

import dataclasses
import functools
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from typing import Optional

from harness import FAULTSHIM, PROGRAMS, SHIM, life
from harness.scenario import MIDNIGHT, NIGHT, begin
from harness.world import DAY, HOUR, SECOND, Clocks, World

DAYS = 3
TOKEN = "token-of-a-test-4711"
# The longest that a run may take beyond its deadline, in seconds.
GRACE = 10  # of a machine that others slow down
# Signals with which a program crashes.
CRASHES = {signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGBUS, signal.SIGFPE, signal.SIGTRAP, signal.SIGSYS}


@dataclasses.dataclass
class Run:
    """A program that has ended."""

    code: int  # Negative: ended by that signal, or by us.
    out: str
    err: str
    seconds: float  # Without those in which it was ready and had no processor.
    peak: int  # KiB
    was_hung: bool = False
    was_killed: bool = False

    @property
    def summary(self):
        lines = [line for line in self.out.splitlines() if line.startswith("{")]
        return json.loads(lines[-1]) if lines else {}

    def check(self):
        """What holds for every end of a program."""
        assert not self.was_hung, f"it hangs after {self.seconds:.1f} s: {self}"
        crash = -self.code in set(map(int, CRASHES))
        assert self.was_killed or not crash, f"ended by {signal.Signals(-self.code).name}: {self}"
        assert self.was_killed or self.code == 0 or self.err.strip(), f"ended with {self.code} and no message"

    def __str__(self):
        return f"code {self.code}, {self.seconds:.1f} s, said: {self.err[-600:].strip()}"


def run(command, environment=None, patience=30, kill_after=None, kill_when=None, watch=None):
    """Runs a program to its end: kills it after a time, when something is so, or once it takes longer than patience. `watch(pid)` may
    look at it. Time for which it was kept from a processor by others is not its own."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.monotonic()
        program = subprocess.Popen(
            list(map(str, command)), stdout=out, stderr=err, stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        was_killed, was_hung, peak, kept = False, False, 0, 0.0
        while True:
            ended, status = os.waitpid(program.pid, os.WNOHANG)
            now = time.monotonic()
            if ended:
                break
            is_time = kill_after is not None and now > began + kill_after
            peak, kept = high_water(program.pid) or peak, kept_waiting(program.pid) or kept
            is_late = now - began - kept > patience
            if not was_killed and (is_late or is_time or (kill_when and kill_when())):
                was_killed, was_hung = True, is_late
                os.kill(program.pid, signal.SIGKILL)
            if watch:
                watch(program.pid)
            time.sleep(0.001)
        program.returncode = os.waitstatus_to_exitcode(status)
        for file in (out, err):
            file.seek(0)
        return Run(
            program.returncode, out.read().decode(errors="replace"), err.read().decode(errors="replace"), now - began - kept,
            peak, was_hung, was_killed and not was_hung)


def high_water(pid):
    """The most memory that a program ever had (VmHWM), in KiB. What wait4 says includes the process that it was forked from."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            return next((int(line.split()[1]) for line in status if line.startswith("VmHWM")), 0)
    except (OSError, ValueError):
        return 0


def kept_waiting(pid):
    """The seconds for which a program was ready and had no processor (Documentation/scheduler/sched-stats)."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as statistics:
            return int(statistics.read().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


STORE = ("ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm", "key")
RUNTIME = ("aniccad.state", "upload")


def anchor(directory):
    """Beside the directory of a store lies what tells an older copy of it."""
    return directory.with_name(f"{directory.name}-anchor")


def copy_files(source, target, names=STORE + RUNTIME):
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        if (source / name).exists():
            shutil.copy2(source / name, target)


def copy_anchor(source, target):
    if anchor(source).exists():
        shutil.copytree(anchor(source), anchor(target))


@functools.cache
def template():
    """The directory of a device that lived some days, of which nothing was sent, and the state of its clocks.

    `shut` is as it was shut down, `cut` as after a kill, and `day-N` as it was after N days, with the daemon running.
    """
    with World() as world:
        kept = tempfile.TemporaryDirectory(prefix="anicca-template-")
        path = pathlib.Path(kept.name)
        begin(world)
        for day in range(1, DAYS + 1):
            world.live_until(MIDNIGHT + day * DAY + NIGHT)
            copy_files(world.directory, path / f"day-{day}")
        copy_files(world.directory, path / "cut")
        copy_anchor(world.directory, path / "cut")
        world.shut_down()
        copy_files(world.directory, path / "shut")
        copy_anchor(world.directory, path / "shut")
        return kept, world.clocks.boot, world.booted


def snapshot(name):
    return pathlib.Path(template()[0].name) / name


class Device(World):  # pylint: disable=too-many-instance-attributes
    """Use it with `with`. A world without a receiver: it delivers to an address."""

    def __init__(self, address: Optional[str], settings="", delivery="", server="", begins="shut"):  # pylint: disable=super-init-not-called
        _, boot, booted = template()
        self.wearer, self.first_day, self.days = "typical", "2025-01-13", DAYS + 2
        self.daemon = None
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="anicca-faults-"))
        self.directory = self.place / "anicca"
        self.run_directory = self.directory / "run"
        copy_anchor(snapshot(begins), self.directory)
        copy_files(snapshot(begins), self.directory, STORE)
        copy_files(snapshot(begins), self.run_directory, RUNTIME)
        self.clocks = Clocks(self.directory / "clocks")
        self.resume(booted, boot)
        self.sign_in(TOKEN)
        self.configure(address, settings, delivery, server)

    def __exit__(self, *failure):
        self.cut_power()
        self.clocks.close()
        shutil.rmtree(self.place, ignore_errors=True)

    def begin_anew(self):
        """As before the first start."""
        for name in STORE[:3]:
            (self.directory / name).unlink(missing_ok=True)
        shutil.rmtree(anchor(self.directory), ignore_errors=True)
        shutil.rmtree(self.run_directory)
        self.run_directory.mkdir()

    def configure(self, address, settings="", delivery="", server=""):
        keys = {"jitter": "0s", "first-retry": "1s", "longest-retry": "1s", "attempts-per-day": "1000", "keep-undelivered": "90d",
                "deadline": "10s"}
        keys.update(line.split(" = ") for line in delivery.splitlines() if line)
        self.deadline = int(keys["deadline"].rstrip("s"))
        text = "\n".join(f"{key} = {value}" for key, value in keys.items())
        self.config = life.configure(self.directory, address, settings, server, text, self.run_directory)

    def sign_in(self, token):
        life.sign_in(self.directory, token)

    def advance(self, seconds):
        """Lets time go by."""
        self.clocks.boot = self.clocks.limit = self.clocks.boot + int(seconds * SECOND)

    @property
    def wall(self):
        """Seconds since the epoch, as the programs see it."""
        return self.clocks.wall / SECOND

    def _environment(self, drives=False):
        return {**os.environ, **self.environment(ANICCA_CLOCK_DRIVER=str(int(drives)))}

    def environment(self, **more):
        shims = f"{FAULTSHIM}:{SHIM}" if FAULTSHIM.exists() else str(SHIM)
        return {"LD_PRELOAD": shims, "ANICCA_CLOCKS": str(self.clocks.path), "ANICCA_CLOCK_DRIVER": "0", **more}

    def upload(self, kill_after=None, kill_when=None, watch=None, **environment):
        """Runs the uploader; how it ends is checked, and how long it takes."""
        ended = run([PROGRAMS / "anicca-upload", "--json", "--config", self.config], self.environment(**environment),
                    patience=self.deadline + 20, kill_after=kill_after, kill_when=kill_when, watch=watch)
        ended.check()
        most = self.deadline + GRACE
        assert ended.seconds <= most, f"a run with a deadline of {self.deadline} s took {ended.seconds:.1f} s"
        return ended

    def ask(self, *words):
        ended = run([PROGRAMS / "anicca", *words, "--json", "--config", self.config], self.environment())
        ended.check()
        return json.loads(ended.out)

    def settle(self, runs=6):
        """Runs until everything has been handled by a server that is honest now; returns how the last run ended."""
        for _ in range(runs):
            self.advance(2 * HOUR / SECOND)
            ended = self.upload()
            if ended.code == 0 and ended.summary.get("waiting") == 0:
                break
        return ended


class WithoutAccount(Device):
    """A device that lived some days and has not signed in."""

    def configure(self, address, settings="", delivery="", server=""):
        super().configure(address, settings, delivery, server)
        text = self.config.read_text()
        self.config.write_text(re.sub(r"^\[account\]\nuser-id.*\ntoken-file.*\n", "", text))

    def start(self, *words):
        return subprocess.Popen([PROGRAMS / "anicca", *words, "--config", self.config], env={**os.environ, **self.environment()},
                                text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def enrol(self, code):
        """The exit status of a sign-in with the code of an enrolment."""
        words = [PROGRAMS / "anicca", "sign-in", "--enrolment", "--config", self.config]
        return subprocess.run(words, env={**os.environ, **self.environment()}, input=f"{code}\n", text=True, timeout=60,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode

    def keep_account(self, *lines):
        """As after a sign-in, with these lines after the token."""
        path = self.directory / "anicca.account"
        path.touch(mode=0o600)
        path.write_text("".join(f"{line}\n" for line in (life.USER, TOKEN, *lines)), "ascii")

    @property
    def account(self):
        return (self.directory / "anicca.account").read_text().splitlines()

    @property
    def renewed(self):
        path = self.directory / "anicca.renewed"
        return path.read_bytes() if path.exists() else None
