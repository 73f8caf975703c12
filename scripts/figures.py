#!/usr/bin/env python3
"""Fills in the figures of the documents from the records of docs/figures (scripts/record.py).

Usage: figures.py [--check]
With --check nothing is written: exit status 1 where a document and a record differ, or a mark has no record. Records whose inputs have
changed since are listed, and no failure.

A mark stands around what it fills in, and is invisible in the page:

    <!--= RECORD.KEY FORMAT -->2,784<!--=-->      one figure; a figure in figures is KEY.KEY
    <!--= RECORD -->make bench, ...<!--=-->       by which command, when, at which commit and on which machine it was measured
    <!--= table RECORD.KEY -->                    rows of cells, the header first, in lines of their own up to the end of the mark
    ...
    <!--=-->

FORMAT scales and rounds, and writes no unit. It is one of nothing, %, kB (1,000) and MB (1,000,000), then one digit for the decimals: `%1`
makes 6.6 of 0.0657, `MB1` 0.8 of 766976, `2` 1.04 of 1.0386. Without FORMAT a number stands as in the record. Thousands are parted by
commas. A string is taken as it is.
"""

import re
import subprocess
import sys

import record

MARK = re.compile(r"<!--= (?P<table>table )?(?P<key>[\w.-]+)(?: (?P<format>\S+))? -->(?P<shown>(?:(?!<!--=).)*)<!--=-->", re.DOTALL)
SCALES = {"": 1, "%": 100, "kB": 1e-3, "MB": 1e-6}


class Wrong(Exception):
    pass


def documents():
    return [*sorted(record.ROOT.glob("*.md")), *sorted(record.ROOT.glob("docs/**/*.md"))]


def figure(key, records):
    """A figure of a record, or the origin of the whole record. `records` gives a record by its name, or None."""
    name, *path = key.split(".")
    found = records(name)
    if found is None:
        raise Wrong(f"{key}: no record docs/figures/{name}.json")
    if not path:
        return origin(found)
    value = found["figures"]
    for part in path:
        if not isinstance(value, dict) or part not in value:
            raise Wrong(f"{key}: no such figure in docs/figures/{name}.json")
        value = value[part]
    return value


def origin(found):
    machine = found["machine"]
    return (f"`{found['command']}` on {found['date']} at {found['commit']}, on {machine['cores']} cores of {machine['cpu']} "
            f"with {machine['os']} and Swift {machine['swift']}")


def inline(value, form=None):
    if isinstance(value, str) and not form:
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Wrong("is no number")
    if not form:
        return f"{value:,}"
    parts = re.fullmatch(r"(%|kB|MB|)(\d?)", form)
    if not parts:
        raise Wrong(f"has no format {form}")
    return f"{value * SCALES[parts[1]]:,.{parts[2] or 0}f}"


def table(rows):
    """Markdown; columns of numbers are aligned to the right."""
    if not isinstance(rows, list):
        raise Wrong("is no table")
    header, *rest = ([inline(cell).replace("|", "\\|") for cell in row] for row in rows)
    ruler = ["---:" if all(re.match(r"\W*(\d|$)", cell) for cell in column) else "---" for column in zip(*rest)]
    return "\n" + "".join(f"| {' | '.join(row)} |\n" for row in (header, ruler, *rest))


def filled(text, records):
    """The text with its marks filled in, and what is wrong with it, each with the number of its line."""
    wrong = []

    def line(position):
        return text.count("\n", 0, position) + 1

    def fill(mark):
        try:
            value = figure(mark["key"], records)
            if mark["table"] and mark["format"]:
                raise Wrong("a table has no format")
            shown = table(value) if mark["table"] else inline(value, mark["format"])
        except Wrong as reason:
            wrong.append((line(mark.start()), str(reason) if mark["key"] in str(reason) else f"{mark['key']} {reason}"))
            return mark[0]
        if shown != mark["shown"]:
            wrong.append((line(mark.start()), f"{mark['key']} differs from its record"
                          + ("" if mark["table"] else f": {shown}, and here {mark['shown']}")))
        return mark[0][:mark.start("shown") - mark.start()] + shown + "<!--=-->"

    result = MARK.sub(fill, text)
    for stray in re.finditer("<!--=", MARK.sub(lambda mark: re.sub("[^\n]", " ", mark[0]), text)):
        wrong.append((line(stray.start()), "a mark without its other end"))
    return result, wrong


def stale(records):
    """Why records are to be made again."""
    for found in records:
        if not record.is_current(found):
            yield f"{found['name']}: its inputs have changed since {found['commit']}"
        elif not is_commit(found["commit"]):
            yield f"{found['name']}: there is no commit {found['commit']}"


def is_commit(name):
    return not subprocess.run(["git", "cat-file", "-e", f"{name}^{{commit}}"], cwd=record.ROOT, check=False, stderr=subprocess.DEVNULL).returncode


def main():
    names = sorted(path.stem for path in record.path_of("any").parent.glob("*.json"))
    records = {name: record.read(name) for name in names}
    check, failed = sys.argv[1:] == ["--check"], False
    for path in documents():
        text = path.read_text(encoding="utf-8")
        result, wrong = filled(text, records.get)
        if not check:
            path.write_text(result, encoding="utf-8")
            # What still is wrong, no longer what differs.
            wrong = filled(result, records.get)[1]
        for number, reason in wrong:
            print(f"{path.relative_to(record.ROOT)}:{number}: {reason}", file=sys.stderr)
        failed = failed or bool(wrong)
    for reason in stale(records.values()):
        print(f"figures: to be measured again, {reason}")
    if not failed:
        print(f"figures: the documents are as the {len(records)} records have it")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
