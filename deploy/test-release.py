#!/usr/bin/env python3
"""Proves that apt installs from the repository that release.py makes, and refuses one that was changed.

Usage: test-release.py PACKAGES

PACKAGES is the directory of the packages of one version. The key is made for the test, and the date of the release in a
copy of the project's changelog. One line for each proof.
Exit status: 0 all hold, 1 one does not, 64 wrong arguments, 77 skipped, for the reason that it prints.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from testing.proofs import PROOFS, expect, proof, run_proofs, same
from testing.throwaway_root import ThrowawayRoot

HERE = pathlib.Path(__file__).resolve().parent
KEY = "releaser@anicca-edge.invalid"


class World:
    """The root, the repository, and the root's copy of it."""

    def __init__(self, root, made, packages):
        self.root, self.made, self.packages = root, made, packages

    def serve(self, change=lambda repository: None):
        """A copy of the repository in the root, after `change`; the root knows its key."""
        place = self.root.file("/srv/anicca")
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.made, place)
        change(place)
        # apt keeps an index while the signed file is the same.
        for index in self.root.file("/var/lib/apt/lists").glob("_srv_anicca_*"):
            index.unlink()
        keyrings = self.root.file("/etc/apt/keyrings")
        keyrings.mkdir(exist_ok=True)
        shutil.copy(self.made / "anicca-edge.asc", keyrings)
        source = f"deb [signed-by=/etc/apt/keyrings/anicca-edge.asc] file:/srv/anicca {self.root.suite} main\n"
        self.root.file("/etc/apt/sources.list.d/anicca-edge.list").write_text(source)


@proof
def what_is_incomplete_unreleased_or_there_already_is_refused(world):
    release = world.made.parent
    with tempfile.TemporaryDirectory() as empty:
        same(run_release(release, empty, release / "none").returncode, 65, "no packages")
    same(run_release(release, world.packages, world.made).returncode, 73, "a directory that exists")
    same(run_release(release, world.packages, release / "unknown", "nobody@nowhere.invalid").returncode, 1, "an unknown key")
    expect(not (release / "unknown").exists(), "a release without a signature stays")
    changelog = release / "project/CHANGELOG.md"
    dated = changelog.read_text()
    changelog.write_text(dated.replace(", 2026-11-28", ", unreleased"))
    refused = run_release(release, world.packages, release / "early")
    changelog.write_text(dated)
    same(refused.returncode, 65, "an unreleased version")
    expect("write the date of the release there" in refused.stderr, refused.stderr)


@proof
def apt_installs_from_it(world):
    world.serve()
    world.root.output("apt-get -qq update 2>&1")
    world.root.output("apt-get --yes --no-install-recommends -qq install anicca-edge anicca-edge-lab anicca-receiver 2>&1")
    expect("0.1.0" in world.root.output("anicca --version"), "the version")
    world.root.output("apt-get --yes -qq purge anicca-edge anicca-edge-lab anicca-receiver 2>&1")


@proof
def apt_refuses_an_index_or_a_package_that_was_changed(world):
    def spoil(repository):
        for index in repository.rglob("Packages*"):
            index.write_bytes(index.read_bytes() + b"\n")
    world.serve(spoil)
    status, printed = world.root.run("apt-get update 2>&1")
    expect(status != 0 or "W: " in printed or "E: " in printed, printed)
    expect("size" in printed or "Hash Sum" in printed, printed)

    def replace(repository):
        for package in (repository / "pool").iterdir():
            package.write_bytes(package.read_bytes()[:-1] + b"x")
    world.serve(replace)
    world.root.output("apt-get -qq update 2>&1")
    status, printed = world.root.run("apt-get --yes --no-install-recommends install anicca-edge 2>&1")
    expect(status != 0 and "Hash Sum mismatch" in printed, printed)


@proof
def apt_refuses_the_signature_of_another_key(world):
    def forge(repository):
        with tempfile.TemporaryDirectory() as home:
            make_key(home, KEY)
            for release in repository.glob("dists/*/Release"):
                command = ["gpg", "--batch", "--yes", "--clearsign", "--output", release.parent / "InRelease", release]
                subprocess.run(command, check=True, env={**os.environ, "GNUPGHOME": home}, capture_output=True)
                (release.parent / "Release.gpg").unlink()
            end_agent(home)
    world.serve(forge)
    printed = world.root.run("apt-get update 2>&1")[1]
    expect("NO_PUBKEY" in printed or "Missing key" in printed, printed)


@proof
def checksums_and_bill_of_materials_have_every_package(world):
    subprocess.run(["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"], cwd=world.made, check=True)
    listed = set(re.findall(r"pool/(\S+)", (world.made / "SHA256SUMS").read_text()))
    bill = json.loads((world.made / "sbom.spdx.json").read_text())
    names = {package["name"] for package in bill["packages"]}
    expect(len(listed) == 6 and listed <= names, f"{listed} {names}")
    same({package["SPDXID"] for package in bill["packages"]} >= {end["relatedSpdxElement"] for end in bill["relationships"]}, True, "the relations")
    expect("### Added" in (world.made / "RELEASE-NOTES.md").read_text(), "the notes")


def make_key(home, name):
    command = ["gpg", "--batch", "--passphrase", "", "--quick-generate-key", name, "ed25519", "sign", "1d"]
    subprocess.run(command, check=True, env={**os.environ, "GNUPGHOME": home}, capture_output=True)


def end_agent(home):
    subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=True)


def run_release(directory, packages, out, key=KEY):
    return subprocess.run(
        [sys.executable, directory / "project/deploy/release.py", "--key", key, packages, out],
        env={**os.environ, "GNUPGHOME": str(directory / "keys")}, text=True, capture_output=True)


def copy_of_project(directory):
    """What release.py reads of the project, in a copy whose version is released."""
    project = directory / "project"
    shutil.copytree(HERE, project / "deploy")
    for name in ["CHANGELOG.md", "Package.resolved"]:
        shutil.copy(HERE.parent / name, project)
    changelog = project / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace(", unreleased", ", 2026-11-28", 1))


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 64
    missing = [tool for tool in ["mmdebstrap", "zstd", "apt-ftparchive", "gpg"] if not shutil.which(tool)]
    if os.geteuid() != 0 or missing:
        print(f"test-release: SKIPPED: {'missing: ' + ' '.join(missing) if missing else 'must be run as root'}")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch)
        (directory / "keys").mkdir(mode=0o700)
        copy_of_project(directory)
        make_key(str(directory / "keys"), KEY)
        made = run_release(directory, arguments[0], directory / "repository")
        if made.returncode != 0:
            print(f"test-release: {made.stderr}")
            return 1
        for suite in ["bookworm", "trixie"]:
            print(f"{suite}:", flush=True)
            with ThrowawayRoot(suite) as root:
                failed += run_proofs(World(root, directory / "repository", pathlib.Path(arguments[0])))
        end_agent(str(directory / "keys"))
    print(f"test-release: {2 * len(PROOFS)} proofs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
