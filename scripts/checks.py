#!/usr/bin/env python3
"""Runs the checks of a change (.ci/run) or those of a night (make nightly), two at a time, and ends with a table of them.

    checks.py ci                          every check of CI, from a clean clone
    checks.py night [--minutes N] [NAME...]   the checks of a night, or those that are named

A check is one line of CI or NIGHT below: a command, the checks that have to pass before it, and the reason to leave it out where there is
one. Its output goes to .build/checks/NAME.log; the end of it is printed when the check ends, and all of it when the check fails. A check
that takes longer than its limit is ended with all that it started and tried once more, since SwiftPM has been seen to stand still after a
finished build.

A night records in docs/figures/night.json what has passed for the present sources, which documents are none of, and does not run it
again, so it can be cut into pieces: with --minutes no check begins after so many minutes.

Exit status: 0 all passed, 1 one failed or did not run because another one failed.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import record

PROJECT = pathlib.Path(__file__).resolve().parent.parent
LOGS = PROJECT / ".build/checks"
RECORDINGS = [PROJECT.parent / "shared" / name for name in ("recordings-2", "recordings-3")]
RIG_CACHE = pathlib.Path(os.environ.get("RIG_CACHE") or pathlib.Path.home() / ".cache/anicca-rig")
LANES = 2
# Lines of the output of a check that passed.
SHOWN = 12
# unittest, Swift Testing, compilers, and the scripts of this project.
FAILURE = re.compile(r"^(FAIL|ERROR|FAILED|error): | recorded an issue |: error: |^make.* Error |^Traceback ")
AFTER_FAILURE = 12
MOST_FAILURES = 60


def no_docc():
    return None if shutil.which("docc") else "the toolchain has no docc"


def no_recordings():
    missing = [str(folder) for folder in RECORDINGS if not (folder / "index.csv").is_file()]
    return f"there are no recordings at {' and '.join(missing)}" if missing else None


def no_kernel():
    return None if any(RIG_CACHE.glob("kernel-*")) else f"no kernel of the rig in {RIG_CACHE}: make rig makes it"


def always():
    return None


@dataclasses.dataclass(frozen=True)
class Check:
    name: str
    command: str
    needs: tuple = ()
    minutes: int = 25
    left_out: object = always


# The longest come first among those that can run.
CI = [
    Check("setup", "make setup"),
    # README's second command in a bare Debian 13, with its Swift.
    Check("fresh", "make test-fresh COMMANDS=test", needs=("setup",), minutes=60),
    Check("release", "make build", needs=("setup",)),
    Check("outside", "make test-outside FAULTS=half", needs=("release",), minutes=40),
    Check("arm64", "make check-arm64", needs=("release",)),
    Check("bench", "make bench", needs=("release",)),
    Check("deb", "make deb test-deb test-setup-here", needs=("release",)),
    Check("rig", "make test-rig-fast", needs=("deb",), minutes=40, left_out=no_kernel),
    Check("demo", "make demo", needs=("release",)),
    Check("clocks", "make test-clocks SEEDS=1-50", needs=("release",)),
    Check("lives", "make nights places NIGHTS=60 DAYS=60", needs=("release",)),
    Check("docs", "make docs", needs=("release",), left_out=no_docc),
    Check("lint", "make lint", needs=("setup",)),
    Check("embedded", "make embedded", needs=("setup",)),
    Check("libgpiod2", "make check-libgpiod2", needs=("setup",)),
    Check("check-units", "make check-units", needs=("setup",)),
    Check("test-training", "make test-training", needs=("setup",)),
    Check("train", "make check-training", needs=("release",), minutes=40, left_out=no_recordings),
]

# Pieces of half an hour at most.
NIGHT = [
    Check("setup", "make setup"),
    Check("release", "make build", needs=("setup",)),
    Check("test", "make test", needs=("setup",), minutes=30),
    Check("fresh-trixie", "make test-fresh", needs=("setup",), minutes=60),
    Check("fresh-bookworm", "make test-fresh SUITE=bookworm", needs=("setup",), minutes=60),
    Check("bench", "make bench RECORD=1", needs=("release",)),
    Check("growth", "make bench-growth RECORD=1", needs=("release",), minutes=30),
    Check("extension", "make check-extension", needs=("setup",), minutes=30),
    Check("fuzz", "make test-fuzz", needs=("setup",), minutes=30),
    Check("canaries", "make test-canaries MINUTES=25", needs=("setup",), minutes=60),
    Check("fleet", "make demo-fleet RECORD=1", needs=("release",), minutes=30),
    Check("kills", "make test-fleet DEVICES=10000", needs=("release",), minutes=30),
    Check("load", "make fleet-load RECORD=1", needs=("release",)),
    Check("nights", "make nights RECORD=1", needs=("release",), minutes=30),
    Check("places", "make places RECORD=1", needs=("release",), minutes=30),
    Check("floors", "make floors RECORD=1", needs=("release",), minutes=60),
    Check("heart", "make heart RECORD=1", needs=("release",)),
    Check("demo-lives", "make demo-lives", needs=("release",), minutes=30),
    Check("clocks", "make test-clocks", needs=("release",), minutes=30),
    Check("soak", "make test-soak MINUTES=20", needs=("release",), minutes=30),
    Check("reliability", "make reliability RECORD=1", needs=("release",), minutes=30),
    Check("energy", "make energy RECORD=1", needs=("release",)),
    Check("train", "make train RECORD=1", needs=("setup",), minutes=30, left_out=no_recordings),
    Check("accuracy", "make accuracy RECORD=1", needs=("train", "release"), left_out=no_recordings),
    Check("rig-bookworm", "make test-rig", needs=("release",), minutes=60),
    Check("rig-trixie", "make test-rig-trixie", needs=("rig-bookworm",), minutes=60),
    Check("home-assistant", "make test-home-assistant", needs=("release",)),
    Check("arrivals", "make arrivals RECORD=1", needs=("release",)),
    Check("arm64", "make test-arm64", needs=("release",), minutes=60),
    Check("server", "make test-setup", needs=("release",), minutes=30),
    Check("repository", "make test-release", needs=("release",), minutes=30),
    Check("image", "make test-image", needs=("arm64",), minutes=60),
    # Each goes on where the one before ended.
    Check("steady-5", "make test-steady RUNS=5", needs=("test",), minutes=60),
    Check("steady-10", "make test-steady RUNS=10", needs=("steady-5",), minutes=60),
    Check("steady-15", "make test-steady RUNS=15", needs=("steady-10",), minutes=60),
    Check("steady-20", "make test-steady RUNS=20", needs=("steady-15",), minutes=60),
]


class Run:
    """A check that has begun, and what came of it."""

    def __init__(self, check):
        self.check = check
        self.result = None
        self.seconds = self.processor = 0.0
        self.retries = 0
        self.process = None
        self.log = LOGS / f"{check.name}.log"

    def run(self, environment):
        print(f"== {self.check.name}: {self.check.command} ({time.strftime('%H:%M:%S', time.gmtime())})", flush=True)
        began = time.monotonic()
        status = self._try(environment)
        if status is None:
            print(f"== {self.check.name} took longer than {self.check.minutes} minutes: once more", flush=True)
            self.retries = 1
            status = self._try(environment)
        self.seconds = time.monotonic() - began
        self.result = "passed" if status == 0 else "FAILED"

    def _try(self, environment):
        """The exit status; none where the check had to be ended."""
        with open(self.log, "wb") as log:
            self.process = process = subprocess.Popen(
                ["sh", "-c", self.check.command], cwd=PROJECT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                env=environment, start_new_session=True)
            deadline = time.monotonic() + 60 * self.check.minutes
            while time.monotonic() < deadline:
                ended, status, used = os.wait4(process.pid, os.WNOHANG)
                if ended:
                    process.returncode = os.waitstatus_to_exitcode(status)
                    self.processor += used.ru_utime + used.ru_stime
                    return process.returncode
                time.sleep(0.2)
            self.end()
            return None

    def end(self):
        """Ends the check with all that it started."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, sign)
                self.process.wait(30)
                break
            except subprocess.TimeoutExpired:
                continue

    def show(self):
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        skipped = [line for line in lines if "SKIPPED" in line]
        shown = lines if self.result == "FAILED" else [line for line in skipped if line not in lines[-SHOWN:]] + lines[-SHOWN:]
        print("\n".join([f"== {self.check.name}: {self.result} after {self.seconds:.0f} s", *shown]), flush=True)

    def failures(self):
        """The lines of the output that tell of a failure, each with those after it: the log of CI is long, and may be cut in the middle."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        told = [at for at, line in enumerate(lines) if FAILURE.search(line)]
        near = sorted({near for at in told for near in range(at, min(at + AFTER_FAILURE, len(lines)))})
        return [lines[at] for at in near][:MOST_FAILURES] or lines[-SHOWN:]


class Checks:
    """A list of checks, of which LANES run at a time."""

    def __init__(self, checks, passed=(), until=float("inf"), ended=lambda run: None):
        self.waiting = [check for check in checks if check.name not in passed]
        self.passed = set(passed)
        self.runs = []
        self.left_out = {}
        self.not_run = []
        self.until = until
        self.ended = ended
        self.changed = threading.Condition()
        self.environment = dict(os.environ, FAULTS_SEED=os.environ.get("FAULTS_SEED", "7"))
        # The variables of the make that called this are none of the checks': MINUTES of a night would be those of its soak.
        self.environment.pop("MAKEFLAGS", None)

    def end(self, sign, _):
        for run in self.runs:
            if run.process and not run.result:
                run.end()
        os._exit(128 + sign)

    def run(self):
        for sign in (signal.SIGTERM, signal.SIGINT):
            signal.signal(sign, self.end)
        lanes = [threading.Thread(target=self._work) for _ in range(LANES)]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()
        self.not_run += self.waiting

    def _next(self):
        """The next check that can run; none where none ever can. Waits while one that runs may make another one possible."""
        with self.changed:
            while True:
                for check in list(self.waiting):
                    if reason := check.left_out():
                        self.left_out[check.name] = reason
                        self.passed.add(check.name)
                        self.waiting.remove(check)
                if time.monotonic() > self.until:
                    return None
                for check in self.waiting:
                    if self.passed.issuperset(check.needs):
                        self.waiting.remove(check)
                        self.runs.append(run := Run(check))
                        return run
                if all(run.result for run in self.runs):
                    return None
                self.changed.wait()

    def _work(self):
        while run := self._next():
            run.run(self.environment)
            with self.changed:
                run.show()
                if run.result == "passed":
                    self.passed.add(run.check.name)
                if run.check.name == "release" and run.result == "passed":
                    self.environment["ANICCA_PROGRAMS"] = release_programs()
                self.ended(run)
                self.changed.notify_all()

    def summarise(self, seconds):
        print(f"\n{'check':<16} {'seconds':>8} {'CPU s':>8} {'retries':>8}  result")
        for run in sorted(self.runs, key=lambda run: -run.seconds):
            print(f"{run.check.name:<16} {run.seconds:>8.0f} {run.processor:>8.0f} {run.retries:>8}  {run.result}")
        print(f"{'all':<16} {seconds:>8.0f} {sum(run.processor for run in self.runs):>8.0f} {sum(run.retries for run in self.runs):>8}")
        for name, reason in self.left_out.items():
            print(f"SKIPPED {name}: {reason}")
        for check in self.not_run:
            print(f"NOT RUN {check.name}")
        for run in self.runs:
            if run.result == "FAILED":
                print("\n".join([f"\n{run.check.name} failed ({run.log.relative_to(PROJECT)}):", *run.failures()]))
        failed = sum(run.result == "FAILED" for run in self.runs)
        print(f"{len(self.runs) - failed} passed, {failed} failed, {len(self.left_out) + len(self.not_run)} skipped", flush=True)
        return failed


def release_programs():
    swift = os.environ.get("SWIFT", "swift")
    command = [swift, "build", "-c", "release", "--static-swift-stdlib", "--show-bin-path"]
    return subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


class Night:
    """What has passed for the present sources, in seconds: a record, so that a night can go on in another checkout."""

    # Documents are none of them: what a night writes into docs is no change of what it checks.
    INPUTS = ["Package.swift", "Makefile", "Sources", "Tests", "Training", "deploy", "scripts", "systemd"]

    def __init__(self):
        self.sources = record.digest(self.INPUTS)
        kept = record.read("night")
        self.passed = kept["figures"]["seconds"] if kept and record.is_current(kept) else {}

    def add(self, run):
        if run.result == "passed" and record.digest(self.INPUTS) == self.sources:
            self.passed[run.check.name] = round(run.seconds)
            waiting = [check.name for check in NIGHT if check.name not in self.passed]
            record.write("night", "make nightly", self.INPUTS, {"seconds": self.passed, "waiting": " ".join(waiting)})


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("list", choices=["ci", "night"])
    words.add_argument("names", nargs="*", metavar="NAME")
    words.add_argument("--minutes", type=float, default=float("inf"))
    chosen = words.parse_intermixed_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    if chosen.list == "ci":
        checks = Checks(CI)
    else:
        night = Night()
        known = {check.name: check for check in NIGHT}
        for name in chosen.names:
            if name not in known:
                sys.exit(f"checks: no check is called {name}; there are {' '.join(known)}")
        # A check that is named brings what it needs.
        wanted, todo = set(), list(chosen.names or known)
        while todo:
            name = todo.pop()
            wanted.add(name)
            todo += known[name].needs
        # A program that is built may be gone since.
        passed = set(night.passed) - {"setup", "release", "test", "train"}
        checks = Checks(
            [check for check in NIGHT if check.name in wanted], passed, began + 60 * chosen.minutes, night.add)
    checks.run()
    return 1 if checks.summarise(time.monotonic() - began) or (chosen.list == "ci" and checks.not_run) else 0


if __name__ == "__main__":
    sys.exit(main())
