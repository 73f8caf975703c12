"""Brokers for tests: mosquitto itself, a proxy that cuts connections, and sockets that answer as no broker does."""

import collections
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

from harness.processes import HOST, Failed, Process, free_port, listens, until


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
                  "max_queued_messages 0", "user root", "log_type all", f"log_dest file {self.directory}/log", "queue_qos0_messages false"]
        self.config = self.directory / "mosquitto.conf"
        self.config.write_text("\n".join(lines) + "\n", encoding="ascii")
        self._process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *failure):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def start(self):
        self._process = Process(["mosquitto", "-c", self.config], self.directory / "said")
        until(lambda: listens(self.plain) or not self.is_running, "mosquitto listens", 30)
        if not self.is_running:
            raise Failed(f"mosquitto ended: {self.log}")

    def kill(self):
        """At once, without a word to anyone (SIGKILL)."""
        self._process.kill()

    @property
    def is_running(self):
        return self._process is not None and self._process.is_running

    def stop(self):
        if self.is_running:
            self._process.end(signal.SIGTERM)

    def rest(self):
        """Waits until it has written its store, while nothing comes: a PUBACK is sent before."""
        store, last = self.directory / "mosquitto.db", None
        while (now := (store.stat().st_mtime_ns, store.with_suffix(".db.new").exists())) != last or now[1]:
            last = now
            time.sleep(0.2)

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
    """`mosquitto_sub` with a session that outlasts its connections, and the broker; its messages are in a file. Use it with `with`."""

    def __init__(self, broker, topic="anicca/#"):
        self._broker = broker
        self._file = broker.directory / "messages"
        self._words = ["mosquitto_sub", "-h", HOST, "-p", broker.plain, "-V", "5", "-i", "subscriber", "-c", "-x", "86400", "-q", "1",
                       "-t", topic, "-F", "%j"]
        self._process = None

    def __enter__(self):
        known = self._broker.subscriptions
        with open(self._file, "wb") as out:
            self._process = Process(self._words, self._broker.directory / "subscriber.log", stdout=out)
        until(lambda: self._broker.subscriptions > known, "the broker knows the subscriber", 20)
        return self

    def __exit__(self, *_):
        if self._process.is_running:
            self._process.end(signal.SIGTERM)

    @property
    def messages(self):
        """All so far; the last line may be on its way."""
        whole, _, _ = self._file.read_text(encoding="utf-8").rpartition("\n")
        return [json.loads(line) for line in whole.splitlines()]

    def records(self, topic):
        """The JSON payloads that came for a topic, in order; without what only cleared it, and what was retained for a new subscription."""
        return [json.loads(message["payload"]) for message in self.messages
                if message["topic"].endswith(f"/{topic}") and message.get("payload") and not message["retain"]]

    def by_key(self):
        """For each key, all that came under it: (device, payload)."""
        found = collections.defaultdict(list)
        for message in self.messages:
            if not message["retain"]:
                payload = json.loads(message["payload"])
                found[payload.pop("key")].append((message["topic"].split("/")[1], payload))
        return found


class Answerer:
    """Answers each event at a broker: `answer(event)` returns the payloads for the topic of its device. Use it with `with`."""

    def __init__(self, broker, answer):
        self._broker, self._answer = broker, answer
        self._process = self._thread = None
        self.events = []

    def __enter__(self):
        known = self._broker.subscriptions
        self._process = Process(["mosquitto_sub", "-h", HOST, "-p", self._broker.plain, "-V", "5", "-i", "subscriber-that-answers", "-q", "1",
                                 "-t", "anicca/+/event", "-F", "%j"],
                                self._broker.directory / "answerer.log", stdout=subprocess.PIPE)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        until(lambda: self._broker.subscriptions > known, "the broker knows the answerer", 20)
        return self

    def __exit__(self, *_):
        # The thread reads to the end of the output.
        self._process.send(signal.SIGTERM)
        self._thread.join()
        self._process.end(signal.SIGTERM)

    def _serve(self):
        for line in self._process.output:
            message = json.loads(line)
            event = json.loads(message["payload"])
            self.events.append(event)
            for payload in self._answer(event):
                self._broker.publish(message["topic"].replace("/event", "/answer"), payload)


class Listener:
    """Takes connections on a port of this machine, each in a thread of its own. Use it with `with`."""

    def __init__(self, port=0):
        self._server = socket.create_server((HOST, port))
        self.port = self._server.getsockname()[1]
        self.connections = 0

    address = property(lambda self: f"mqtt://{HOST}:{self.port}")

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *failure):
        # Another thread waits in `accept`, and keeps the port until it is woken.
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def _serve(self):
        while True:
            try:
                link, _ = self._server.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._meet, args=(link,), daemon=True).start()


class Proxy(Listener):
    """Between the uploader and a broker; `cut` decides when a connection ends.

    `cut(direction, packet)` gets each whole MQTT packet before it is passed on, direction "up" or "down", and returns "before" or "after"
    to cut there, or None.
    """

    def __init__(self, broker, cut=lambda direction, packet: None, port=0):
        super().__init__(port)
        self.broker, self.cut = broker, cut

    def _meet(self, link):
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


class Stranger(Listener):
    """Answers each connection by a function of the test's."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def _meet(self, link):
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
