#!/usr/bin/env python3
"""Runs all the Swift tests several times beside a load on every core: steady.py RUNS.

The order is another one in each run: Swift Testing begins tests in parallel, and the number of workers changes. What was run at this
commit counts, so that RUNS=20 can be made in pieces: .build/steady/COMMIT.json. The output of the first run that fails is kept beside it.

Exit status: 0 all runs of this commit passed, 1 one failed.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = PROJECT / ".build/steady"
SWIFT = os.environ.get("SWIFT", "swift")


def main():
    wanted = int(sys.argv[1])
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    FOLDER.mkdir(parents=True, exist_ok=True)
    record = FOLDER / f"{commit}.json"
    runs = json.loads(record.read_text(encoding="utf-8")) if record.exists() else []
    cores = len(os.sched_getaffinity(0))
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(cores)]
    try:
        while len(runs) < wanted:
            workers = 1 + len(runs) % (2 * cores)
            began = time.monotonic()
            ended = subprocess.run(
                [SWIFT, "test", "--skip-build", "--parallel", "--num-workers", str(workers)], cwd=PROJECT, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
            failures = sum(" recorded an issue " in line for line in ended.stdout.splitlines())
            if ended.returncode and not any(run["status"] for run in runs):
                (FOLDER / f"{commit}.log").write_text(ended.stdout, encoding="utf-8")
            runs.append({"workers": workers, "status": ended.returncode, "issues": failures, "seconds": round(time.monotonic() - began)})
            record.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
            print(f"run {len(runs)}: {workers} workers, {runs[-1]['seconds']} s, {failures} issues, exit {ended.returncode}", flush=True)
    finally:
        for process in load:
            process.kill()
            process.wait()
    green = sum(not run["status"] for run in runs)
    print(f"{green} of {len(runs)} runs at {commit} are green")
    return 0 if green == len(runs) else 1


if __name__ == "__main__":
    sys.exit(main())
