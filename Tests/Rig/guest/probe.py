"""Runs in place of a program in its unit, tries actions of a compromised program, and prints the result of each as
JSON: "done", or the name of the error.

    probe.py PROCESS NODE...

PROCESS is the number of one that runs as the same user.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import shutil
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

libc = ctypes.CDLL(None, use_errno=True)
PTRACE_SEIZE, CLONE_NEWUSER, CLONE_NEWNET, INIT_MODULE = 0x4206, 0x10000000, 0x40000000, 175


def call(function: str, *arguments: object) -> None:
    """Calls the C library."""
    if getattr(libc, function)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), function)


def connect(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=5) as connection:
        connection.sendall(b"GET /_stats HTTP/1.0\r\n\r\n")
        if not connection.recv(1):
            raise OSError(errno.EPIPE, "no answer")


def log(message: str) -> None:
    """Writes to the journal as sd_journal_send(3) does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal:
        journal.sendto(f"MESSAGE={message}\n".encode(), "/run/systemd/journal/socket")


def open_node(path: str) -> None:
    if stat.S_ISSOCK(os.stat(path).st_mode):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            return connection.connect(path)
    return os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))


def write_in(directory: Path) -> None:
    file = directory / "probe-was-here"
    file.write_text("here")
    file.unlink()


def make_directory(path: Path) -> None:
    path.mkdir()
    path.rmdir()


def make_setuid(file: Path) -> None:
    file.write_text("")
    try:
        file.chmod(0o4755)
    finally:
        file.unlink()


def run_program(path: str | Path) -> None:
    subprocess.run([path, "--version"], stdout=subprocess.DEVNULL, check=True)


def run_own_program(place: Path) -> None:
    shutil.copy("/usr/bin/true", place)
    try:
        run_program(place)
    finally:
        place.unlink()


def outcome(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))
    return "done"


def attempts(process: int, nodes: list[str]) -> dict[str, Callable[[], object]]:
    state = Path("/var/lib/anicca")
    one_page = ctypes.create_string_buffer(4096)
    tries: dict[str, Callable[[], object]] = {
        "open a socket to the network": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close(),
        "open a socket of IPv6": lambda: socket.socket(socket.AF_INET6, socket.SOCK_STREAM).close(),
        "open a raw socket": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close(),
        "connect on loopback": lambda: connect(("127.0.0.1", 8787)),
        "read the authorities": lambda: Path("/etc/ssl/certs/ca-certificates.crt").read_bytes(),
        "find a name": lambda: socket.getaddrinfo("rig", 80),
        "log": lambda: log("the probe was here"),
        "see the first process": lambda: os.stat("/proc/1"),
        "signal another process": lambda: os.kill(1, 0),
        "signal a process of the same user": lambda: os.kill(process, 0),
        "read the passwords": lambda: Path("/etc/shadow").read_text(),
        "read in a home": lambda: Path("/home/person/file").read_text(),
        "read root's files": lambda: Path("/root/file").read_text(),
        "mount": lambda: call("mount", b"none", str(state).encode(), b"tmpfs", 0, None),
        "trace a process": lambda: call("ptrace", PTRACE_SEIZE, os.getppid(), None, None),
        "make a network namespace": lambda: call("unshare", CLONE_NEWNET),
        "load a module": lambda: call("syscall", INIT_MODULE, one_page, 4096, b""),
        "set the clock": lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()),
        "set the host's name": lambda: socket.sethostname("probe"),
        "read the kernel's log": lambda: call("klogctl", 3, one_page, 4096),
        "take real-time priority": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
        "write and execute the same memory": lambda: mmap.mmap(
            -1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close(),
        "make a program that runs as another user": lambda: make_setuid(state / "probe"),
        "run the command": lambda: run_program("/usr/bin/anicca"),
        "make a device": lambda: os.mknod(state / "probe", stat.S_IFBLK | 0o600, os.makedev(98, 0)),
        "make a control group": lambda: make_directory(Path("/sys/fs/cgroup/probe")),
        "change a setting of the kernel": lambda: Path("/proc/sys/kernel/printk").write_text("4"),
    }
    for directory in ["/", "/etc", "/etc/anicca", "/usr/bin", "/var/lib", "/var/log", "/var/spool", "/srv", "/boot",
                      "/run", "/run/lock", "/run/systemd/system", "/host", str(state), "/run/anicca",
                      "/tmp"]:
        tries[f"write in {directory}"] = lambda directory=directory: write_in(Path(directory))
    for directory in [str(state), "/run/anicca", "/tmp", "/dev/shm"]:
        tries[f"run a program in {directory}"] = lambda directory=directory: run_own_program(Path(directory) / "program")
    for node in nodes:
        tries[f"open {node}"] = lambda node=node: open_node(node)
    # Last, as root has no power over anything from in there.
    tries["make a user namespace"] = lambda: call("unshare", CLONE_NEWUSER)
    return tries


if __name__ == "__main__":
    print(json.dumps({name: outcome(attempt) for name, attempt in attempts(int(sys.argv[1]), sys.argv[2:]).items()}))
