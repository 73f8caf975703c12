"""A server for devices on this machine: PostgreSQL, two receivers and nginx, in a temporary directory and on loopback. All of it ends with
the test, by its id, also after a failure.

    with World() as world:
        token = world.enroll([("6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f", "band")])[0][2]
"""

import contextlib
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import sys
import tempfile

from harness import PROGRAMS
from harness.cluster import Cluster, Standby
from harness.front import SERVER, Front
from harness.processes import Failed, Process, run

RECEIVER = pathlib.Path(os.environ.get("ANICCA_RECEIVER", PROGRAMS / "anicca-receiver"))
PUBLIC_URL, PINNED_KEY = "https://study.example", f"sha256//{'A' * 43}="
OWNER, SERVING = "anicca-owner", "anicca-receiver"


class Receiver:
    """One instance, as systemd/server starts it."""

    def __init__(self, world, number):
        self.number = number
        self._world = world
        self.socket = world.run / str(number) / "socket"
        self.socket.parent.mkdir(parents=True)
        self._process = None
        self.start()

    pid = property(lambda self: self._process.pid)

    def start(self):
        """Waits until it listens."""
        self.socket.unlink(missing_ok=True)  # As systemd does with the directory of a unit that ended.
        self._process = Process(
            [RECEIVER, "serve", "--database", self._world.cluster.url(SERVING), "--listen", f"unix:{self.socket}",
             "--connections", self._world.connections, "--public-url", PUBLIC_URL, "--pinned-key", PINNED_KEY,
             "--policy", self._world.policy or ""], self._world.directory / f"receiver-{self.number}.log", stdout=-1)
        if not select.select([self._process.output], [], [], 30)[0]:
            raise Failed(f"receiver {self.number} does not listen: {self._process.last_words()}")
        line = self._process.output.readline()
        if not line or json.loads(line).get("kind") != "listening":
            raise Failed(f"receiver {self.number} does not listen: {line!r} {self._process.last_words()}")

    def kill(self):
        self._process.kill()

    def stop(self):
        """Its status after SIGTERM."""
        return self._process.end(signal.SIGTERM) if self._process.is_running else self._process.code

    def get(self, path):
        """The status and text that it gives past nginx."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(20)
            connection.connect(str(self.socket))
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: receiver\r\nConnection: close\r\n\r\n".encode())
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), body.decode()


class World:
    """All of a server. `data` is where PostgreSQL keeps its files, `gateway` lifts nginx's limits for loopback, `policy` is a file of nudges.
    A world that `follows` another one has a copy of its database alone, until it takes over."""

    def __init__(self, data=None, connections=2, gateway=True, settings="", changes=(), policy=None, follows=None):
        self._follows = follows
        self.connections = connections
        self.policy = policy
        self._options = {"data": data, "settings": settings, "gateway": gateway, "changes": changes}
        self._stack = contextlib.ExitStack()
        self.directory = None
        self.cluster = self.front = None
        self.receivers = []

    run = property(lambda self: self.directory / "run")

    def __enter__(self):
        try:
            self._begin()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _begin(self):
        # Also who is told to end leaves nothing behind.
        before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        self._stack.callback(signal.signal, signal.SIGTERM, before)
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="anicca-fleet-"))
        self._stack.callback(shutil.rmtree, self.directory, ignore_errors=True)
        self.directory.chmod(0o755)  # PostgreSQL runs as a user of its own.
        if self._follows:
            self.cluster = Standby(self.directory, self._follows.cluster)
            self._stack.callback(self.cluster.stop)
            return
        self.cluster = Cluster(self.directory, self._options["data"], self._options["settings"])
        self._stack.callback(self.cluster.stop)
        self.cluster.query((SERVER / "roles.sql").read_text(), "postgres")
        self.owner("migrate")
        self.cluster.query((SERVER / "grants.sql").read_text(), user=OWNER)
        self._serve()

    def _serve(self):
        for number in (1, 2):
            receiver = Receiver(self, number)
            self.receivers.append(receiver)
            self._stack.callback(receiver.kill)
        self.front = Front(self.directory / "nginx", self.run, self._options["gateway"], self._options["changes"],
                           self._follows and self._follows.front)
        self._stack.callback(self.front.stop)

    def lose(self):
        """The machine is gone."""
        for part in (self.cluster, *self.receivers, self.front):
            part.kill()

    def take_over(self):
        """Under the address of the world that it followed, which is lost."""
        self.cluster.promote()
        self._serve()

    def owner(self, command, *words, text=None):
        """What a command of the tables' owner prints."""
        return run([RECEIVER, command, "--database", self.cluster.url(OWNER), *words], text, timeout=600)

    def enroll(self, devices):
        """The lines (account, device, token) for these (account, device)."""
        lines = self.owner("enroll", text="".join(f"{account} {device}\n" for account, device in devices))
        return [tuple(line.split()) for line in lines.splitlines()]

    def stop_receivers(self):
        """Each finishes what is under way and ends with 0."""
        return [receiver.stop() for receiver in self.receivers]
