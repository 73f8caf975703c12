"""Secrets and payloads that are looked for where they must not be: in what is said, in files, and in memory after their use."""

import base64
import os
import pathlib
import signal
import time
import unittest

from harness import PROGRAMS
from harness.behaviours import page, status
from harness.device import TOKEN, Device, run
from harness.server import Server, honest
from harness.world import HOUR, SECOND
from test_server import truth
from trials import FaultTest

# While a run is under way the token is in use: in its own place and in those of libcurl.
MOST_TOKENS_IN_USE = 4


class Memory:
    """All that a stopped process has in memory, as root reads it."""

    def __init__(self, pid):
        self.pieces = []
        with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            for line in maps:
                bounds, rights = line.split()[:2]
                if "w" not in rights:
                    continue
                start, end = (int(bound, 16) for bound in bounds.split("-"))
                try:
                    memory.seek(start)
                    self.pieces.append(memory.read(end - start))
                except OSError:
                    continue

    def count(self, needle):
        return sum(piece.count(needle) for piece in self.pieces)


def state(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        return stat.read().rpartition(")")[2].split()[0]


class Stopper:
    """A watch of `device.run` that looks at the memory once, when `is_time` says so, and lets the process go on."""

    def __init__(self, is_time=None):
        self.is_time = is_time
        self.memory = None

    def __call__(self, pid):
        if self.memory:
            return
        try:
            if self.is_time:
                if not self.is_time():
                    return
                os.kill(pid, signal.SIGSTOP)
                while state(pid) not in "TZ":
                    time.sleep(0.001)
            elif state(pid) != "T":
                return
            self.memory = Memory(pid)
            os.kill(pid, signal.SIGCONT)
        except (ProcessLookupError, FileNotFoundError):
            pass


def payloads():
    """Parts of the bodies that say something about the wearer."""
    bodies = [body for _, body in truth().values()]
    figures = [part for body in bodies for part in body.strip(b"{}").split(b",") if part.startswith((b'"steps"', b'"sedentaryMinutes"'))]
    assert figures, bodies
    return bodies, figures


def forms(secret):
    """As it is, and as programs write bytes."""
    return [secret, secret.hex().encode(), secret.hex().upper().encode(), base64.b64encode(secret)]


@unittest.skipUnless(os.geteuid() == 0, "the memory of another process is read by root alone")
class MemoryTest(FaultTest):
    suite = "secrets"

    def look(self, behaviour, stopper, **environment):
        with Server() as server, Device(server.address, delivery="deadline = 5s") as device:
            key = (device.directory / "key").read_bytes()
            server.misbehave(*[honest] * (len(truth()) - 1), behaviour)
            if stopper.is_time:
                stopper.is_time = lambda: server.table.requests >= len(truth())
            device.upload(watch=stopper, **environment)
            assert stopper.memory, "the process was not stopped"
            return stopper.memory, key, list(server.table.rows.values())

    def test_at_the_last_request(self):
        """What was delivered before is gone; the secrets are where they are used, and nowhere else."""
        with self.trials("wiped", "the memory of an uploader whose last answer is late") as trials:
            def late(connection):
                request = connection.request()
                connection.wait(0.5)
                connection.answer(connection.table.take(request))
            memory, key, delivered = self.look(late, Stopper(lambda: False))
            for _, body in delivered[:-1]:
                with trials.one(body.decode()[:60]):
                    assert memory.count(body) == 0, f"{memory.count(body)} copies of a body that was delivered"
            tokens, keys = memory.count(TOKEN.encode()), sum(memory.count(form) for form in forms(key))
            trials.note("copies of the token in use", tokens)
            trials.note("copies of the key in use", keys)
            with trials.one("token"):
                assert tokens <= MOST_TOKENS_IN_USE, f"{tokens} copies of the token"
            with trials.one("key"):
                assert keys <= 1, f"{keys} copies of the key"

    def test_at_the_end(self):
        with self.trials("wiped", "the memory of an uploader that has ended") as trials:
            memory, key, delivered = self.look(honest, Stopper(), FAULT_STOP_AT_END="1")
            for _, body in delivered:
                with trials.one(body.decode()[:60]):
                    assert memory.count(body) == 0, f"{memory.count(body)} copies of a body that was delivered"
            for figure in payloads()[1]:
                with trials.one(figure.decode()):
                    assert memory.count(figure) == 0, f"{memory.count(figure)} copies of {figure.decode()}"
            with trials.one("token"):
                assert memory.count(TOKEN.encode()) == 0, f"{memory.count(TOKEN.encode())} copies of the token"
            with trials.one("key"):
                assert sum(memory.count(form) for form in forms(key)) == 0, "copies of the key"


def echo(code):
    """Answers with all that came, in the status line, the headers and the body."""
    def behave(connection):
        request = connection.request()
        secret = request.headers.get("authorization", "")
        text = request.body.decode()
        connection.send(f"HTTP/1.1 {code} {secret} {text}\r\nX-Echo: {secret} {text}\r\nContent-Type: text/plain\r\n"
                        f"Content-Length: {len(secret) + len(text)}\r\n\r\n{secret}{text}".encode())
    return behave


class SaidTest(FaultTest):
    suite = "secrets"

    def test_nothing_that_is_said_or_stored_has_a_secret(self):
        kinds = [(f"{code}", echo(code)) for code in (200, 301, 400, 401, 403, 404, 429, 500, 503)]
        kinds += [("page", page("text/html", b"<html>")), ("500", status(500)), ("honest", honest)]
        with self.trials("wiped", "messages, status and files after servers that echo everything") as trials:
            for name, behave in kinds:
                with trials.one(name), Server() as server, Device(server.address) as device:
                    server.misbehave(otherwise=behave)
                    said = ""
                    for _ in range(2):
                        said += self.verbose(device)
                        device.advance(2 * HOUR / SECOND)
                    for words in (("status", "--json"), ("status",), ("doctor",), ("audit",)):
                        ended = run([PROGRAMS / "anicca", *words, "--config", device.config], device.environment())
                        said += ended.out + ended.err
                    self.check(said.encode(), device)

    def verbose(self, device):
        ended = run([PROGRAMS / "anicca-upload", "--verbose", "--json", "--config", device.config], device.environment())
        ended.check()
        return ended.out + ended.err

    def check(self, said, device):
        key = (device.directory / "key").read_bytes()
        bodies, _ = payloads()
        for secret in (TOKEN.encode(), *forms(key), *bodies):
            assert secret not in said, f"said: {secret[:40]}"
        for file in device.place.rglob("*"):
            if file.name.startswith("ledger.sqlite") or file.name in ("key", "aniccad.state"):
                assert file.stat().st_mode & 0o077 == 0, f"others may read {file.name}: {file.stat().st_mode:o}"
            if file.is_file() and file.name not in ("token", "key"):
                content = file.read_bytes()
                for secret in (TOKEN.encode(), *forms(key), *bodies):
                    assert secret not in content, f"{file.name} has {secret[:40]}"

    def test_no_core_is_written(self):
        """The units forbid it; a crash of a program under test leaves none either."""
        with self.trials("wiped", "core dumps") as trials:
            units = pathlib.Path(__file__).resolve().parents[2] / "systemd/agent"
            for unit in ("aniccad.service", "anicca-upload.service"):
                with trials.one(unit):
                    assert "LimitCORE=0" in (units / unit).read_text(), "no LimitCORE=0"
            with trials.one("crash"), Server() as server, Device(server.address) as device:
                server.misbehave(otherwise=lambda connection: connection.wait(5))
                ended = run([PROGRAMS / "anicca-upload", "--config", device.config], device.environment(),
                            watch=lambda pid: server.connections and os.kill(pid, signal.SIGSEGV))
                assert ended.code == -signal.SIGSEGV, ended
                found = [path for path in (*device.place.rglob("core*"), *pathlib.Path.cwd().glob("core*"))]
                assert not found, found


if __name__ == "__main__":
    unittest.main()
