"""The base of the proofs: a guest in which the package is installed as users have it, and its journal."""

from __future__ import annotations

import json
import os
import re
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Optional, Sequence, TypeVar

from rig import SUITE, Guest, GuestError, Image

#: Where the programs lie that are not in the package: anicca-receiver.
PROGRAMS = Path(os.environ.get("RIG_PROGRAMS") or
                Path(__file__).resolve().parents[2] / ".build" / "x86_64-unknown-linux-gnu" / "release")

#: Runs a command as the agent's user, in its groups.
AS_ANICCA = "setpriv --reuid=anicca --regid=anicca --init-groups"

#: Prints the journal, with all entries sent before.
READ_JOURNAL = "journalctl --sync && journalctl --no-pager --output=json"

Value = TypeVar("Value")


def eventually(condition: Callable[[], Value], what: str, within: float = 30) -> Value:
    """Waits until the condition returns a true value, and returns that. AssertionError after so many seconds."""
    deadline = time.monotonic() + within
    while True:
        if value := condition():
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within:g} s: {what}")
        time.sleep(0.05)


def _place(cursor: str) -> int:
    """The number that the journal gives an entry (systemd.journal-fields(7): i=)."""
    return int(re.search(";i=([0-9a-f]+);", cursor)[1], 16)


class Proof(unittest.TestCase):
    """Claims about the installed package, in one guest with systemd that lives as long as the class.

    The message of a failed assertion ends with the last lines of the guest's journal.

    - i2c, arguments: as of Guest.
    """

    i2c: Sequence[Path] = ()
    arguments: Sequence[str] = ()
    guest: Guest

    @classmethod
    def setUpClass(cls) -> None:
        cls.guest = Guest(Image(SUITE), systemd=True, i2c=cls.i2c, arguments=cls.arguments)
        cls.addClassCleanup(cls.guest.close)
        cls.guest.start()

    # Messages of failed claims

    def _formatMessage(self, msg: Any, standardMsg: str) -> str:
        return f"{super()._formatMessage(msg, standardMsg)}\n{self.last_lines()}"

    @classmethod
    def last_lines(cls) -> str:
        """The end of the guest's journal, or the reason why it cannot be read."""
        try:
            return "--- end of the guest's journal\n" + cls.guest.run("journalctl --no-pager --lines=40").stdout
        except GuestError as error:
            return str(error)

    def eventually(self, condition: Callable[[], Value], what: str, within: float = 30) -> Value:
        """As the function of this name."""
        try:
            return eventually(condition, what, within)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.last_lines()}") from None

    # The guest

    @classmethod
    def journal(cls, *matches: str, after: Optional[str] = None) -> list[dict[str, str]]:
        """The entries of the journal that match all of `FIELD=value`, oldest first; only those after a cursor."""
        lines = cls.guest.output(" ".join([READ_JOURNAL, *matches]))
        entries = [json.loads(line) for line in lines.splitlines() if line.startswith("{")]
        # Not --after-cursor=, which drops the first of the entries that match.
        return [entry for entry in entries if after is None or _place(entry["__CURSOR"]) > _place(after)]

    @classmethod
    def cursor(cls) -> str:
        """The end of the journal, for `journal(after=…)`."""
        return json.loads(cls.guest.output(f"{READ_JOURNAL} --lines=1"))["__CURSOR"]

    @classmethod
    def unit(cls, name: str, property: str) -> str:
        """A property of a unit, as systemctl shows it."""
        return cls.guest.output(f"systemctl show --property={property} --value {name}")

    @classmethod
    def configure(cls, text: str) -> None:
        """Replaces the configuration of the proofs, which is read after the package's own. Reloads nothing. The guest has the
        host's clock, which nothing in it synchronises."""
        text += "\n[time]\ntrust = hardware-clock"
        cls.guest.output(f"cat >/etc/anicca/anicca.conf.d/proof.conf <<'END'\n{text}\nEND")

    @classmethod
    def drop_in(cls, unit: str, section: str, **settings: str) -> None:
        """Replaces the proofs' changes of a unit, until the next boot; without settings, removes them."""
        directory = f"/run/systemd/system/{unit}.d"
        lines = "\n".join([f"[{section}]", *(f"{name}={value}" for name, value in settings.items())])
        cls.guest.output(f"mkdir -p {directory} && cat >{directory}/proof.conf <<'END' && systemctl daemon-reload\n"
                         f"{lines}\nEND")

    @classmethod
    def status(cls) -> dict[str, Any]:
        """The output of `anicca status`."""
        return json.loads(cls.guest.output("anicca status --json"))
