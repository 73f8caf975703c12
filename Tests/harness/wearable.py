"""A device whose uploader delivers to a broker."""

import json
import shutil

from harness.device import Device
from harness.world import HOUR, SECOND

NAME = "wrist"
ROOT = f"anicca/{NAME}"


class Wearable(Device):
    """Use it with `with`. Holds the days of the template: three records and their events wait."""

    def __init__(self, broker, keys="", settings="", delivery="", server=None):
        super().__init__(server, self._sections(broker, keys, settings), delivery)

    @staticmethod
    def _sections(broker, keys, settings):
        return f"[mqtt]\nbroker = {broker}\ndevice = {NAME}\n{keys}\n{settings}"

    def point(self, broker, keys="", settings="", server=None):
        """Has another broker or login in the configuration."""
        self.configure(server, self._sections(broker, keys, settings))

    def write(self, name, text):
        """A file that only its owner reads; returns its path."""
        path = self.directory / name
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
        return path

    def queue(self):
        return self.ask("queue")

    def later(self, hours=2):
        self.advance(hours * HOUR / SECOND)

    def deliver(self, runs=8):
        """Runs until nothing waits."""
        ended = self.settle(runs)
        assert ended.code == 0 and ended.summary.get("waiting") == 0, f"something still waits: {self.queue()}\n{ended}"
        return ended

    @property
    def nudge(self):
        """The last nudge that `anicca status` shows, or None."""
        return (self.ask("status").get("alarm") or {}).get("lastNudge")

    @property
    def nudges(self):
        """All of them, as they are exported."""
        target = self.directory / "exported"
        shutil.rmtree(target, ignore_errors=True)
        self.run("anicca", "export", target, codes=(0,))
        return json.loads((target / "nudges.json").read_text())
