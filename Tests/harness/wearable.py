"""A device whose uploader delivers to a broker."""

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
