"""Holds the walks of docs/architecture.md to the code.

Each walk is a numbered list of files, each with a name to look for. Fails, with the line, when a file or a name is not there,
when no file before it in the walk uses the name, or when a walk is longer than its heading allows.
"""

import pathlib
import re
import sys

HEADING = re.compile(r"### (.*) \((\d+) files at most\)$")
STEP = re.compile(r"(\d+)\. `([^`]+)`: `(\w+(?:-\w+)*)`")
# The most that a walk may ever have, in the order of the page.
LIMITS = [25, 18, 15, 8]


def faults(page, read):
    """Yields what is wrong as (line number, text). `read` gives the text of a file, or None."""
    walks = []
    inside = False
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("## "):
            inside = line == "## Four walks"
        if not inside:
            continue
        if heading := HEADING.match(line):
            walks.append({"line": number, "most": int(heading[2]), "read": []})
        elif line.startswith("### "):
            yield number, "a walk says how many files it has at most"
        elif re.match(r"\d+\. ", line):
            yield from step_faults(number, line, walks[-1], read)
    if len(walks) != len(LIMITS):
        yield 0, f"there are {len(LIMITS)} walks, not {len(walks)}"
    for walk, limit in zip(walks, LIMITS):
        files = {path for path, _ in walk["read"]}
        if not files or len(files) > walk["most"] or walk["most"] > limit:
            yield walk["line"], f"{len(files)} files, of {walk['most']} at most, of which {limit} are allowed"


def step_faults(number, line, walk, read):
    step = STEP.match(line)
    if not step or int(step[1]) != len(walk["read"]) + 1:
        yield number, "expected: the next number, `file`: `name`"
        return
    path, name = step[2], step[3]
    text = read(path)
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    if text is None or not word.search(text):
        yield number, f"{path} does not exist" if text is None else f"{path} has no {name}"
    elif walk["read"] and path.endswith(".swift"):
        if not any(word.search(before) for _, before in walk["read"]):
            yield number, f"no file before {path} in the walk uses {name}"
    walk["read"].append((path, text or ""))


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    page = root / "docs/architecture.md"

    def read(path):
        file = root / path
        return file.read_text() if file.is_file() else None

    found = list(faults(page.read_text(), read))
    for number, text in found:
        print(f"{page.relative_to(root)}:{number}: {text}", file=sys.stderr)
    if found:
        sys.exit(1)
    print("walks: as docs/architecture.md lists them")


if __name__ == "__main__":
    main()
