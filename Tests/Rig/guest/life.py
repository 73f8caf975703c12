"""A device's life from a start to a power cut, in a guest without systemd: both programs, a server, and a wearer who
walks. Everything runs until the power fails, which may be at any instant.

    life.py prepare             makes the configuration and the stores, and turns the toggles on
    life.py live N PULL-FILE    lives boot N: notes what it found, then walks
    life.py end N               delivers what waits, and notes what there is in the end

Its notes go line by line, as JSON, to /host/boot-N, which survives the cut. A step is noted before it is taken, and the
content of the store only after the store was read.

There are two stores. That of the wearer is filled by the daemon from pulses on a GPIO line. That of the double is
filled by `anicca-lab daemon`, which lives a day in a second and makes events as well. Both are delivered to the same
server, whose database is on the same disk.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

AS_ANICCA = ["setpriv", "--reuid=anicca", "--regid=anicca", "--init-groups"]
RECEIVER, RECEIVED = "/host/anicca-receiver", "/root/received.sqlite"
WEARER, DOUBLE = "/etc/anicca/anicca.conf", "/etc/anicca/double.conf"
STORES = {WEARER: "/var/lib/anicca", DOUBLE: "/var/lib/anicca-double"}
BELLS = {WEARER: "/run/anicca", DOUBLE: "/run/anicca-double"}
#: The double lives in other years than the wearer, because the server knows only one of them.
FIRST_DAY_OF_DOUBLE = datetime(2025, 1, 1)
#: A brisk walk: 230 steps a minute.
PACE = 0.26

SETTINGS = """
[account]
user-id = 6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f
token-file = /etc/anicca/token
[server]
base-url = http://127.0.0.1:8787
[delivery]
due-after-midnight = 0s
jitter = 0s
first-retry = 1s
longest-retry = 1s
attempts-per-day = 1000
keep-undelivered = 90d
[steps]
line = 5
[time]
trust = hardware-clock
[store]
commit-interval = 1s
history-days = 400
"""


def run(*words: str, config: str = WEARER) -> subprocess.CompletedProcess[str]:
    """One of the installed programs, to its end."""
    return subprocess.run([*AS_ANICCA, *words, "--config", config], capture_output=True, text=True)


class Notes:
    """A file that the host reads after the cut."""

    def __init__(self, boot: str):
        self._path = f"/host/boot-{boot}"

    def add(self, kind: str, **content: Any) -> None:
        # The guest's kernel hands the line to the host when the file is closed.
        with open(self._path, "a") as file:
            file.write(json.dumps({"kind": kind, **content}) + "\n")


# State

def outbox(config: str) -> list[str]:
    """The idempotency keys of all that was ever queued and is remembered."""
    with sqlite3.connect(f"file:{STORES[config]}/ledger.sqlite?mode=ro", uri=True) as store:
        return [key for key, in store.execute("SELECT lower(hex(key)) FROM outbox")]


def received() -> list[dict[str, str]]:
    with sqlite3.connect(RECEIVED) as store:
        rows = store.execute("SELECT key, path, body FROM records ORDER BY id").fetchall()
    return [{"key": key.replace("-", "").lower(), "path": path, "body": body} for key, path, body in rows]


def days(config: str) -> list[dict[str, Any]]:
    return json.loads(run("anicca", "days", "--json", "--limit", "400", config=config).stdout)


def status(config: str = WEARER) -> dict[str, Any]:
    return json.loads(run("anicca", "status", "--json", config=config).stdout)


def waiting(config: str) -> int:
    delivery = status(config)["delivery"]
    return delivery["queuedDays"] + delivery["queuedEvents"]


def note_findings(notes: Notes) -> None:
    """Notes the content of both stores, before anything but the reading commands has opened them."""
    for config in STORES:
        audit, shown = (run("anicca", *words, config=config) for words in (["audit", "--verify"], ["status", "--json"]))
        notes.add("found", config=config, audit=[audit.returncode, audit.stdout + audit.stderr],
                  status=[shown.returncode, shown.stdout + shown.stderr], outbox=outbox(config))


# Activity, each function for ever

def watch(notes: Notes) -> None:
    """Notes today's content of the store, again and again."""
    while True:
        shown = run("anicca", "status", "--json")
        if shown.returncode != 0:
            # The store was busy for too long.
            continue
        today = json.loads(shown.stdout)["today"]
        notes.add("stored", date=today["date"], pulses=today.get("rawPulses", 0), steps=today.get("steps", 0))


