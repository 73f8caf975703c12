#!/usr/bin/env python3
"""Runs all the Swift tests several times: steady.py RUNS.

There are two runs at a time, each the load of the other, so that no core has a rest; what two runs take from one another, such as a port or
a name in /tmp, is found as well. The order is another one in each run: Swift Testing begins tests in parallel, and the number of workers
changes. What was run of the present sources counts, so that RUNS=20 can be made in pieces: .build/steady/SOURCES.json. The output of a run
that fails is kept beside it.

Exit status: 0 all runs of these sources passed, 1 one failed.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import threading
import time

import record
from checks import PROJECT, Night

FOLDER = PROJECT / ".build/steady"
SWIFT = os.environ.get("SWIFT", "swift")
AT_A_TIME = 2


class Steady:
    def __init__(self, wanted):
        self.sources = record.digest(Night.INPUTS)
        self.record = FOLDER / f"{self.sources}.json"
        self.runs = json.loads(self.record.read_text(encoding="utf-8")) if self.record.exists() else []
        self.numbers = iter(range(len(self.runs) + 1, wanted + 1))
        self.lock = threading.Lock()

    def work(self, lane):
        while True:
            with self.lock:
                number = next(self.numbers, None)
            if number is None:
                return
            self.run(number, lane)

    def run(self, number, lane):
        workers = 1 + number % (2 * len(os.sched_getaffinity(0)))
        began = time.monotonic()
        ended = subprocess.run(
            # Two runs may read what was built; neither builds.
            [SWIFT, "test", "--skip-build", "--ignore-lock", "--parallel", "--num-workers", str(workers)], cwd=PROJECT,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        failures = sum(" recorded an issue " in line for line in ended.stdout.splitlines())
        # A run that found nothing to run ends well too.
        tests = sum(" passed after " in line or " failed after " in line for line in ended.stdout.splitlines())
        status = ended.returncode or (0 if tests else 1)
        if status:
            (FOLDER / f"{self.sources}-{number}.log").write_text(ended.stdout, encoding="utf-8")
        with self.lock:
            self.runs.append({"run": number, "lane": lane, "workers": workers, "status": status, "issues": failures, "tests": tests,
                              "seconds": round(time.monotonic() - began)})
            self.record.write_text(json.dumps(self.runs, indent=1) + "\n", encoding="utf-8")
            print(f"run {number}: {workers} workers, {self.runs[-1]['seconds']} s, {tests} tests, {failures} issues, exit {status}", flush=True)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    steady = Steady(int(sys.argv[1]))
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as lanes:
        for lane in [lanes.submit(steady.work, lane) for lane in range(AT_A_TIME)]:
            lane.result()
    green = sum(not run["status"] for run in steady.runs)
    print(f"{green} of {len(steady.runs)} runs of the sources {steady.sources} are green")
    return 0 if green == len(steady.runs) else 1


if __name__ == "__main__":
    sys.exit(main())
