"""Guests with a real Linux kernel for tests: User-Mode Linux, which is an ordinary program and boots in half a second.

    with Guest(Image("bookworm")) as guest:
        print(guest.output("uname -r"))

README.md has the rest; devices.py has the hardware that a guest can be given.
"""

from __future__ import annotations

import itertools
import atexit
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

from line import Line

#: The Debian that guests run unless a test says: bookworm or trixie.
SUITE = os.environ.get("RIG_SUITE") or "bookworm"

#: Where prepare.sh puts the kernel and the images.
BUILD = Path(os.environ.get("RIG_BUILD") or Path(__file__).resolve().parents[2] / ".build" / "rig")
KERNEL = BUILD / "kernel"

#: The directory of a guest's memory file, of the files that it shares with the host and, unless told otherwise, its
#: disk.
MEMORY = Path("/dev/shm")


# A run that is ended by SIGTERM leaves neither a guest nor its files behind, as one that is ended by Ctrl-C.
signal.signal(signal.SIGTERM, signal.default_int_handler)


class GuestError(Exception):
    """A guest that cannot be started, or does not answer, or a command in it that failed."""


@dataclass(frozen=True)
class Image:
    """The disk that guests begin with. They never write to it."""

    #: bookworm or trixie; with "-bare" after it, without the package.
    name: str = SUITE

    @property
    def path(self) -> Path:
        return BUILD / f"{self.name}.ext4"

    @property
    def is_built(self) -> bool:
        return self.path.exists() and (KERNEL / "linux").exists()