def deliver() -> None:
    while True:
        run("anicca-upload")
        time.sleep(0.1)


def live_doubly(boot: int) -> None:
    """Lives the double's day of this boot, and delivers the waiting records at noon of the next day."""
    day = FIRST_DAY_OF_DOUBLE + timedelta(days=boot)
    run("anicca-lab", "daemon", str(boot + 1), "--days", "1", "--from", f"{day:%F}", config=DOUBLE)
    noon = day + timedelta(days=1.5)
    while waiting(DOUBLE) > 0:
        run("anicca-upload", "--at", f"{noon:%FT%TZ}", config=DOUBLE)
        # A failed delivery is due again a second later.
        noon += timedelta(seconds=2)


def walk(notes: Notes, pull: str) -> None:
    while True:
        notes.add("step", date=f"{datetime.now(timezone.utc):%F}")
        Path(pull).write_text("pull-up")
        time.sleep(PACE / 2)
        Path(pull).write_text("pull-down")
        time.sleep(PACE / 2)


# The commands

def make_directories() -> None:
    subprocess.run(["install", "-d", "-o", "anicca", "-g", "anicca", *BELLS.values()], check=True)
    subprocess.run(["install", "-d", "-m", "700", "-o", "anicca", "-g", "anicca", *STORES.values()], check=True)


def start_receiver() -> subprocess.Popen:
    receiver = subprocess.Popen([RECEIVER, "--port", "8787", "--store", RECEIVED], stdout=subprocess.PIPE, text=True)
    receiver.stdout.readline()
    return receiver


def start_daemon() -> subprocess.Popen:
    daemon = subprocess.Popen([*AS_ANICCA, "aniccad"], stderr=subprocess.PIPE, text=True)
    for line in daemon.stderr:
        if "(started)" in line:
            threading.Thread(target=daemon.stderr.read, daemon=True).start()
            return daemon
    raise SystemExit("aniccad did not start")


def prepare() -> None:
    subprocess.run(["install", "-o", "anicca", "-m", "600", "/dev/null", "/etc/anicca/token"], check=True)
    Path("/etc/anicca/token").write_text("a-token\n")
    Path("/etc/anicca/anicca.conf.d/proof.conf").write_text(SETTINGS)
    Path(DOUBLE).write_text(f"{SETTINGS}directory = {STORES[DOUBLE]}\nkey-file = {STORES[DOUBLE]}/key\n"
                            f"[run]\nbell-directory = {BELLS[DOUBLE]}\n")
    make_directories()
    start_daemon().terminate()
    run("anicca-lab", "daemon", "1", "--days", "1", "--from", f"{FIRST_DAY_OF_DOUBLE - timedelta(days=1):%F}",
        config=DOUBLE)
    for domain, config in [("steps", WEARER), ("motion", DOUBLE), ("steps", DOUBLE)]:
        subprocess.run([*AS_ANICCA, "anicca-lab", "toggle", domain, "on", "--config", config],
                       check=True)
    os.sync()


def live(boot: int, pull: str) -> None:
    notes = Notes(str(boot))
    make_directories()
    note_findings(notes)
    start_receiver()
    start_daemon()
    for happening in (lambda: watch(notes), deliver, lambda: live_doubly(boot)):
        threading.Thread(target=happening, daemon=True).start()
    walk(notes, pull)


def end(boot: int) -> None:
    notes = Notes(str(boot))
    make_directories()
    note_findings(notes)
    start_receiver()
    daemon = start_daemon()
    live_doubly(boot)
    today = f"{datetime.now(timezone.utc):%F}"
    while waiting(WEARER) > 0 or any(day["date"] < today and day.get("delivery") == "queued" for day in days(WEARER)):
        run("anicca-upload")
    daemon.terminate()
    daemon.wait()
    with sqlite3.connect(RECEIVED) as store:
        repeated, = store.execute("SELECT count(*) FROM requests WHERE duplicate").fetchone()
    notes.add("end", days=days(WEARER), days_of_double=days(DOUBLE), received=received(), repeated=repeated,
              outbox=[key for config in STORES for key in outbox(config)], today=status()["today"],
              dropped=sum(status(config)["delivery"]["dropped"] for config in STORES))


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command == "prepare":
        prepare()
    elif command == "live":
        live(int(arguments[0]), arguments[1])
    else:
        end(int(arguments[0]))
