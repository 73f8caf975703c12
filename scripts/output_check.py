"""Holds the printed output in README.md and docs/field-guide.md to what programs printed in a run.

A block that shows output has a line before its fence that says where it comes from:

    <!-- output NAME -->           docs/figures/output/NAME.txt, written by make output-pages
    <!-- output none: REASON -->   no run of ours prints it

A line … stands for lines that are left out; empty lines do not count. Fails, with the line, where a block differs from its record or says
nothing of its origin, and where no block shows a record.
"""

import pathlib
import re
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent
RECORDS = PROJECT / "docs/figures/output"
PAGES = ["README.md", "docs/field-guide.md"]
sys.path.insert(0, str(PROJECT / "Tests/Rig"))
import walkthrough  # noqa: E402

CUT = "…"
NONE = re.compile(r"none: \S")


def is_cut_of(shown, printed):
    """Whether the lines that are shown are those that were printed, but for the cuts."""
    groups = [[]]
    for line in _lines(shown):
        if line == CUT:
            groups.append([])
        else:
            groups[-1].append(line)
    rest = _lines(printed)
    *middle, last = groups[1:] or [[]]
    if rest[:len(groups[0])] != groups[0]:
        return False
    rest = rest[len(groups[0]):]
    if len(groups) == 1:
        return not rest
    for group in middle:
        end = next((n + len(group) for n in range(len(rest)) if rest[n:n + len(group)] == group), None)
        if end is None:
            return False
        rest = rest[end:]
    return rest[max(0, len(rest) - len(last)):] == last


def _lines(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def faults(page, read):
    """Yields what is wrong as (line number, text). `read` gives the text of a record, or None."""
    for block in walkthrough.blocks(page):
        if block.origin is None:
            if block.shows_output:
                yield block.line, "it does not say where its output comes from: <!-- output NAME --> before the block"
        elif not block.record:
            if not NONE.match(block.origin):
                yield block.line, f"<!-- output {block.origin} -->: expected a name, or none: and the reason"
        elif (printed := read(block.record)) is None:
            yield block.line, f"there is no docs/figures/output/{block.record}.txt"
        elif not is_cut_of(block.text, printed):
            yield block.line, f"it differs from docs/figures/output/{block.record}.txt"


def main():
    def read(name):
        file = RECORDS / f"{name}.txt"
        return file.read_text(encoding="utf-8") if file.is_file() else None

    failed, shown, unrecorded = False, set(), 0
    for page in PAGES:
        text = (PROJECT / page).read_text(encoding="utf-8")
        for number, fault in faults(text, read):
            print(f"{page}:{number}: {fault}", file=sys.stderr)
            failed = True
        blocks = list(walkthrough.blocks(text))
        shown |= {block.record for block in blocks}
        unrecorded += sum(block.origin == "none: not recorded yet" for block in blocks)
    for file in sorted(RECORDS.glob("*.txt")):
        if file.stem not in shown:
            print(f"{file.relative_to(PROJECT)}: no page shows it", file=sys.stderr)
            failed = True
    if failed:
        sys.exit(1)
    print(f"output: as the programs printed it; {unrecorded} blocks are not recorded yet")


if __name__ == "__main__":
    main()
