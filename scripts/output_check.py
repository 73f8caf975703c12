"""Holds the printed output in README.md and docs/field-guide.md to what programs printed in a run.

A block that shows output has a line before its fence that says where it comes from:

    <!-- output NAME -->           docs/figures/output/NAME.txt, written by make output-pages
    <!-- output guest-NAME -->     the same, written by Tests/Rig/test_newcomer.py
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

NONE = re.compile(r"none: \S")


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
        elif not walkthrough.is_cut_of(block.text, printed):
            yield block.line, f"it differs from docs/figures/output/{block.record}.txt"


def main():
    def read(name):
        file = RECORDS / f"{name}.txt"
        return file.read_text(encoding="utf-8") if file.is_file() else None

    failed, shown = False, set()
    for page in PAGES:
        text = (PROJECT / page).read_text(encoding="utf-8")
        for number, fault in faults(text, read):
            print(f"{page}:{number}: {fault}", file=sys.stderr)
            failed = True
        shown |= {block.record for block in walkthrough.blocks(text)}
    for file in sorted(RECORDS.glob("*.txt")):
        if file.stem not in shown:
            print(f"{file.relative_to(PROJECT)}: no page shows it", file=sys.stderr)
            failed = True
    if failed:
        sys.exit(1)
    print("output: as the programs printed it")


if __name__ == "__main__":
    main()
