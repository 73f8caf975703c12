"""A Debian of its own in a temporary directory, in which packages are installed and removed without touching the host.

Only the requested commands run in it: no systemd, and no hardware is seen from it. Needs root, mmdebstrap and zstd.
"""

import hashlib
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile

CACHE = pathlib.Path(os.environ.get("RIG_CACHE") or pathlib.Path.home() / ".cache" / "anicca-rig")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

# The packages of a board before an installation.
CONTENTS = "systemd,udev,kmod,bash-completion"

# In namespaces of its own: no mount and no process is left behind, whatever happens.
ENTER = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c"]
# No exec: a timeout of coreutils 9.10 that is process 1 ends at once with 125.
IN_ROOT = 'mount -t proc proc "$0/proc" && eval "$3" && chroot "$0" timeout "$2" sh -c "$1"'


def debian_mirror():
    """Where this host gets its Debian packages from."""
    script = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "debian-mirror.sh"
    return subprocess.run(["sh", script], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def base(suite, name, contents):
    """The packed base of a suite with these packages: from the cache, or made and put there."""
    # Other contents make another base.
    name = f"{name}-root-{suite}-{hashlib.sha256(contents.encode()).hexdigest()[:8]}"
    packed = CACHE / f"{name}.tar.zst"
    if not packed.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        draft = CACHE / f"{name}.{os.getpid()}.tar.zst"
        source = f"deb [signed-by={KEYRING}] {debian_mirror()} {suite} main"
        command = ["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", f"--include={contents}"]
        # A mirror that is some weeks behind is as good for a test.
        command.append('--aptopt=Acquire::Check-Valid-Until "false"')
        subprocess.run([*command, suite, str(draft), source], check=True)
        draft.rename(packed)
    return packed


class ThrowawayRoot:
    """Use it with `with`; the directory is gone afterwards."""

    def __init__(self, suite, name="package", contents=CONTENTS, sees_devices=False):
        """`name` is that of the packed base in the cache, `contents` its packages."""
        self.suite = suite
        self.name = name
        self.contents = contents
        self.prepare = 'mount --rbind /dev "$0/dev"' if sees_devices else ":"

    def __enter__(self):
        packed = base(self.suite, self.name, self.contents)
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="anicca-root-", dir="/var/tmp"))
        subprocess.run(["tar", "-C", self.path, "--numeric-owner", "--zstd", "-xpf", packed], check=True)
        shutil.copy("/etc/resolv.conf", self.path / "etc/resolv.conf")
        # Every installed system has one; a base has none, so that its copies do not share it.
        (self.path / "etc/machine-id").write_text(os.urandom(16).hex() + "\n")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def run(self, command, answer="", limit=300):
        """Runs a shell command in the root for at most `limit` seconds. Returns its exit status and its output."""
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", "HOME": "/root"}
        ended = subprocess.run(
            [*ENTER, IN_ROOT, str(self.path), command, str(limit), self.prepare], input=answer, env=environment,
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return ended.returncode, ended.stdout

    def output(self, command, answer="", limit=300):
        """The output of a command, which must succeed."""
        status, printed = self.run(command, answer, limit)
        if status != 0:
            raise AssertionError(f"`{command}` ended with {status}:\n{printed}")
        return printed

    def receive(self, file):
        """Copies a file of the host into the root. Returns its path in there."""
        shutil.copy(file, self.path / "root")
        return f"/root/{pathlib.Path(file).name}"

    def file(self, path):
        """Where a path of the root lies on the host."""
        return self.path / path.lstrip("/")

    def tree(self, path):
        """Everything below a path: mode, owner and group by name, and what is in the files."""
        users, groups = (self._names(file) for file in ("passwd", "group"))
        top = self.file(path)
        if not os.path.lexists(top):
            return {}
        entries = {}
        for entry in [top, *sorted(top.rglob("*"))]:
            status = entry.lstat()
            content = hashlib.sha256(entry.read_bytes()).hexdigest() if stat.S_ISREG(status.st_mode) else None
            entries["/" + str(entry.relative_to(self.path))] = (
                stat.filemode(status.st_mode), users.get(status.st_uid), groups.get(status.st_gid), content)
        return entries

    def _names(self, file):
        rows = (line.split(":") for line in (self.path / "etc" / file).read_text().splitlines())
        return {int(row[2]): row[0] for row in rows}
