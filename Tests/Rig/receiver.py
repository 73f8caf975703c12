"""The server, in a guest: anicca-receiver on loopback, its misbehaviours, and the records that it received."""

from __future__ import annotations

import json
import shutil
from typing import Any, Optional

from proofs import PROGRAMS, eventually
from rig import Command, Guest

PORT = 8787


def signed_in() -> str:
    """The part of a configuration that signs in to it. More of [server] may follow. Receiver makes the token."""
    return ("[account]\nuser-id = 6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f\ntoken-file = /etc/anicca/token\n"
            f"[server]\nbase-url = http://127.0.0.1:{PORT}")


class Receiver:
    """Listens from start() to stop(), and keeps the received records on the guest's disk."""

    store = "/root/received.sqlite"

    def __init__(self, guest: Guest):
        self._guest = guest
        self._command: Optional[Command] = None
        shutil.copy(PROGRAMS / "anicca-receiver", guest.shared)
        guest.output("install -o anicca -m 600 /dev/null /etc/anicca/token && echo a-token >/etc/anicca/token")

    def start(self, *misbehaviours: dict[str, Any]) -> None:
        """Listens, and treats the first requests badly if told so: see anicca-receiver --help."""
        wishes = " ".join(f"--misbehave '{json.dumps(wish)}'" for wish in misbehaviours)
        self._command = self._guest.spawn(
            f"exec /host/anicca-receiver --port {PORT} --store {self.store} {wishes}")
        eventually(lambda: self._guest.output(f"ss -ltnH 'sport = :{PORT}'"), "anicca-receiver listens", 20)

    def stop(self) -> None:
        if self._command:
            self._command.stop("KILL")
        self._command = None

    def days(self) -> list[str]:
        """The dates of the daily records that it accepted, oldest first."""
        bodies = self.query("SELECT body FROM records WHERE path = '/mobile/daily_metrics' ORDER BY id")
        return [json.loads(body)["date"] for body, in bodies]

    def query(self, sql: str) -> list[list[Any]]:
        """Rows of its database."""
        return json.loads(self._guest.output(
            "python3 -c 'import json, sqlite3, sys; "
            f"print(json.dumps(sqlite3.connect(\"{self.store}\").execute(sys.argv[1]).fetchall()))' \"{sql}\""))
