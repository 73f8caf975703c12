"""Counted trials of a promise. Each suite leaves a line of JSON for each promise and kind of fault under .build/reliability."""

import contextlib
import json
import os
import pathlib
import random
import subprocess
import sys
import traceback
import unittest

from harness import device
from promises import PROMISES

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
RESULTS = pathlib.Path(os.environ.get("ANICCA_RELIABILITY", PROJECT / ".build/reliability"))

# One seed repeats a run: FAULTS_SEED=N. FAULTS=all tries everything instead of a sample, FAULTS=half half of the largest samples.
SEED = int(os.environ.get("FAULTS_SEED") or random.SystemRandom().randrange(1_000_000))
IS_WHOLE = os.environ.get("FAULTS") == "all"
IS_HALF = os.environ.get("FAULTS") == "half"
# Names of trials that alone are tried, as a failure prints them.
ONLY = os.environ.get("FAULTS_ONLY")

SHOWN_FAILURES = 25


def commit():
    """The commit of the programs: that of this tree, or the one that ANICCA_COMMIT names."""
    named = os.environ.get("ANICCA_COMMIT")
    return named or subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=PROJECT, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()


class Trials:
    def __init__(self, suite, promise, fault):
        assert promise in PROMISES, promise
        self.suite, self.promise, self.fault = suite, promise, fault
        self.tried = 0
        self.failures = []
        self.notes = {}

    @contextlib.contextmanager
    def one(self, name):
        """One fault; what its checks find is kept, and the others go on."""
        self.tried += 1
        try:
            yield
        except unittest.SkipTest:
            raise
        except Exception as failure:  # pylint: disable=broad-except
            text = str(failure) if isinstance(failure, AssertionError) else traceback.format_exc()
            self.failures.append((str(name), text))

    def note(self, name, count=1):
        """Counts something beside the failures, as what ends by design."""
        self.notes[name] = self.notes.get(name, 0) + count

    def keep(self):
        RESULTS.mkdir(parents=True, exist_ok=True)
        line = {
            "suite": self.suite, "promise": self.promise, "fault": self.fault, "tried": self.tried,
            "failures": len(self.failures), "whole": IS_WHOLE, "seed": SEED, "commit": commit(), "notes": self.notes}
        name = f"{self.suite}-{self.promise}-{self.fault}".replace(" ", "-").replace("/", "-")[:120]
        (RESULTS / f"{name}.json").write_text(json.dumps(line) + "\n", encoding="utf-8")

    def failed(self):
        shown = "\n".join(f"- {name}: {text}" for name, text in self.failures[:SHOWN_FAILURES])
        left = len(self.failures) - SHOWN_FAILURES
        return f"{self}\n{shown}" + (f"\n… and {left} more" if left > 0 else "")

    def __str__(self):
        notes = "".join(f", {count} {name}" for name, count in sorted(self.notes.items()))
        return f"{self.promise}: {self.fault}: {self.tried} tried, {len(self.failures)} failed{notes} (seed {SEED})"


class FaultTest(unittest.TestCase):
    maxDiff = None
    suite = "faults"
    seed = SEED

    @classmethod
    def setUpClass(cls):
        # Without it no fault can be tried: then the suite ends here.
        device.template()

    def setUp(self):
        self.random = random.Random(f"{SEED} {self.id()}")

    @contextlib.contextmanager
    def trials(self, promise, fault):
        """Tries one promise with one kind of fault; fails at the end with everything that failed."""
        with self.several((promise,), fault) as (trials,):
            yield trials

    @contextlib.contextmanager
    def several(self, promises, fault):
        """Tries promises with the same faults."""
        every = [Trials(self.suite, promise, fault) for promise in promises]
        yield every
        for trials in every:
            if not ONLY:
                trials.keep()
            print(trials, file=sys.stderr, flush=True)
        failed = [trials.failed() for trials in every if trials.failures]
        if failed:
            self.fail("\n".join(failed))

    def sample(self, cases, most):
        """All cases in a whole run, else so many of them, drawn by the seed and in their order."""
        cases = list(cases)
        if ONLY:
            return [case for case in cases if name_of(case) in ONLY.split(",")]
        if IS_WHOLE or len(cases) <= most:
            return cases
        return [cases[index] for index in sorted(self.random.sample(range(len(cases)), most))]


def name_of(case):
    return str(case[0] if isinstance(case, tuple) else case)
