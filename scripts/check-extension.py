#!/usr/bin/env python3
"""Proves that a domain, a chip and a sink are a folder and a line each.

Copies the files of the project, also uncommitted ones, into a scratch folder and adds the three small extensions of
Tests/Extension: their sources beside their like, their tests into the test targets, and one line of one existing file each.
Then builds, and runs the tests of the extensions. The scratch folder stays, so that the next run builds only what has changed.

Usage: check-extension.py [--scratch DIR]
Exit status: 0 all hold, 1 something else changed, does not build or fails.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

from project_copy import PROJECT, copy_project, tracked_files

EXTENSIONS = PROJECT / "Tests" / "Extension"

# Per extension: the folder of its sources, the file that lists its like, a line of it, and what takes that line's place. The
# other folders of an extension are copied into the test targets of the same name.
PLACES = {
    "domain": ("Sources/Domains/Probe", "Sources/Domains/Domain+All.swift", "        .alarm,",
               "        .alarm,\n        .probe,"),
    "chip": ("Sources/Devices/Accelerometers/Probe", "Sources/Devices/Accelerometers/Chip+All.swift", "        .lis3dh,",
             "        .lis3dh,\n        .probe,"),
    "sink": ("Sources/Delivery/Sinks/Probe", "Sources/Delivery/Sinks/Sink+All.swift", "        .mqtt,",
             "        .mqtt,\n        .probe,"),
}


def run(command, folder, **options):
    return subprocess.run(command, cwd=folder, check=True, **options)


def add(name, scratch):
    """Adds one extension. Returns the file that got a line."""
    folder, listing, old, new = PLACES[name]
    for part in sorted((EXTENSIONS / name).iterdir()):
        target = scratch / folder if part.name == "Sources" else scratch / "Tests" / part.name / "Probe"
        shutil.copytree(part, target, dirs_exist_ok=True)
    lines = (scratch / listing).read_text(encoding="utf-8").splitlines()
    lines[lines.index(old)] = new
    (scratch / listing).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return listing, (1, 0 if new.startswith(old + "\n") else 1)


def changes(scratch):
    """What differs from the project, by file: lines added and removed."""
    differing = {}
    for name in tracked_files():
        old, new = PROJECT / name, scratch / name
        if old.is_file() and old.read_bytes() != new.read_bytes():
            counted = subprocess.run(["git", "diff", "--no-index", "--numstat", old, new], stdout=subprocess.PIPE,
                                     text=True, check=False).stdout.split()
            differing[name] = (int(counted[0]), int(counted[1]))
    return differing


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scratch", default=PROJECT / ".build" / "extension", type=pathlib.Path)
    scratch = parser.parse_args().scratch
    copy_project(scratch)
    expected = dict(add(name, scratch) for name in PLACES)
    found = changes(scratch)
    if found != expected:
        print(f"check-extension: expected a line in each of {sorted(expected)}, found {found}", file=sys.stderr)
        return 1
    print(f"check-extension: one line of each of {', '.join(sorted(expected))}", flush=True)
    try:
        run(["swift", "build", "--build-tests"], scratch)
        run(["swift", "test", "--skip-build", "--filter", "Probe"], scratch)
    except subprocess.CalledProcessError as error:
        print(f"check-extension: `{' '.join(error.cmd)}` ended with {error.returncode}", file=sys.stderr)
        return 1
    print("check-extension: a domain, a chip and a sink are a folder and a line each")
    return 0


if __name__ == "__main__":
    sys.exit(main())
