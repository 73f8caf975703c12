#!/usr/bin/env python3
"""Proves that a domain, a chip and a sink are a folder and a line each, and a page of `anicca` and a gauge of the domain another.

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

# By extension and folder of it: the folder into which it is copied, the file that lists its like, and the line of that list behind which
# it stands; no list has simulated chips. The other folders of an extension are copied into the test targets of the same name.
PLACES = {
    ("domain", "Sources"): ("Sources/Domains/Probe", "Sources/Domains/Domain+All.swift", "        .alarm,"),
    ("domain", "Pages"): ("Sources/Programs/anicca/Pages/Probe", "Sources/Programs/anicca/Pages/Page.swift", "        .location,"),
    ("domain", "Gauges"): (
        "Sources/Devices/Gauges/Probe", "Sources/Devices/Gauges/GaugeKind+All.swift", "    public static let all: [GaugeKind] = ["),
    ("domain", "Simulated"): ("Sources/Laboratory/SimulatedBus/Probe", None, None),
    ("chip", "Sources"): (
        "Sources/Devices/Accelerometers/Probe", "Sources/Devices/Accelerometers/Chip+All.swift", "        .lis3dh,"),
    ("sink", "Sources"): ("Sources/Delivery/Sinks/Probe", "Sources/Delivery/Sinks/Sink+All.swift", "        .mqtt,"),
}

# The most lines of an extension with its tests.
MOST_LINES = 900


def run(command, folder, **options):
    return subprocess.run(command, cwd=folder, check=True, **options)


def add(name, scratch):
    """Adds one extension. Returns the files that got a line."""
    listings = []
    for part in sorted((EXTENSIONS / name).iterdir()):
        folder, listing, before = PLACES.get((name, part.name), (f"Tests/{part.name}/Probe", None, None))
        shutil.copytree(part, scratch / folder, dirs_exist_ok=True)
        if not listing:
            continue
        lines = (scratch / listing).read_text(encoding="utf-8").splitlines()
        lines.insert(lines.index(before) + 1, "        .probe,")
        (scratch / listing).write_text("\n".join(lines) + "\n", encoding="utf-8")
        listings.append(listing)
    return listings


def length(name):
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in (EXTENSIONS / name).rglob("*.swift"))


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
    names = sorted({name for name, _ in PLACES})
    expected = {listing: (1, 0) for name in names for listing in add(name, scratch)}
    found = changes(scratch)
    if found != expected:
        print(f"check-extension: expected a line in each of {sorted(expected)}, found {found}", file=sys.stderr)
        return 1
    for name in names:
        if length(name) > MOST_LINES:
            print(f"check-extension: {name} has {length(name)} lines, over {MOST_LINES}", file=sys.stderr)
            return 1
    print(f"check-extension: one line of each of {', '.join(sorted(expected))}", flush=True)
    try:
        run(["make", "--no-print-directory", "test", "FILTER=Probe"], scratch)
    except subprocess.CalledProcessError as error:
        print(f"check-extension: `{' '.join(error.cmd)}` ended with {error.returncode}", file=sys.stderr)
        return 1
    print("check-extension: a domain with its page and its gauge, a chip and a sink are a folder and a line each")
    return 0


if __name__ == "__main__":
    sys.exit(main())
