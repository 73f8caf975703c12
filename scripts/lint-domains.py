#!/usr/bin/env python3
"""Finds what names a domain outside of its places. A domain is its folder under Sources/Domains, its page under
Sources/Programs/anicca/Pages, and one line in the lists of domains, sources and pages; elsewhere its types and its values (of Domain, Figure,
EventKind, Book, Scope and Permission) are not named, so that a new domain changes nothing there. A collector handles the inputs that
concern it and has a default for the others, so that a new input changes no other domain.

Usage: lint-domains.py [--root DIR]
Exit status: 0 clean, 1 findings, each as FILE:LINE.
"""

import argparse
import pathlib
import re
import sys

# Folders beside those of the domains, of which each domain is made.
SHARED = ["Kit", "Consent"]

KINDS = "Domain|Figure|EventKind|Book|Scope|Permission"
TYPE = re.compile(r"^public (?:final )?(?:struct|enum|class|protocol) (\w+)", re.MULTILINE)
EXTENSION = re.compile(rf"^extension (?:{KINDS}) {{\n(.*?)^}}", re.MULTILINE | re.DOTALL)
VALUE = re.compile(r"static (?:let|var) (\w+)")
HANDLER = re.compile(r"^( *)mutating func handle\(_ (\w+): CollectorInput,[^\n]*\{\n(.*?)^\1\}", re.MULTILINE | re.DOTALL)
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')

# By file or folder, the reason why it may.
ALLOWED = {
    "Sources/Laboratory/": "simulated wearers have each kind of data",
    "Sources/Programs/anicca-lab/": "so do its demos",
    "Sources/Programs/anicca-receiver/": "the server has tables of its own",
    "Sources/Programs/anicca/Pages/": "the pages of the domains",
    "Sources/Domains/Domain+All.swift": "the list of domains",
    "Sources/Agent/Alarm/": "alarms are played by the daemon itself, at their times and not by windows",
    "Sources/Delivery/Uploader+Nudge.swift": "a server's answer becomes a nudge, which the alarm plays",
    "Sources/Config/Settings+Domains.swift": "the settings of the sources, as adapters read them",
    "Sources/Devices/Gpsd/GPSDAddress.swift": "a source and its settings",
    "Sources/Devices/Lines/LinuxPulseLine.swift": "a source and its settings",
    "Sources/Sensing/Consent/GPSDHandler.swift": "a source and its settings",
    "Sources/Sensing/Consent/InboxHandler.swift": "a source and its settings",
    "Sources/Sensing/Consent/LineHandler.swift": "a source and its settings",
    "Sources/Agent/LinuxDevices.swift": "the sources and their settings",
    "Sources/Sensing/Session/SensingRules.swift": "the rules of the signal, each from its settings",
    "Sources/System/Journaling/JournalEvent+MessageID.swift": "message ids are promised",
    "Sources/Sensing/Session/SensingNote+Journal.swift": "the message of a promised id",
    "Sources/Programs/anicca/Report/": "its ribbon and its table in 80 columns are of movement, steps and sleep together",
    "Sources/Programs/anicca/StatusReport.swift": "the activity of this moment, which is motion's",
    "Sources/Programs/anicca/Sensor/Record.swift": "raw samples are recorded under the consent to motion",
}


def named(domains):
    """The types of the domains' folders, and the values that stand for their data."""
    types, values = set(), set()
    for path in domains.glob("*/*.swift"):
        if path.parent.name in SHARED:
            continue
        text = path.read_text(encoding="utf-8")
        types |= set(TYPE.findall(text))
        for body in EXTENSION.findall(text):
            values |= set(VALUE.findall(body))
    return types, values


def without_default(text):
    """The lines with a collector's switch over its input that has no default."""
    for handler in HANDLER.finditer(text):
        for switch in re.finditer(rf"^( *)switch {handler[2]} \{{\n(.*?)^\1\}}", handler[3], re.MULTILINE | re.DOTALL):
            if not re.search(rf"^{switch[1]}default:", switch[2], re.MULTILINE):
                yield text.count("\n", 0, handler.start(3) + switch.start()) + 1


def findings(root):
    domains = root / "Sources/Domains"
    for path in sorted(domains.rglob("*.swift")):
        for number in without_default(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(root)}:{number}: a switch over CollectorInput has a default, for the inputs of other domains"
    types, values = named(domains)
    names = re.compile(
        rf"\b({'|'.join(sorted(types))})\b|(?:(?<![\w)\]}}?!.])|\b(?:{KINDS}))\.({'|'.join(sorted(values))})\b(?!\()")
    for path in sorted((root / "Sources").rglob("*.swift")):
        name = str(path.relative_to(root))
        if path.parent.parent == domains and path.parent.name not in SHARED or any(name.startswith(place) for place in ALLOWED):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for found in names.finditer(LITERAL.sub('""', line.partition("//")[0])):
                yield f"{name}:{number}: {found[0]} is of one domain: declare in its folder what is asked here"


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    found = list(findings(words.parse_args().root))
    print("\n".join(found) or "domains: none is named outside of its places")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
