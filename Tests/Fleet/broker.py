"""A mosquitto of a test's own that remembers across its death, and a subscriber whose session outlasts its connections."""

import collections
import json
import pathlib
import signal
import socket
import time

from front import free_port
from processes import Failed, Process, until

HOST = "127.0.0.1"
# The store is written after each round of messages, as docs/mqtt.md says; the queue of a subscriber is as long as it has to be.
SETTINGS = """
listener {port} {host}
allow_anonymous true
user root
persistence true
persistence_location {directory}/
autosave_on_changes true
autosave_interval 1
max_queued_messages 0
log_dest stderr
log_type error
log_type warning
log_type notice
log_type subscribe
connection_messages false
"""


class Broker:
    """Use it with `with`."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.port = free_port()
        self.config = self.directory / "mosquitto.conf"
        self.config.write_text(SETTINGS.format(port=self.port, host=HOST, directory=self.directory), encoding="ascii")
        self._process = None

    address = property(lambda self: f"mqtt://{HOST}:{self.port}")

    log = property(lambda self: (self.directory / "mosquitto.log").read_text(encoding="utf-8", errors="replace"))
    subscriptions = property(lambda self: self.log.count("subscriber 1 "))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self._process.is_running:
            self._process.end(signal.SIGTERM)

    def start(self):
        """Waits until it listens."""
        self._process = Process(["mosquitto", "-c", self.config], self.directory / "mosquitto.log")
        until(lambda: self._listens() or not self._process.is_running, 30, "mosquitto listens")
        if not self._process.is_running:
            raise Failed(f"mosquitto ended: {self._process.last_words()}")

    def _listens(self):
        try:
            socket.create_connection((HOST, self.port), 1).close()
        except OSError:
            return False
        return True

    def rest(self):
        """Waits until it has written its store, while nothing comes: a PUBACK is sent before."""
        store, last = self.directory / "mosquitto.db", None
        while (now := (store.stat().st_mtime_ns, store.with_suffix(".db.new").exists())) != last or now[1]:
            last = now
            time.sleep(0.2)

    def kill(self):
        """At once, without a word to anyone (SIGKILL)."""
        self._process.kill()


class Subscriber:
    """Use it with `with`, before anything is published. Messages are kept in a file."""

    def __init__(self, broker, topic):
        self._broker = broker
        self._file = broker.directory / "messages"
        self._words = ["mosquitto_sub", "-h", HOST, "-p", broker.port, "-V", "5", "-i", "subscriber", "-c", "-x", "86400", "-q", "1",
                       "-R", "-t", topic, "-F", "%j"]
        self._log = broker.directory / "subscriber.log"
        self._process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        known = self._broker.subscriptions
        with open(self._file, "ab") as out:
            self._process = Process(self._words, self._log, stdout=out)
        until(lambda: self._broker.subscriptions > known, 20, "the broker knows the subscriber")

    def stop(self):
        if self._process.is_running:
            self._process.end(signal.SIGTERM)

    def records(self):
        """For each key, all that came under it: (device, payload)."""
        found = collections.defaultdict(list)
        for line in self._file.read_text(encoding="utf-8").splitlines():
            message = json.loads(line)
            payload = json.loads(message["payload"])
            found[payload.pop("key")].append((message["topic"].split("/")[1], payload))
        return found
