"""Makes docs/reliability.md from what the suites of Tests/Faults left under .build/reliability.

    reliability.py [--check]

With --check it only compares: exit status 1 when a promise is missing on the page, or has failures.
"""

import importlib.util
import json
import pathlib
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = PROJECT / ".build/reliability"
PAGE = PROJECT / "docs/reliability.md"
PROMISES_FILE = PROJECT / "Tests/Faults/promises.py"

HEAD = """# Reliability, measured

Each promise of the specification, the faults that tried it from outside on the programs as they ship, how many there were, and how many of
them broke it. Made by `make reliability` from the suites of [Tests/Faults](../Tests/Faults/README.md); do not edit it. A sample is
drawn by the seed; the whole is what a target that ends with `-all` tries.

| promise | faults that tried it | tried | failed | measured at |
|---|---|---|---|---|
"""


def promises():
    """By name, the words of each promise."""
    spec = importlib.util.spec_from_file_location("promises", PROMISES_FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PROMISES


def results(directory=RESULTS):
    """What the suites left: one line of JSON in each file."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(directory.glob("*.json"))]


def measured(result):
    extent = "whole" if result["whole"] else f"sample, seed {result['seed']}"
    return f"{result['commit']} ({extent})"


def faults(result):
    notes = ", ".join(f"{count} {name}" for name, count in sorted(result["notes"].items()))
    return result["fault"] + (f" ({notes})" if notes else "")


def rows(words, found):
    """The cells of the table: every promise has one row at least."""
    for name, promise in words.items():
        tried = sorted((result for result in found if result["promise"] == name), key=lambda result: (result["suite"], result["fault"]))
        for result in tried:
            failed = f"**{result['failures']}**" if result["failures"] else "0"
            yield [promise, faults(result), str(result["tried"]), failed, measured(result)]
        if not tried:
            yield [promise, "–", "0", "not measured", "–"]


def page(words, found):
    return HEAD + "".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |\n" for row in rows(words, found))


def check(words, text):
    """What is wrong with a page."""
    lines = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| promise")]
    shown = [line.split(" | ")[0][2:] for line in lines]
    yield from (f"not on the page: {promise}" for promise in words.values() if promise not in shown)
    yield from (f"no promise: {promise}" for promise in sorted(set(shown) - set(words.values())))
    yield from (f"does not hold: {line}" for line in lines if line.split(" | ")[3] != "0")


def main():
    if sys.argv[1:] == ["--check"]:
        wrong = list(check(promises(), PAGE.read_text(encoding="utf-8")))
        print("\n".join(wrong) or "reliability: every promise was tried, and holds")
        sys.exit(1 if wrong else 0)
    found = results()
    PAGE.write_text(page(promises(), found), encoding="utf-8")
    tried, failed = sum(result["tried"] for result in found), sum(result["failures"] for result in found)
    print(f"reliability: {tried} faults tried, {failed} failed: {PAGE.relative_to(PROJECT)}")


if __name__ == "__main__":
    main()
