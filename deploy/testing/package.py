"""The contents of a Debian package, and packages made up from another one."""

import hashlib
import re
import subprocess
import tarfile

CONFIG = "/etc/anicca/anicca.conf"


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


class Package:
    def __init__(self, file):
        self.file = file

    def field(self, name):
        return output_of("dpkg-deb", "--field", self.file, name).decode().strip()

    @property
    def version(self):
        return self.field("Version")

    @property
    def suite(self):
        """The Debian for which it was built, which its libgpiod tells."""
        return "trixie" if "libgpiod3" in self.field("Depends") else "bookworm"

    def script(self, name):
        """A file beside the contents: a maintainer script, or the list of conffiles."""
        return output_of("dpkg-deb", "--info", self.file, name)

    def contents(self, without):
        """By path the mode, the owner and, unless it is one of `without`, the content."""
        stream = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", self.file], stdout=subprocess.PIPE)
        entries = {}
        with tarfile.open(fileobj=stream.stdout, mode="r|") as tar:
            for entry in tar:
                path = entry.name.lstrip(".").rstrip("/")
                is_compared = entry.isfile() and path not in without
                digest = hashlib.sha256(tar.extractfile(entry).read()).hexdigest() if is_compared else None
                entries[path] = (oct(entry.mode), entry.uname, entry.gname, entry.linkname, digest)
        if stream.wait() != 0:
            raise AssertionError(f"{self.file} cannot be read")
        return entries

    def made_up(self, version, scratch):
        """The file of the same package under another version and with another default configuration."""
        tree, result = scratch / f"tree-{version}", scratch / f"anicca-edge_{version}.deb"
        output_of("dpkg-deb", "--raw-extract", self.file, tree)
        control = tree / "DEBIAN/control"
        control.write_text(re.sub(r"(?m)^Version: .*", f"Version: {version}", control.read_text()))
        with open(tree / CONFIG.lstrip("/"), "a") as config:
            config.write(f"\n# The default configuration of {version}.\n")
        output_of("dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, result)
        return result
