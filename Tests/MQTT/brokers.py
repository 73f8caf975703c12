"""Brokers for tests: mosquitto itself, a proxy that cuts connections, and sockets that answer as no broker does."""

import contextlib
import json
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

HOST = "127.0.0.1"


def free_port():
    with socket.create_server((HOST, 0)) as free:
        return free.getsockname()[1]


def wait_for(condition, what, seconds=10):
    """Polls until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.01)


def close(server):
    """Another thread waits in `accept`, and keeps the port until it is woken."""
    with contextlib.suppress(OSError):
        server.shutdown(socket.SHUT_RDWR)
    server.close()


def answers(port):
    with contextlib.suppress(OSError):
        socket.create_connection((HOST, port), 1).close()
        return True
    return False


class Mosquitto:
    """A real broker on this machine that remembers across its own death. Use it with `with`."""

    def __init__(self, *settings, listener=()):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="anicca-mosquitto-"))
        self.port = free_port()
        # In clear, for the subscriber of the test, where the other listener wants TLS.
        self.plain = free_port() if listener else self.port
        lines = ["per_listener_settings true" if listener else "", *settings, f"listener {self.port} {HOST}"]
        lines += listener or ["allow_anonymous true"]
        lines += [f"listener {self.plain} {HOST}", "allow_anonymous true"] if listener else []
        lines += ["persistence true", f"persistence_location {self.directory}/", "autosave_interval 1", "autosave_on_changes true",
                  "user root", "log_type all", f"log_dest file {self.directory}/log", "queue_qos0_messages false"]
        self.config = self.directory / "mosquitto.conf"
        self.config.write_text("\n".join(lines) + "\n", encoding="ascii")
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *failure):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def start(self):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(["mosquitto", "-c", self.config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: self.process.poll() is not None or answers(self.plain), "mosquitto listens")
        assert self.process.poll() is None, self.log

    def kill(self):
        self.stop(signal.SIGKILL)

    def stop(self, how=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(10)
        self.process = None

    @property
    def log(self):
        path = self.directory / "log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    @property
    def subscriptions(self):
        return self.log.count("Sending SUBACK to subscriber")

    @property
    def address(self):
        return f"mqtt://{HOST}:{self.port}"

    def publish(self, topic, payload, *words):
        subprocess.run(["mosquitto_pub", "-h", HOST, "-p", str(self.plain), "-q", "1", "-t", topic, "-m", payload, *words], check=True)

    def retained(self, topic="#"):
        """The payloads that a subscriber gets who comes now, by topic."""
        ended = subprocess.run(
            ["mosquitto_sub", "-h", HOST, "-p", str(self.plain), "-V", "5", "-t", topic, "--retained-only", "-W", "2", "-F", "%j"],
            stdout=subprocess.PIPE, text=True, check=False)
        messages = [json.loads(line) for line in ended.stdout.splitlines()]
        return {message["topic"]: message.get("payload", "") for message in messages}


class Subscriber:
    """`mosquitto_sub` with a session that outlasts its connections; collects messages. Use it with `with`."""

    def __init__(self, broker, topic="anicca/#"):
        self.command = ["mosquitto_sub", "-h", HOST, "-p", str(broker.plain), "-V", "5", "-i", "subscriber", "-c", "-x", "3600", "-q", "1",
                        "-t", topic, "-F", "%j"]
        self.broker = broker
        self.messages = []

    def __enter__(self):
        known = self.broker.subscriptions
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        wait_for(lambda: self.broker.subscriptions > known, "the broker knows the subscriber")
        return self

    def __exit__(self, *failure):
        self.process.terminate()
        self.process.wait(10)
        self.thread.join(5)
        self.process.stdout.close()

    def _read(self):
        for line in self.process.stdout:
            with contextlib.suppress(ValueError):
                self.messages.append(json.loads(line))

    def records(self, topic):
        """The JSON payloads that came for a topic, in order; without what only cleared it, and what was retained for a new subscription."""
        return [json.loads(message["payload"]) for message in list(self.messages)
                if message["topic"].endswith(f"/{topic}") and message.get("payload") and not message["retain"]]


class Proxy:
    """Between the uploader and a broker; `cut` decides when a connection ends. Use it with `with`.

    `cut(direction, packet)` gets each whole MQTT packet before it is passed on, direction "up" or "down", and returns "before" or "after"
    to cut there, or None.
    """

    def __init__(self, broker, cut=lambda direction, packet: None, port=0):
        self.broker = broker
        self.cut = cut
        self.server = socket.create_server((HOST, port))
        self.port = self.server.getsockname()[1]
        self.connections = 0
        self.thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *failure):
        close(self.server)

    @property
    def address(self):
        return f"mqtt://{HOST}:{self.port}"

    def _serve(self):
        while True:
            try:
                link, _ = self.server.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._pass, args=(link,), daemon=True).start()

    def _pass(self, link):
        with contextlib.suppress(OSError), link, socket.create_connection((HOST, self.broker.port), 5) as other:
            waiting = {link: b"", other: b""}
            while True:
                for source in select.select([link, other], [], [], 30)[0]:
                    data = source.recv(65536)
                    if not data:
                        return
                    waiting[source] += data
                    target, direction = (other, "up") if source is link else (link, "down")
                    for packet in iter(lambda: self._packet(waiting, source), b""):  # pylint: disable=cell-var-from-loop
                        how = self.cut(direction, packet)
                        if how != "before":
                            target.sendall(packet)
                        if how:
                            time.sleep(0.01)
                            return

    @staticmethod
    def _packet(waiting, source):
        """Takes one whole packet (MQTT 5.0 §2.1) from what arrived."""
        data = waiting[source]
        length, shift, index = 0, 0, 1
        while index < len(data):
            length |= (data[index] & 0x7F) << shift
            shift += 7
            index += 1
            if not data[index - 1] & 0x80:
                break
        else:
            return b""
        if len(data) < index + length:
            return b""
        waiting[source] = data[index + length:]
        return data[:index + length]


CONNACK = bytes([0x20, 0x03, 0x00, 0x00, 0x00])


class Stranger:
    """Listens and answers each connection by a function of the test's. Use it with `with`."""

    def __init__(self, answer):
        self.answer = answer
        self.server = socket.create_server((HOST, 0))
        self.port = self.server.getsockname()[1]
        self.connections = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        close(self.server)

    @property
    def address(self):
        return f"mqtt://{HOST}:{self.port}"

    def _serve(self):
        while True:
            try:
                link, _ = self.server.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._talk, args=(link,), daemon=True).start()

    def _talk(self, link):
        with contextlib.suppress(OSError), link:
            link.settimeout(30)
            self.answer(link)


def message_id(publish):
    """Of a PUBLISH with QoS 1 (MQTT 5.0 §3.3.2)."""
    index = 1
    while publish[index] & 0x80:
        index += 1
    index += 1
    length = int.from_bytes(publish[index:index + 2], "big")
    return publish[index + 2 + length:index + 4 + length]


def puback(message, code=0):
    return bytes([0x40, 0x03]) + message + bytes([code])
