#!/usr/bin/env python3
"""Prints lines of Swift without blanks and comments: by program, with all modules it is made of, and by folder; and lines of tests.

Comments are lines that begin with // or lie between /* and */. Test lines are all lines of Tests, blanks and comments too.
"""

import collections
import json
import os
import pathlib
import subprocess

PROJECT = pathlib.Path(__file__).resolve().parent.parent
ON_THE_DEVICE = ["aniccad", "anicca-upload", "anicca"]


def code(path):
    count, in_comment = 0, False
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.strip()
        if in_comment or line.startswith("/*"):
            in_comment = "*/" not in line
        elif line and not line.startswith("//"):
            count += 1
    return count


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "--", *patterns], cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True)
    return [PROJECT / name for name in listed.stdout.splitlines() if (PROJECT / name).exists()]


def targets():
    """By name, the folder and the targets that each depends on."""
    described = subprocess.run(
        [os.environ.get("SWIFT", "swift"), "package", "dump-package"], cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True)
    found = {}
    for target in json.loads(described.stdout)["targets"]:
        needs = [(dependency.get("byName") or dependency.get("target") or [None])[0] for dependency in target["dependencies"]]
        found[target["name"]] = (target.get("path"), needs)
    return found


def reached(every, names):
    found, todo = set(), list(names)
    while todo:
        name = todo.pop()
        if name in every and name not in found:
            found.add(name)
            todo += every[name][1]
    return found


def main():
    every = targets()
    lines = {path: code(path) for path in tracked("Sources/*.swift")}
    by_target = collections.Counter()
    by_folder = collections.Counter()
    for path, count in lines.items():
        name = str(path.relative_to(PROJECT))
        by_folder["/".join(name.split("/")[:2])] += count
        owner = max((target for target, (folder, _) in every.items() if folder and name.startswith(folder + "/")),
                    key=lambda target: len(every[target][0]))
        by_target[owner] += count
    print(f"{'program':<24} {'lines':>7} {'modules':>8}")
    for label, names in [*((name, [name]) for name in [*ON_THE_DEVICE, "anicca-lab", "anicca-receiver"]), ("on the device", ON_THE_DEVICE)]:
        modules = reached(every, names)
        print(f"{label:<24} {sum(by_target[module] for module in modules):>7} {len(modules):>8}")
    print(f"\n{'folder':<24} {'lines':>7}")
    for folder, count in sorted(by_folder.items()):
        print(f"{folder:<24} {count:>7}")
    print(f"{'Sources':<24} {sum(by_folder.values()):>7}")
    for label, patterns in (("Tests, Swift", ["Tests/*.swift"]), ("Tests, Python", ["Tests/*.py", "scripts/test_*.py"])):
        print(f"{label:<24} {sum(len(path.read_text(encoding='utf-8').splitlines()) for path in tracked(*patterns)):>7}")


if __name__ == "__main__":
    main()
