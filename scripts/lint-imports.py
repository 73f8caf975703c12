#!/usr/bin/env python3
"""Checks that every import respects the layers of docs/architecture.md.

Four rules, each reported as FILE:LINE with what to do:
  1. a file imports only modules that Package.swift declares for its target, and system modules its layer may use;
  2. a target depends only on targets of its own layer or a lower one;
  3. what a program must never contain does not reach it through any dependency;
  4. the libraries that open connections are declared by the sinks alone.

Usage: lint-imports.py [--root DIR] [--manifest FILE]
       FILE is the JSON of `swift package dump-package`; without it the command is run in DIR.
Exit status: 0 clean, 1 findings, 2 the manifest could not be read.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

LAYERS = ["C", "Core", "Domains", "Consent", "Ports", "Chips", "Adapters", "Sinks", "Services", "Laboratory", "Programs"]

# System modules, by the layer or target that may import them. Nothing else is allowed.
SYSTEM_BY_LAYER = {
    "C": set(), "Core": set(), "Domains": set(), "Consent": set(), "Ports": set(), "Chips": set(),
    "Adapters": {"Glibc", "Musl"}, "Sinks": {"Glibc", "Musl"}, "Services": {"Glibc", "Musl"}, "Laboratory": {"Glibc", "Musl"},
    "Programs": {"Glibc", "Musl"},
}
FOUNDATION = {"Foundation", "FoundationEssentials"}
SYSTEM_BY_TARGET = {
    "anicca": FOUNDATION,
    "anicca-lab": FOUNDATION,
    "anicca-receiver": FOUNDATION,
}

# The process that touches sensors opens no socket; the process that opens sockets touches no sensor.
NEVER_REACHES = {
    "aniccad": {"Delivery", "Sinks", "CCurl", "CMosquitto", "ArgumentParser", "CMicroHTTPD", "CPostgreSQL"},
    "anicca-upload": {"Ports", "LinuxBus", "Chips", "SimulatedBus", "Sensing", "ArgumentParser", "CMicroHTTPD", "CPostgreSQL"},
    "Ledger": {"CCurl", "CMosquitto"},
    "Config": {"CCurl", "CMosquitto", "LinuxBus"},
}

# What is installed on a wearable holds nothing of this layer.
LABORATORY = "Laboratory"
ON_THE_WEARABLE = ["aniccad", "anicca-upload", "anicca"]

# Delivery knows sinks, and no way to deliver.
ONLY_DECLARED_BY = {"CCurl": {"Sinks"}, "CMosquitto": {"Sinks"}}

IMPORT = re.compile(
    r"^\s*(?:@[\w()]+\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)")


def declared_names(target):
    """The names of the modules and products that a target declares it depends on."""
    for dependency in target["dependencies"]:
        for kind in ("byName", "target", "product"):
            if kind in dependency:
                yield dependency[kind][0]


def is_for_tests(target):
    """A test target, or what several of them share, which lies beside them."""
    return target["type"] == "test" or (target.get("path") or "").startswith("Tests/")


def layer_of(target):
    parts = pathlib.PurePosixPath(target.get("path") or "").parts
    return parts[1] if len(parts) > 1 and parts[0] == "Sources" else None


def reachable(name, targets):
    """Every name that a target depends on, directly or not."""
    found, waiting = set(), [name]
    while waiting:
        for dependency in declared_names(targets[waiting.pop()]):
            if dependency not in found:
                found.add(dependency)
                if dependency in targets:
                    waiting.append(dependency)
    return found


def check_layers(targets):
    for name, target in targets.items():
        layer = layer_of(target)
        if layer not in LAYERS:
            yield f"Package.swift: target {name} lies in {target.get('path')}, which is no layer: move it into " \
                f"Sources/{{{','.join(LAYERS)}}}"
            continue
        for dependency in declared_names(target):
            below = layer_of(targets[dependency]) if dependency in targets else None
            if below in LAYERS and LAYERS.index(below) > LAYERS.index(layer):
                yield f"Package.swift: {name} ({layer}) depends on {dependency} ({below}), which stands above it: " \
                    "turn the dependency round, or move the type down"


def check_reach(targets):
    for name, forbidden in NEVER_REACHES.items():
        if name in targets:
            for dependency in sorted(reachable(name, targets) & forbidden):
                yield f"Package.swift: {name} reaches {dependency}, which must never be part of it"
    for name in ON_THE_WEARABLE:
        if name in targets:
            for dependency in sorted(reachable(name, targets) & targets.keys()):
                if layer_of(targets[dependency]) == LABORATORY:
                    yield f"Package.swift: {name} reaches {dependency} of the laboratory: that belongs into anicca-lab"


def check_owners(targets):
    for name, target in targets.items():
        for dependency in declared_names(target):
            if name not in ONLY_DECLARED_BY.get(dependency, {name}):
                yield f"Package.swift: {name} must not depend on {dependency}: it belongs to " \
                    f"{', '.join(sorted(ONLY_DECLARED_BY[dependency]))}"


def check_imports(root, targets):
    for name, target in targets.items():
        allowed = set(declared_names(target)) | {"Swift"}
        allowed |= SYSTEM_BY_LAYER.get(layer_of(target), set()) | SYSTEM_BY_TARGET.get(name, set())
        for path in sorted((root / target["path"]).rglob("*.swift")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = IMPORT.match(line)
                if match and match.group(1) not in allowed:
                    yield f"{path.relative_to(root)}:{number}: {name} must not import {match.group(1)}: " \
                        "declare it in Package.swift if the layers allow it, or do without"


def load_manifest(root, manifest):
    if manifest:
        return json.loads(pathlib.Path(manifest).read_text(encoding="utf-8"))
    dump = subprocess.run(["swift", "package", "dump-package"], cwd=root, capture_output=True, text=True, check=True)
    return json.loads(dump.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent, type=pathlib.Path)
    parser.add_argument("--manifest")
    arguments = parser.parse_args()
    try:
        package = load_manifest(arguments.root, arguments.manifest)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        detail = getattr(error, "stderr", None) or error
        print(f"lint-imports: cannot read the package manifest: {detail}", file=sys.stderr)
        return 2
    targets = {target["name"]: target for target in package["targets"] if not is_for_tests(target)}
    findings = [*check_layers(targets), *check_reach(targets), *check_owners(targets), *check_imports(arguments.root, targets)]
    for finding in findings:
        print(finding, file=sys.stderr)
    if not findings:
        print(f"imports: {len(targets)} targets respect the layers")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
