"""Records what the suites of Tests/Faults left under .build/reliability, for docs/reliability.md.

    reliability.py [--check]

All of it has to be of one commit. With --check nothing is recorded: exit status 1 where the record lacks a promise, or has failures.
"""

import importlib.util
import json
import sys

import record

RESULTS = record.ROOT / ".build/reliability"
PROMISES_FILE = record.ROOT / "Tests/Faults/promises.py"
INPUTS = [*record.PROGRAMS, "Tests/Faults", "Tests/harness"]
HEADER = ["promise", "faults that tried it", "tried", "failed", "extent"]


def promises():
    """By name, the words of each promise."""
    spec = importlib.util.spec_from_file_location("promises", PROMISES_FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PROMISES


def results(directory=RESULTS):
    """What the suites left: one line of JSON in each file."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(directory.glob("*.json"))]


def faults(result):
    notes = ", ".join(f"{count} {name}" for name, count in sorted(result["notes"].items()))
    return result["fault"] + (f" ({notes})" if notes else "")


def rows(words, found):
    """The cells of the table: every promise has one row at least."""
    for name, promise in words.items():
        tried = sorted((result for result in found if result["promise"] == name), key=lambda result: (result["suite"], result["fault"]))
        for result in tried:
            extent = "whole" if result["whole"] else f"sample, seed {result['seed']}"
            yield [promise, faults(result), result["tried"], result["failures"], extent]
        if not tried:
            yield [promise, "–", 0, "not measured", "–"]


def commit(found):
    """The one commit of all results."""
    commits = sorted({result["commit"] for result in found})
    if len(commits) != 1:
        raise SystemExit(f"reliability: the results are of {len(commits)} commits, not of one ({', '.join(commits)}): make reliability")
    return commits[0]


def figures(words, found):
    return {
        "tried": sum(result["tried"] for result in found), "failed": sum(result["failures"] for result in found),
        "promises": [HEADER, *rows(words, found)]}


def check(words, table):
    """What is wrong with a table."""
    shown = {promise for promise, *_ in table[1:]}
    yield from (f"not measured: {promise}" for promise in words.values() if promise not in shown)
    yield from (f"no promise: {promise}" for promise in sorted(shown - set(words.values())))
    yield from (f"does not hold: {row[0]}: {row[1]}: {row[3]}" for row in table[1:] if row[3] != 0)


def main():
    if sys.argv[1:] == ["--check"]:
        wrong = list(check(promises(), record.read("reliability")["figures"]["promises"]))
        print("\n".join(wrong) or "reliability: every promise was tried, and holds")
        return 1 if wrong else 0
    found = results()
    of_commit, made = commit(found), figures(promises(), found)
    print(f"reliability: at {of_commit}, {made['tried']} faults tried, {made['failed']} failed")
    record.keep("reliability", "make reliability", INPUTS, made, of_commit)
    return 0


if __name__ == "__main__":
    sys.exit(main())
