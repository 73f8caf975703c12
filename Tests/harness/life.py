"""A device's directory as it is configured for tests, and a life in it that is lived at once."""

import datetime

from harness import PROGRAMS
from harness.processes import run

USER = "6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f"
DOMAINS = ("motion", "steps", "sleep", "screenTime", "location")


def sign_in(directory, token="token"):
    """The token, which only its owner reads."""
    path = directory / "token"
    path.touch(mode=0o600)
    path.write_text(token + "\n", encoding="ascii")


def configure(directory, address=None, more="", server="", delivery="jitter = 0s", bell=None):
    """Writes the configuration of a device that has all its files in a directory, and returns its path. Without an address it delivers nothing."""
    path = directory / "anicca.conf"
    path.write_text(f"""[account]
user-id = {USER}
token-file = {directory}/token
[server]
{f"base-url = {address}" if address else ""}
{server}
[delivery]
{delivery}
[store]
directory = {directory}
key-file = {directory}/key
[run]
bell-directory = {bell or directory}
{more}
""", encoding="utf-8")
    return path


class Life:
    """Days of a simulated wearer with every domain of DOMAINS on, and home within a fence of this name; in a directory of the caller."""

    def __init__(self, place, wearer, days, address=None, fence="home", server="", body=False):
        directory = place / "anicca"  # It has an anchor beside it.
        directory.mkdir(mode=0o700)
        (directory / "inbox").mkdir()
        sign_in(directory)
        self.config = configure(
            directory, address, f"[companion]\ninbox = {directory}/inbox\n[time]\ntrust = hardware-clock\n"
            f"[fence \"{fence}\"]\nlatitude = 48.2\nlongitude = 16.37\nradius = 150\n", server)
        self._live(wearer, 1, datetime.date(2025, 1, 12))
        for domain in DOMAINS:
            self.do("anicca-lab", "toggle", domain, "on")
        if body:  # Walks and heart, too.
            self.do("anicca-lab", "toggle", "walks", "on")
            self.do("anicca-lab", "toggle", "heart", "on")
            self.do("anicca", "wearer", "set", "--height", "178", "--weight", "74")
        self._live(wearer, days, datetime.date(2025, 1, 13))

    def _live(self, wearer, days, first):
        self.do("anicca-lab", "daemon", wearer, "--days", days, "--with-surroundings", "--from", first)

    def do(self, program, *words, expected=0):
        """What a program prints."""
        return run([PROGRAMS / program, *words, "--config", self.config], timeout=300, expected=expected)
