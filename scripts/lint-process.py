#!/usr/bin/env python3
"""Finds what changes the state of the whole process in a module that others share: its umask, working directory, environment, time zone,
signal dispositions and limits. Two users of such a module at a time, as in a parallel test run, undo each other's change. A program may
do it, so Sources/Programs is not looked at.

Usage: lint-process.py [--root DIR]
Exit status: 0 clean, 1 findings, each as FILE:LINE.
"""

import argparse
import pathlib
import re
import sys

CALL = re.compile(
    r"(?<![\w.])(?:Glibc\.)?(umask|f?chdir|setenv|unsetenv|putenv|clearenv|tzset(?=\(\))|signal(?=\(\w)|sigaction|setrlimit|prctl|setlocale)\(")
DECLARED = re.compile(r"\bfunc \w+\(")

# By file, the reason why it may.
ALLOWED = {
    "Sources/System/Program/LocalZone+System.swift": "the zone of the process is its subject; programs choose it, and no test",
    "Sources/System/Program/PrivateMemory.swift": "what a program calls once, at its start",
}


def findings(root):
    for path in sorted((root / "Sources").rglob("*")):
        name = str(path.relative_to(root))
        if path.suffix not in (".swift", ".c", ".h") or name in ALLOWED or name.startswith("Sources/Programs/"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            code = DECLARED.sub("", line.partition("//")[0])
            if found := CALL.search(code):
                yield f"{name}:{number}: {found[1]}() changes the whole process: a program does that, in Sources/Programs"


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    found = list(findings(words.parse_args().root))
    print("\n".join(found) or "process: no shared module changes the state of the process")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
