#!/usr/bin/env python3
"""Checks that every import respects the layers of docs/architecture.md.

Four rules, each reported as FILE:LINE with what to do:
  1. a file imports only modules that Package.swift declares for its target, and system modules its layer and folder may use;
  2. a target depends only on targets of its own layer or a lower one;
  3. what a program must never contain does not reach it through any dependency;
  4. a C library is used in one folder, such as libcurl in that of the sink.

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

LAYERS = ["C", "Core", "Signal", "Domains", "System", "Config", "Devices", "Store", "Delivery", "Sensing", "Agent", "Laboratory", "Programs"]

# The layers that know no system: they import modules of the project alone.
PURE = {"C", "Core", "Signal", "Domains"}

# Folders of a layer that know no system either, and are written against its protocols: what the file may not name.
DRIVERS = re.compile(r"\bLinux\w+|\bC(?:Linux|I2C|GPIOD)\b")
PURE_FOLDERS = {f"Sources/Devices/{folder}": DRIVERS for folder in ("Accelerometers", "Chips", "Gauges", "PulseOximeters")}

# The folders in which alone a C library is used.
ONLY_USED_IN = {
    "CCurl": "Sources/Delivery/Sinks/HTTPS", "CMosquitto": ("Sources/Delivery/Sinks", "Sources/Programs/anicca-receiver/Broker"), "CI2C": "Sources/Devices/I2C",
    "CGPIOD": "Sources/Devices/Lines", "CSodium": ("Sources/Store/Vault", "Sources/Programs/anicca-receiver"),
}

FOUNDATION = {"Foundation", "FoundationEssentials"}
SYSTEM_BY_TARGET = {
    "anicca": FOUNDATION,
    "anicca-lab": FOUNDATION,
    "anicca-receiver": FOUNDATION,
}

# The process that touches sensors opens no socket; the process that opens sockets touches no sensor.
NEVER_REACHES = {
    "aniccad": {"Delivery", "CCurl", "CMosquitto", "ArgumentParser", "CMicroHTTPD", "CPostgreSQL"},
    "anicca-upload": {"Sensing", "Devices", "CGPIOD", "CI2C", "SimulatedBus", "ArgumentParser", "CMicroHTTPD", "CPostgreSQL"},
    "anicca": {"Agent"},
    "Store": {"CCurl", "CMosquitto"},
    "Config": {"CCurl", "CMosquitto", "Devices"},
}

# What is installed on a wearable holds nothing of this layer.
LABORATORY = "Laboratory"
ON_THE_WEARABLE = ["aniccad", "anicca-upload", "anicca"]

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


def check_imports(root, targets):
    for name, target in targets.items():
        allowed = set(declared_names(target)) | {"Swift"}
        allowed |= (set() if layer_of(target) in PURE else {"Glibc", "Musl"}) | SYSTEM_BY_TARGET.get(name, set())
        for path in sorted((root / target["path"]).rglob("*.swift")):
            place = str(path.relative_to(root))
            pure = [names for folder, names in PURE_FOLDERS.items() if place.startswith(folder)]
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = IMPORT.match(line)
                if match and (match.group(1) not in allowed or pure and match.group(1) in {"Glibc", "Musl"}):
                    yield f"{place}:{number}: {name} must not import {match.group(1)}: " \
                        "declare it in Package.swift if the layers allow it, or do without"
                elif match and not place.startswith(ONLY_USED_IN.get(match.group(1), "")):
                    yield f"{place}:{number}: {match.group(1)} is used in {ONLY_USED_IN[match.group(1)]} alone"
                for names in pure:
                    if found := names.search(line.partition("//")[0]):
                        yield f"{place}:{number}: a driver knows no {found[0]}: use the protocol"


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
    findings = [*check_layers(targets), *check_reach(targets), *check_imports(arguments.root, targets)]
    for finding in findings:
        print(finding, file=sys.stderr)
    if not findings:
        print(f"imports: {len(targets)} targets respect the layers")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
