#!/usr/bin/env python3
"""Makes a release from built packages: a signed apt repository, checksums, an SBOM and the release notes.

Usage: release.py --key KEY PACKAGES OUT

KEY is the name of the releaser's key in GnuPG's keyring (GNUPGHOME), PACKAGES the directory of the packages of one
version, and OUT a new directory. Any web server can serve OUT as it is; docs/release.md has the steps.
Exit status: 0 done, 1 a tool failed, 64 wrong arguments, 65 a package or the changelog does not fit, 73 OUT exists.
"""

import argparse
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from testing.package import Package, output_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITES = ["bookworm", "trixie"]
ARCHITECTURES = ["amd64", "arm64"]
NAMES = ["anicca-edge", "anicca-edge-lab", "anicca-receiver", "anicca-server"]
# What the packages have inside them, by deploy/debian/copyright.
LINKED = [
    ("Swift standard library and Foundation", "Apache-2.0 WITH Swift-exception", "swift"),
    ("Swift Argument Parser", "Apache-2.0 WITH Swift-exception", "argument-parser"),
    ("ICU", "Unicode-3.0", "swift"),
    ("GCC runtime library", "GPL-3.0-or-later WITH GCC-exception-3.1", None),
    ("libgpiod, on arm64", "LGPL-2.1-or-later", None),
]


class Unfit(Exception):
    """What does not fit, and what to do."""


def packages_in(directory):
    """The packages by suite and architecture; throws if one is missing, or is of another version."""
    version = output_of("dpkg-parsechangelog", "--file", ROOT / "deploy/debian/changelog", "--show-field", "Version").decode().strip()
    found = {}
    for file in sorted(directory.glob("anicca-*.deb")):
        package = Package(file)
        suffix = package.version.removeprefix(version)
        if suffix not in ("", "+deb13"):
            raise Unfit(f"{file.name} is of version {package.version}, not {version}: delete it")
        architecture = package.field("Architecture")
        # An arm64 package has libgpiod inside, and serves both.
        for suite in SUITES if architecture == "arm64" else ["trixie" if suffix else "bookworm"]:
            for kind in ARCHITECTURES if architecture == "all" else [architecture]:
                found[suite, kind, package.field("Package")] = package
    for suite in SUITES:
        for architecture in ARCHITECTURES:
            for name in NAMES:
                if (suite, architecture, name) not in found:
                    raise Unfit(f"{directory} has no {name} for {suite} on {architecture}: make deb, make deb SUITE=trixie, make deb-arm64")
    return version, found


def notes(version):
    """The part of CHANGELOG.md about this version."""
    text = (ROOT / "CHANGELOG.md").read_text()
    part = re.search(rf"(?ms)^## {re.escape(version)},? ?(?P<date>.*?)\n(?P<text>.*?)(?=^## |\Z)", text)
    if part is None:
        raise Unfit(f"CHANGELOG.md has no part about {version}")
    if part["date"] == "unreleased":
        raise Unfit(f"CHANGELOG.md says that {version} is unreleased: write the date of the release there")
    return f"# Anicca Edge {version}, {part['date']}\n{part['text']}"


def sign(out, release, key):
    gpg = ["gpg", "--batch", "--yes", "--local-user", key]
    subprocess.run([*gpg, "--clearsign", "--output", release.parent / "InRelease", release], check=True)
    subprocess.run([*gpg, "--armor", "--detach-sign", "--output", f"{release}.gpg", release], check=True)


def make_repository(out, found, key):
    for suite in SUITES:
        for architecture in ARCHITECTURES:
            folder = out / "dists" / suite / "main" / f"binary-{architecture}"
            folder.mkdir(parents=True)
            index = b""
            for name in NAMES:
                source = found[suite, architecture, name].file
                place = out / "pool" / source.name
                place.parent.mkdir(exist_ok=True)
                if not place.exists():
                    shutil.copyfile(source, place)
                index += subprocess.run(["apt-ftparchive", "packages", f"pool/{source.name}"], cwd=out, check=True, capture_output=True).stdout
            (folder / "Packages").write_bytes(index)
            subprocess.run(["gzip", "--keep", "--no-name", folder / "Packages"], check=True)
        options = {"Origin": "Anicca Edge", "Label": "Anicca Edge", "Suite": suite, "Codename": suite, "Components": "main",
                   "Architectures": " ".join(ARCHITECTURES)}
        settings = [word for name, value in options.items() for word in ("-o", f"APT::FTPArchive::Release::{name}={value}")]
        release = output_of("apt-ftparchive", *settings, "release", out / "dists" / suite)
        path = out / "dists" / suite / "Release"
        path.write_bytes(release)
        sign(out, path, key)


