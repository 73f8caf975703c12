#!/usr/bin/env python3
"""Runs the two commands of the README, as they stand, in a throw-away Debian 13 with Debian's own Swift, or
in another suite of Debian that SUITE names: sid has a later Swift. Debian 12 (bookworm) has none: it gets this host's, and the packages
that swift.org names for it. COMMANDS=test runs only `make test`.

The root holds `swiftlang`, `git`, `make` and `ca-certificates`; everything else the commands must bring themselves. The
project is a clean clone of what is committed. Needs root, mmdebstrap and zstd.
Where this host's git reads addresses from a folder (url.<folder>.insteadOf), the root gets a copy of that folder.
After `make test` the tests of the receiver run once more, with PostgreSQL, which a bare machine lacks and they skip without.

Exit status: 0 both pass, 1 one fails, 77 not root.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from testing.throwaway_root import ThrowawayRoot  # noqa: E402

PROJECT = pathlib.Path(__file__).resolve().parent.parent
MINUTES = 75
# The suites of Debian with a swiftlang, and what Swift needs on Debian 12: https://www.swift.org/install/linux/debian/12.
OWN_SWIFT = {"trixie", "forky", "sid"}
SWIFT_NEEDS = "gcc,libcurl4,libedit2,libncurses6,libpython3.11,libsqlite3-0,libstdc++-12-dev,libxml2,tzdata,zlib1g-dev"
WITH_POSTGRESQL = "sh scripts/setup.sh postgresql && swift test --skip-build --filter ReceiverTests"


def commands():
    """The commands of the README's first section: each the only line of a block that begins with `make`."""
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    section = readme.split("## Try it", 1)[1].split("\n## ", 1)[0]
    found = re.findall(r"^```\n(make [a-z-]+)\n```$", section, re.MULTILINE)
    if len(found) != 2:
        sys.exit(f"test-fresh: README.md shows {found}, not two commands")
    chosen = os.environ.get("COMMANDS", "demo test").split()
    return [command for command in found if command.removeprefix("make ") in chosen]


def lend_toolchain(root):
    """Gives the root the Swift of this host, which lies in one directory."""
    usr = pathlib.Path(shutil.which("swift") or sys.exit("test-fresh: no swift here")).resolve().parent.parent
    subprocess.run(["cp", "-a", usr, root.file("/opt/swift-usr")], check=True)
    return "export PATH=/opt/swift-usr/bin:$PATH && "


def lend_git_addresses(root):
    """Gives the root the folder that git reads in place of an address, where this host has such a rule."""
    asked = subprocess.run(
        ["git", "config", "--get-regexp", r"^url\..*\.insteadof$"], stdout=subprocess.PIPE, text=True, check=False)
    for line in asked.stdout.splitlines():
        key, address = line.split(" ", 1)
        folder = key[len("url."):-len(".insteadof")]
        if not os.path.isdir(folder):
            continue
        inside = root.file(folder)
        if not inside.exists():
            inside.mkdir(parents=True)
            subprocess.run(["cp", "-a", f"{folder}/.", inside], check=True)
        root.output(f"git config --system --add 'url.{folder}.insteadOf' '{address}'")
    root.output("git config --system --add safe.directory '*'")


def main():
    if os.geteuid() != 0:
        print("test-fresh: needs root, to enter a root directory of its own", file=sys.stderr)
        return 77
    suite = os.environ.get("SUITE", "trixie")
    # Programs of this host are not in the root.
    for name in ("ANICCA_PROGRAMS", "MAKEFLAGS"):
        os.environ.pop(name, None)
    contents = "swiftlang" if suite in OWN_SWIFT else SWIFT_NEEDS
    with ThrowawayRoot(suite, "fresh", f"{contents},git,make,ca-certificates", sees_devices=True) as root:
        lend_git_addresses(root)
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", PROJECT, root.file("/root/project")], check=True)
        path = "" if suite in OWN_SWIFT else lend_toolchain(root)
        asked = commands()
        for command in [*asked, *([WITH_POSTGRESQL] if "make test" in asked else [])]:
            print(f"test-fresh: {command}", flush=True)
            status, printed = root.run(f"cd /root/project && {path}{command}", limit=MINUTES * 60)
            lines = printed.splitlines()
            print("\n".join(lines[-15:] if status == 0 else lines), flush=True)
            if status != 0:
                print(f"test-fresh: {command} ended with {status}", file=sys.stderr)
                return 1
    print(f"test-fresh: {' and '.join(asked)} pass in {suite}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
