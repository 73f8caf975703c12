"""Processes of a test, each of which ends with it, by its id; and the time of the processors that they take."""

import ctypes
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import threading
import time
import urllib.request

from harness import PROGRAMS

HOST = "127.0.0.1"
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
PR_SET_PDEATHSIG = 1


class Failed(Exception):
    """A program did not do what the test needs, with what it said."""


def follow(sign=signal.SIGTERM):
    """For preexec_fn: the process hears `sign` when this one ends, however that ends. The kernel means the thread that started it, so only
    the main thread may start one.
    """
    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(PR_SET_PDEATHSIG, sign)


def run(words, text=None, timeout=120, expected=0, **options):
    """What a program prints; fails with what it said where it ends with another status. Without one expected any will do."""
    ended = subprocess.run([str(word) for word in words], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           timeout=timeout, check=False, **options)
    if expected is not None and ended.returncode != expected:
        raise Failed(f"{words[0]} ended with {ended.returncode}: {ended.stderr.strip()[-2000:]}")
    return ended.stdout


def free_port():
    """A port for a server that is yet to start: below those that the kernel gives to connections (ip(7), ip_local_port_range), since one of
    them could take it in the meantime, as could another test that asks for any port.
    """
    while True:
        try:
            with socket.create_server((HOST, random.randrange(10_000, 32_768))) as listener:
                return listener.getsockname()[1]
        except OSError:
            continue


def listens(port):
    """Whether somebody takes connections at a port of this machine."""
    try:
        socket.create_connection((HOST, port), 1).close()
    except OSError:
        return False
    return True


def until(condition, what, seconds=10):
    """The first true value of the condition."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failed(f"{what}: not within {seconds} s")
        time.sleep(0.02)


class Process:
    """A program that runs until it is told to end. Its messages are in a file."""

    def __init__(self, words, log, user=None, grace=20, **options):
        assert threading.current_thread() is threading.main_thread(), follow.__doc__
        self.log, self.grace = pathlib.Path(log), grace
        words = [str(word) for word in words]
        if user and os.geteuid() == 0:
            words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--pdeathsig=TERM", *words]
        with open(self.log, "ab") as messages:
            self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=messages, preexec_fn=follow(),
                                             **{"stdout": messages, **options})

    pid = property(lambda self: self._process.pid)
    output = property(lambda self: self._process.stdout)
    is_running = property(lambda self: self._process.poll() is None)
    code = property(lambda self: self._process.returncode)

    def send(self, sign):
        if self.is_running:
            self._process.send_signal(sign)

    def wait(self, timeout=None):
        return self._process.wait(timeout)

    def kill(self):
        """It and all that it started and that has not left it, at once."""
        ids = [self.pid, *descendants(self.pid)] if self.is_running else []
        for number in ids:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self._process.wait()
        self._close()

    def _close(self):
        if self._process.stdout:
            self._process.stdout.close()

    def end(self, sign=signal.SIGTERM):
        """Asks, and kills what does not end in time; returns the status."""
        self.send(sign)
        try:
            return self._process.wait(self.grace)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failed(f"{self.log.name}: did not end within {self.grace} s of {sign.name}") from None
        finally:
            self._close()

    def last_words(self):
        return self.log.read_text(errors="replace")[-2000:]


class Receiver:
    """anicca-receiver with a store in a file, or in memory. Use it with `with`, or end it."""

    def __init__(self, store, *words):
        self._process = subprocess.Popen(
            [PROGRAMS / "anicca-receiver", "--port", "0", "--store", store, *words], stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self._process.stdout.readline())["port"]

    address = property(lambda self: f"http://{HOST}:{self.port}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def bodies(self, path):
        """What came to an endpoint, in its order."""
        with urllib.request.urlopen(f"{self.address}/_records", timeout=10) as answer:
            found = [row["body"] for row in json.load(answer) if row["path"] == path]
        return [json.loads(body) if isinstance(body, str) else body for body in found]

    def end(self):
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()


def descendants(pid):
    """The ids of all processes below this one."""
    children = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found, waiting = [], [pid]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found.append(child)
            waiting.append(child)
    return found


def processor_seconds(pid):
    """Of a process, of all below it, and of its children that have ended."""
    ticks = 0
    for number in [pid, *descendants(pid)]:
        try:
            fields = pathlib.Path(f"/proc/{number}/stat").read_text(errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        ticks += sum(int(value) for value in fields[11:15 if number == pid else 13])
    return ticks / CLOCK_TICKS