def versions():
    """Of Swift and of the pinned library, as this machine built with."""
    swift = re.search(r"Swift version (\S+)", output_of("swift", "--version").decode())
    pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
    return {"swift": swift and swift[1], "argument-parser": pins[0]["state"]["version"]}


def bill_of_materials(version, found, created):
    """SPDX 2.3: each package, the libraries inside it, and those that it depends on."""
    known = versions()
    elements, relations = [], []
    for number, (name, licence, key) in enumerate(LINKED):
        elements.append({"SPDXID": f"SPDXRef-linked-{number}", "name": name, "versionInfo": known.get(key) or "NOASSERTION",
                         "licenseConcluded": licence, "downloadLocation": "NOASSERTION", "copyrightText": "NOASSERTION", "filesAnalyzed": False})
    for package in {package.file: package for package in found.values()}.values():
        identity = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", package.file.name)
        digest = hashlib.sha256(package.file.read_bytes()).hexdigest()
        elements.append({
            "SPDXID": identity, "name": package.file.name, "versionInfo": package.version, "licenseConcluded": "Apache-2.0",
            "downloadLocation": "NOASSERTION", "copyrightText": "NOASSERTION", "filesAnalyzed": False,
            "comment": "Depends: " + package.field("Depends"), "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]})
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", identity))
        relations += [(identity, "STATIC_LINK", f"SPDXRef-linked-{number}") for number in range(len(LINKED))
                      if "arm64" not in LINKED[number][0] or package.field("Architecture") == "arm64"]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"anicca-edge-{version}",
        "documentNamespace": f"https://anicca-edge.invalid/spdx/{version}/{created}",
        "creationInfo": {"created": created, "creators": ["Tool: deploy/release.py"]}, "packages": elements,
        "relationships": [dict(zip(("spdxElementId", "relationshipType", "relatedSpdxElement"), relation)) for relation in relations]}


def write_checksums(out, key):
    files = sorted(path for path in out.rglob("*") if path.is_file())
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(out)}\n" for path in files]
    (out / "SHA256SUMS").write_text("".join(lines))
    subprocess.run(["gpg", "--batch", "--local-user", key, "--armor", "--detach-sign", out / "SHA256SUMS"], check=True)


def main():
    arguments = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("Usage: "))
    arguments.add_argument("--key", required=True)
    arguments.add_argument("packages", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.error = lambda message: sys.exit(print(f"release: {message}\n{__doc__}", file=sys.stderr) or 64)
    given = arguments.parse_args()
    try:
        version, found = packages_in(given.packages)
        text = notes(version)
        given.out.mkdir(parents=True)
    except Unfit as problem:
        print(f"release: {problem}", file=sys.stderr)
        return 65
    except FileExistsError:
        print(f"release: {given.out} exists: name a new directory", file=sys.stderr)
        return 73
    try:
        make_repository(given.out, found, given.key)
        created = output_of("date", "--utc", "+%Y-%m-%dT%H:%M:%SZ").decode().strip()
        (given.out / "sbom.spdx.json").write_text(json.dumps(bill_of_materials(version, found, created), indent=1) + "\n")
        (given.out / "RELEASE-NOTES.md").write_text(text)
        (given.out / "anicca-edge.asc").write_bytes(output_of("gpg", "--armor", "--export", given.key))
        write_checksums(given.out, given.key)
    except subprocess.CalledProcessError as problem:
        shutil.rmtree(given.out)
        print(f"release: {problem}\n{(problem.stderr or b'').decode()}", file=sys.stderr)
        return 1
    print(given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
