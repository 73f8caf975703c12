#!/usr/bin/env python3
"""Plants faults in a copy of the project, and sees whether the campaigns find them: README.md.

Each campaign runs without a fault first and has to pass, then with each of its canaries, and has to fail for the reason that the table
names. What was found at this commit is not tried again; with names, these are tried in any case.

Usage: run.py [--jobs N] [--minutes N] [NAME ...]
       run.py --check      only whether each canary fits the sources, as `make lint` asks
Exit status: 0 all are caught, 1 one is not or a campaign fails without a fault, 2 a canary does not fit the sources, 3 the time was over.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "scripts"))

# pylint: disable=wrong-import-position
from canaries import CANARIES  # noqa: E402
from project_copy import PROJECT, copy_project  # noqa: E402

SCRATCH = PROJECT / ".build/canaries/tree"
RESULTS = PROJECT / ".build/canaries/results.json"
LOGS = PROJECT / ".build/canaries/logs"
BUILD = ["swift", "build", "-c", "release", "--static-swift-stdlib"]
# Seconds.
PATIENCE = 1200
#: Layers that hold a module in each folder; the others are one.
DIVIDED_LAYERS = {"Laboratory", "Programs"}


def module(file):
    parts = pathlib.PurePath(file).parts
    return "/".join(parts[:3 if parts[1] in DIVIDED_LAYERS else 2])


def planted():
    """The changed files by name. Fails where a canary does not fit the sources any more."""
    texts, misfits = {}, []
    for canary in CANARIES:
        text = texts.get(canary.file) or (PROJECT / canary.file).read_text(encoding="utf-8")
        for old, new in canary.edits:
            if text.count(old) != 1:
                misfits.append(f"{canary.name}: {canary.file} has {text.count(old)} times: {old.strip()}")
            text = text.replace(old, new)
        if f'canary("{canary.name}")' not in text:
            misfits.append(f"{canary.name}: what takes the place does not ask for it")
        texts[canary.file] = text
        texts[f"{module(canary.file)}/Canary.swift"] = (HERE / "Canary.swift").read_text(encoding="utf-8")
    if misfits:
        print("\n".join(misfits), file=sys.stderr)
        sys.exit(2)
    return {name: text.encode() for name, text in texts.items()}


def state():
    """The commit, and whether something was changed since."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=PROJECT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return git("rev-parse", "--short", "HEAD") + ("-changed" if git("status", "--porcelain") else "")


class Results:
    """What was found at this commit, by campaign and canary."""

    def __init__(self, commit):
        self.commit, self.found = commit, {}
        if RESULTS.exists():
            kept = json.loads(RESULTS.read_text(encoding="utf-8"))
            if kept["commit"] == commit and not commit.endswith("-changed"):
                self.found = kept["found"]

    def keep(self, key, verdict):
        self.found[key] = verdict
        kept = {"commit": self.commit, "date": datetime.date.today().isoformat(), "found": self.found}
        RESULTS.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def attempt(campaign, name, programs, log):
    """Runs a campaign to its end: whether it passed, and what it said. None: it came to no end."""
    command = campaign.command.format(programs=programs)
    environment = {**os.environ, **dict(campaign.environment), "PYTHONPATH": str(SCRATCH / "Tests"), "ANICCA_PROGRAMS": programs, "ANICCA_CANARY": name}
    with open(log, "w+", encoding="utf-8", errors="replace") as said:
        program = subprocess.Popen(
            command.split(), cwd=SCRATCH / campaign.folder, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
            start_new_session=True)
        try:
            code = program.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            code = None
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()
        said.seek(0)
        return None if code is None else code == 0, said.read()


def build():
    """Plants all, and makes what the campaigns need; returns the directory of the programs."""
    copy_project(SCRATCH, planted())
    subprocess.run(BUILD, cwd=SCRATCH, check=True)
    subprocess.run(["make", "--no-print-directory", "shims"], cwd=SCRATCH, check=True)
    return subprocess.run([*BUILD, "--show-bin-path"], cwd=SCRATCH, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def judge(campaign, canary, programs):
    """The verdict on a campaign without a fault (`canary` is None), or on whether it finds one."""
    began = time.monotonic()
    log = LOGS / f"{canary.name if canary else 'control ' + re.sub('[^A-Za-z0-9_.]+', '-', str(campaign))[:120]}.log"
    passed, said = attempt(campaign, canary.name if canary else "", programs, log)
    if canary is None:
        verdict = "fails without a fault" if not passed else "tries nothing" if re.search(r": 0 tried|Ran 0 tests", said) else "passes"
    elif passed or passed is None:
        verdict = "missed"
    else:
        verdict = "caught" if re.search(canary.says, said) else "fails for another reason"
    if passed is None:
        verdict += f" (no end in {PATIENCE} s)"
    return {"verdict": verdict, "seconds": round(time.monotonic() - began), "campaign": str(campaign),
            "promise": canary.promise if canary else ""}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=1e6, help="begin nothing after so many, and go on the next time")
    parser.add_argument("--check", action="store_true", help="only see whether each canary fits the sources")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    unknown = set(options.names) - {canary.name for canary in CANARIES}
    if unknown:
        parser.error(f"no canary: {' '.join(sorted(unknown))}")
    if options.check:
        planted()
        print(f"canaries: each of the {len(CANARIES)} fits the sources")
        return 0
    end = time.monotonic() + options.minutes * 60

    programs = build()
    LOGS.mkdir(parents=True, exist_ok=True)
    chosen = [canary for canary in CANARIES if canary.name in options.names or not options.names]
    results = Results(state())
    tasks = {f"control: {canary.campaign}": (canary.campaign, None) for canary in chosen}
    tasks |= {canary.name: (canary.campaign, canary) for canary in chosen}
    if options.names:
        results.found = {key: verdict for key, verdict in results.found.items() if key not in options.names}
    left = {key: task for key, task in tasks.items() if key not in results.found}

    def do(task):
        return judge(*task, programs) if time.monotonic() < end else None

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        begun = {pool.submit(do, task): key for key, task in left.items()}
        for done in concurrent.futures.as_completed(begun):
            if done.result():
                results.keep(begun[done], done.result())
                print(f"{done.result()['verdict']:24} {begun[done]} ({done.result()['seconds']} s)", flush=True)
    return tell(tasks, results.found)


def tell(tasks, found):
    """The table at the end."""
    print()
    tried, left = [key for key in tasks if key in found], [key for key in tasks if key not in found]
    for key in tried:
        verdict = found[key]
        name = key if tasks[key][1] else "without a fault"
        print(f"{name:34} {verdict['verdict']:24} {verdict['seconds']:5} s  {verdict['campaign']}")
    bad = [key for key in tried if found[key]["verdict"] not in ("passes", "caught")]
    caught = sum(found[key]["verdict"] == "caught" for key in tried)
    print(f"canaries: {caught} of {sum(canary is not None for _, canary in tasks.values())} are caught")
    for key in bad:
        print(f"canaries: {key}: {found[key]['verdict']}; {LOGS} has what was said", file=sys.stderr)
    if left:
        print(f"canaries: {len(left)} not tried yet", file=sys.stderr)
    return 1 if bad else 3 if left else 0


if __name__ == "__main__":
    sys.exit(main())
