#!/usr/bin/env python3
"""Runs the two commands of the README, as they stand, in a throw-away Debian 13 with Debian's own Swift, or
in another suite of Debian that SUITE names: sid has a later Swift.

The root holds `swiftlang`, `git`, `make` and `ca-certificates`; everything else the commands must bring themselves. The
project is a clean clone of what is committed. Needs root, mmdebstrap and zstd; takes some 20 minutes on two cores.
Where this host's git reads addresses from a folder (url.<folder>.insteadOf), the root gets that folder, read-only.

Exit status: 0 both pass, 1 one fails, 77 not root.
"""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from testing.throwaway_root import ThrowawayRoot  # noqa: E402

PROJECT = pathlib.Path(__file__).resolve().parent.parent
MINUTES = 75


def commands():
    """The commands of the README's first section: each the only line of a block that begins with `make`."""
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    section = readme.split("## Try it", 1)[1].split("\n## ", 1)[0]
    found = re.findall(r"^```\n(make [a-z-]+)\n```$", section, re.MULTILINE)
    if len(found) != 2:
        sys.exit(f"test-fresh: README.md shows {found}, not two commands")
    return found


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
    with ThrowawayRoot(suite, "fresh", "swiftlang,git,make,ca-certificates", sees_devices=True) as root:
        lend_git_addresses(root)
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", PROJECT, root.file("/root/project")], check=True)
        for command in commands():
            print(f"test-fresh: {command}", flush=True)
            status, printed = root.run(f"cd /root/project && {command}", limit=MINUTES * 60)
            lines = printed.splitlines()
            print("\n".join(lines[-15:]), flush=True)
            if status != 0:
                # A compiler's errors may be followed by much else.
                print("\n".join([line for line in lines if "error:" in line][:40]), file=sys.stderr)
                print(f"test-fresh: {command} ended with {status}", file=sys.stderr)
                return 1
    print(f"test-fresh: both commands pass in {suite}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
