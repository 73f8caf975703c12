"""Programs that run for long: memory, descriptors and the store stay as they were. SOAK_MINUTES in real time, and 90 days in virtual time."""

import os
import signal
import subprocess
import time
import unittest

from behaviours import page, status
from device import DAY, DAYS, MIDNIGHT, NIGHT, PROGRAMS, Device, high_water, run
from server import Server, honest
from test_sessions import behaviour
from trials import IS_WHOLE, FaultTest

MINUTES = float(os.environ.get("SOAK_MINUTES", "1"))
# What is known only after a while: buffers, caches of the allocator and of the database.
WARM_UP = 0.25
MOST_GROWTH = 100  # kB
LIFE_DAYS = 90
# Of days beyond those that are kept nothing is added.
STORE_GROWTH = 1.25


def private_dirty(pid):
    """kB"""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as lines:
        return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty"))


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def store_size(device):
    return sum(path.stat().st_size for path in device.directory.glob("ledger.sqlite*"))


class Watched:
    """Figures of a process over time, of which those after the warm-up must be flat."""

    def __init__(self, pid):
        self.pid = pid
        self.memory, self.files = [], []

    def look(self):
        self.memory.append(private_dirty(self.pid))
        self.files.append(descriptors(self.pid))

    def check(self, trials, name):
        """The middle of the last quarter is no more than that of the one after the warm-up."""
        start = int(len(self.memory) * WARM_UP)
        quarter = max(1, (len(self.memory) - start) // 3)
        for what, figures, most in (("kB of memory", self.memory, MOST_GROWTH), ("descriptors", self.files, 0)):
            with trials.one(f"{name}: {what}"):
                early, late = sorted(figures[start:start + quarter]), sorted(figures[-quarter:])
                growth = late[len(late) // 2] - early[len(early) // 2]
                assert growth <= most, f"{growth} {what} more: {figures[start]}, {figures[len(figures) // 2]}, {figures[-1]}"


class SoakTest(FaultTest):
    suite = "soak"

    def test_in_real_time(self):
        """A daemon on the machine's clock, with reloads, toggles, and an uploader whose server is flaky."""
        end = time.monotonic() + MINUTES * 60
        settings = "[duty-cycle]\nattentive-interval = 10s\nrelaxed-interval = 10s"
        with self.trials("flat", "a daemon in real time, with reloads, toggles and flaky deliveries") as trials:
            with Server() as server, Device(server.address, settings, delivery="deadline = 2s") as device:
                # The simulated life begins now, on the machine's clock.
                for name in ("ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"):
                    (device.directory / name).unlink(missing_ok=True)
                with open(device.log_path, "ab") as log:
                    daemon = subprocess.Popen([PROGRAMS / "anicca-lab", "daemon", "typical", "--config", device.config],
                                              stdout=log, stderr=log)
                try:
                    self.soak(trials, end, device, server, daemon)
                finally:
                    daemon.kill()
                    daemon.wait()

    def soak(self, trials, end, device, server, daemon):
        time.sleep(0.5)
        for domain in ("motion", "steps"):
            self.toggle(device, domain, "on")
        watched = Watched(daemon.pid)
        is_on = True
        while time.monotonic() < end:
            server.misbehave(*[behaviour(self.random) for _ in range(4)])
            run([PROGRAMS / "anicca-upload", "--config", device.config], kill_after=self.random.choice((None, 0.05)), patience=10)
            daemon.send_signal(signal.SIGHUP)
            if self.random.random() < 0.3:
                is_on = not is_on
                self.toggle(device, "steps", "on" if is_on else "off")
            time.sleep(0.3)
            assert daemon.poll() is None, f"the daemon ended with {daemon.returncode}: {device.log}"
            watched.look()
            trials.note("rounds")
        watched.check(trials, "daemon")
        with trials.one("store"):
            assert store_size(device) < 8_000_000, f"the store has {store_size(device)} bytes"

    def toggle(self, device, domain, position):
        ended = run([PROGRAMS / "anicca-lab", "toggle", domain, position, "--config", device.config])
        ended.check()
        assert ended.code == 0, ended

    def test_ninety_days(self):
        """Each day ends with deliveries to a server that is sometimes wrong; the receiver has each day once."""
        days = LIFE_DAYS if IS_WHOLE or MINUTES >= 10 else 21
        with self.trials("flat", "a daemon over many virtual days, with flaky deliveries") as trials:
            with Server() as server, Device(server.address, delivery="deadline = 1s\nkeep-undelivered = 7d") as device:
                trials.note("virtual days", days)
                device.start()
                watched, sizes, peaks = Watched(device.daemon.pid), [], []
                for day in range(DAYS + 1, DAYS + days + 1):
                    device.live_until(MIDNIGHT + day * DAY + NIGHT)
                    server.misbehave(*[self.random.choice((honest, status(503), page("text/html", b"<html>"))) for _ in range(3)])
                    for _ in range(3):
                        peaks.append(device.upload().peak)
                    watched.look()
                    sizes.append(store_size(device))
                watched.check(trials, "daemon")
                with trials.one("store"):
                    # A store grows by its history until that is old enough to go.
                    assert sizes[-1] < 16_000_000, f"the store has {sizes[-1]} bytes after {days} days: {sizes[::10]}"
                with trials.one("uploader"):
                    half = len(peaks) // 2
                    assert max(peaks[half:]) < max(peaks[:half]) * STORE_GROWTH, f"the uploader's peak went from {peaks[0]} to {peaks[-1]} KiB"
                with trials.one("records"):
                    assert not server.table.wrongs, server.table.wrongs[0]
                trials.note("kB of memory of the daemon", watched.memory[-1])
                trials.note("bytes of the store", sizes[-1])
                trials.note("KiB at the daemon's most", high_water(device.daemon.pid))


if __name__ == "__main__":
    unittest.main()
