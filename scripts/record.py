#!/usr/bin/env python3
"""Records of what was measured, docs/figures/NAME.json, from which `make figures` fills in the documents.

A tool that measures ends with `keep`, which writes the record where the variable RECORD is set: `make bench RECORD=1`.

Usage: record.py NAME...
Exit status: 0 where the inputs of these records are still those that were measured, 1 where one has to be measured again.
"""

import datetime
import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What every program is made from, as paths of git.
PROGRAMS = ["Package.swift", "Sources"]
# A line that holds a comment and nothing else, or nothing.
COMMENT = re.compile(rb"\s*(//(?! swift-)|$)")


def keep(name, command, inputs, figures, commit=None):
    """Writes the record where RECORD is set.

    - command: what measures this again.
    - inputs: paths of git (gitglossary(7), pathspec) on which the figures depend.
    - figures: by key, each a number, a string, a table (a list of rows of cells, the header first) or figures by key.
    - commit: of what was measured; the present one if None.

    Throws where a path of the inputs names no file.
    """
    if os.environ.get("RECORD"):
        write(name, command, inputs, figures, commit)


def write(name, command, inputs, figures, commit=None):
    """As `keep`, whether RECORD is set or not."""
    git("ls-files", "--error-unmatch", "--", *inputs)
    record = {
        "name": name, "command": command, "date": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}", "commit": commit or head(inputs),
        "machine": machine(), "inputs": {"hash": digest(inputs), "paths": inputs}, "figures": figures}
    path = path_of(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"record: {path.relative_to(ROOT)}; make figures fills in the documents", file=sys.stderr)


def path_of(name):
    return ROOT / "docs/figures" / f"{name}.json"


def read(name):
    """The record, or None where there is none."""
    path = path_of(name)
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def is_current(record):
    return digest(record["inputs"]["paths"]) == record["inputs"]["hash"]


def digest(paths):
    """Of the names and contents of all files under these paths that git tracks, as they are in the tree now; of Swift, without its comments."""
    total = hashlib.sha256()
    for name in filter(None, sorted(git("ls-files", "-z", "--", *paths).split("\0"))):
        file = ROOT / name
        content = file.read_bytes() if file.is_file() else b""
        if file.suffix == ".swift":
            content = b"\n".join(line for line in content.splitlines() if not COMMENT.match(line))
        total.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return total.hexdigest()[:16]


def head(inputs):
    """The present commit; with a mark where the inputs differ from it."""
    changed = git("status", "--porcelain", "--", *inputs)
    return git("rev-parse", "--short=7", "HEAD").strip() + ("-dirty" if changed else "")


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def machine():
    model = re.search(r"^model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    swift = subprocess.run(["swift", "--version"], check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    version = re.search(r"Swift version (\S+)", swift)
    return {
        "cpu": model[1] if model else platform.machine(), "cores": os.cpu_count(),
        "os": platform.freedesktop_os_release()["PRETTY_NAME"], "swift": version[1] if version else "unknown"}


def main():
    changed = [name for name in sys.argv[1:] if not (found := read(name)) or not is_current(found)]
    for name in changed:
        print(f"record: {name} is to be measured again")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