class Command:
    """A command that was started in a guest. Guest.spawn makes it."""

    def __init__(self, guest: Guest, number: int, text: str):
        self.text = text
        self._guest = guest
        self._line = guest._line
        self._number = number
        self._file = guest.shared / "commands" / str(number)

    @property
    def returncode(self) -> Optional[int]:
        """Its exit status, 128 plus the signal that ended it, or None while it runs."""
        return self._line.status_of(self._number)

    @property
    def stdout(self) -> str:
        """Its output so far."""
        return self._written("out")

    @property
    def stderr(self) -> str:
        """Its output so far."""
        return self._written("err")

    def wait(self, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        """Waits for its end. A command that takes longer than the timeout (seconds) is killed: GuestError."""
        try:
            self._line.wait_for(self._number, timeout)
        except TimeoutError:
            self.signal("KILL")
            raise self._guest._error(
                f"took longer than {timeout:g} s: {self.text}\n{self.stdout}{self.stderr}") from None
        except EOFError:
            raise self._guest._error(f"the guest ended before this did: {self.text}") from None
        return subprocess.CompletedProcess(self.text, self.returncode, self.stdout, self.stderr)

    def expect(self, text: str, timeout: float = 30) -> None:
        """Waits until it has written the text to its standard output. GuestError when it ends without."""
        deadline = time.monotonic() + timeout
        while text not in self.stdout:
            has_ended = self.returncode is not None and text not in self.stdout
            if has_ended or time.monotonic() > deadline:
                how = f"ended with status {self.returncode}" if has_ended else f"waited {timeout:g} s"
                raise self._guest._error(f"{how} without {text!r}: {self.text}\n{self.stdout}{self.stderr}")
            time.sleep(0.02)

    def signal(self, name: str = "TERM") -> None:
        """Sends a signal to it and to all that it started, unless it has ended."""
        if self.returncode is None:
            self._line.write(f"signal {self._number} {name}")

    def stop(self, name: str = "TERM", timeout: float = 10) -> subprocess.CompletedProcess[str]:
        """Sends a signal and waits for the end."""
        self.signal(name)
        return self.wait(timeout)

    def _written(self, kind: str) -> str:
        path = self._file.with_suffix(f".{kind}")
        return path.read_text(errors="replace") if path.exists() else ""


class Guest:
    """One virtual machine.

    - image: its disk at the first start.
    - systemd: starts systemd as on a real machine; otherwise a shell script, which is much faster.
    - i2c: sockets of virtio-i2c devices (Hardware.socket), in the order of the guest's /dev/i2c-0, 1, …
    - arguments: more of the kernel's command line.
    - disk: the file that takes the guest's writes, made when it is missing. It outlives the guest, and a guest with
      the same disk and image goes on with it. Without it the disk lives as long as this object is entered.

    A `with` block starts it, and kills and forgets it at the end.
    """

    def __init__(self, image: Image = Image(), systemd: bool = False, i2c: Sequence[Path] = (),
                 arguments: Sequence[str] = (), disk: Optional[Path] = None):
        self.image = image
        self.systemd = systemd
        self._directory = Path(tempfile.mkdtemp(prefix="rig.", dir=_memory_directory()))
        atexit.register(self.close)
        #: The directory that the guest sees as /host. Write each file in it once: the guest may remember its content.
        self.shared = self._directory / "host"
        (self.shared / "commands").mkdir(parents=True)
        self._console = self._directory / "console"
        self._disk = Path(disk or self._directory / "disk").resolve()
        self._arguments = [
            "mem=512M", f"ubd0={self._disk},{image.path}", "root=/dev/ubda", "rw",
            "con=null", "con0=null,fd:1", "console=tty0", "quiet", "loglevel=4", "panic=-1",
            f"init={'/lib/systemd/systemd' if systemd else '/rig/init'}", f"rig.share={self.shared}",
            f"uml_dir={self._directory}/", "umid=uml",
            *[f"virtio_uml.device={socket}:34" for socket in i2c], *arguments]
        self._process: Optional[subprocess.Popen] = None
        self._numbers = itertools.count(1)

    # Life

    def __enter__(self) -> Guest:
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self, timeout: float = 120) -> Guest:
        """Boots it and waits until it takes commands; with systemd, until the boot is over, however it went."""
        if not self.image.is_built:
            raise GuestError(f"no {self.image.path} or no kernel in {KERNEL}: run `make rig` first")
        if self._process is not None:
            raise GuestError("the guest was started already: kill or stop it first, also when it ended by itself")
        shutil.copy(KERNEL / "i2c-stub.ko", self.shared)
        deadline = time.monotonic() + timeout
        mine, guests = socket.socketpair()
        with guests, open(self._console, "ab") as console:
            self._process = subprocess.Popen(
                [str(KERNEL / "linux"), *self._arguments, f"ssl0=fd:{guests.fileno()}"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT, cwd=self._directory,
                env={**os.environ, "TMPDIR": str(MEMORY)}, pass_fds=[guests.fileno()], start_new_session=True)
        self._line = Line(mine)
        try:
            self._line.wait_for(Line.READY, timeout)
        except (EOFError, TimeoutError) as error:
            self.kill()
            what = "ended" if isinstance(error, EOFError) else f"did not answer within {timeout:g} s"
            raise self._error(f"the guest was started and {what}") from None
        if self.systemd:
            self.run("systemctl is-system-running --wait", timeout=deadline - time.monotonic())
        return self

    def kill(self) -> None:
        """Cuts its power. Data flushed to its disk is there at the next start, as on a real machine."""
        if self._process is None:
            return
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._ended()

    def stop(self, timeout: float = 60) -> None:
        """Powers it off as a person does."""
        self.spawn("systemctl poweroff" if self.systemd else "mount -o remount,ro /; poweroff -ff")
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise self._error(f"did not power off within {timeout:g} s") from None
        self._ended()

    def close(self) -> None:
        """Kills it and deletes its files, except for a disk that was given. Happens by itself when Python ends."""
        atexit.unregister(self.close)
        self.kill()
        shutil.rmtree(self._directory, ignore_errors=True)

    # Commands, as root

    def spawn(self, command: str) -> Command:
        """Starts a shell command and goes on; any number may run at the same time."""
        if self._process is None:
            raise GuestError(f"the guest is not running: {command}")
        number = next(self._numbers)
        (self.shared / "commands" / str(number)).write_text(command + "\n")
        self._line.write(f"run {number}")
        return Command(self, number, command)

    def run(self, command: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        """Runs a shell command, for at most the timeout in seconds. Any exit status is a result."""
        return self.spawn(command).wait(timeout)

    def output(self, command: str, timeout: float = 60) -> str:
        """The output of a command, without the last newline. An exit status other than 0 is a GuestError."""
        result = self.run(command, timeout)
        if result.returncode != 0:
            raise self._error(f"exit status {result.returncode}: {command}\n{result.stdout}{result.stderr}")
        return result.stdout.rstrip("\n")

    @property
    def console(self) -> str:
        """The messages of the kernel, and of systemd until the journal runs, from all boots."""
        return self._console.read_text(errors="replace") if self._console.exists() else ""

    # Inner parts

    def _ended(self) -> None:
        # Not for ever: a process that waits for a disk or a device of the machine does not die at once.
        self._process.wait(60)
        self._process = None
        # The line ends when the last process of the guest is gone: the disk is free again then.
        self._line.close()

    def _error(self, what: str) -> GuestError:
        tail = "\n".join(self.console.splitlines()[-40:])
        return GuestError(f"{what}\n--- end of the guest's console\n{tail}")


def _memory_directory() -> Path:
    """/dev/shm, if a guest's memory can lie there."""
    if not MEMORY.is_dir():
        raise GuestError(f"no {MEMORY}: mount a tmpfs there, a guest's memory is a file in it")
    state = os.statvfs(MEMORY)
    if state.f_flag & os.ST_NOEXEC:
        raise GuestError(f"{MEMORY} is mounted noexec: a guest's memory there must be executable")
    if state.f_bavail * state.f_frsize < 600 << 20:
        raise GuestError(f"less than 600 MB free in {MEMORY}, which a guest's memory and disk need")
    return MEMORY
