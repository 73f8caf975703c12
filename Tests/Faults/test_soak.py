"""Programs that run for long: memory, descriptors and the store stay as they were.

SOAK_MINUTES in real time, and 90 days in virtual time.
"""

import os
import signal
import subprocess
import time
import unittest

from harness import PROGRAMS
from harness.behaviours import page, status
from harness.device import DAYS, Device, high_water, run
from harness.scenario import MIDNIGHT, NIGHT
from harness.server import Server, honest
from harness.world import DAY
from test_sessions import behaviour
from trials import FaultTest

MINUTES = float(os.environ.get("SOAK_MINUTES", "1"))
# Until buffers, and caches of the allocator and of the database, have their size.
WARM_UP = 0.4
MOST_GROWTH = 100  # kB
# A shorter soak is all warm-up: its memory is noted and not judged.
JUDGED_MINUTES = 5
LIFE_DAYS = 90
# Of the uploader, from the first half of the days to the second.
PEAK_GROWTH = 1.25
MOST_STORE = 16_000_000  # bytes, with 90 days of history


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

    def check(self, trials, most_memory=MOST_GROWTH):
        """The middle of the last third is no more than that of the one after the warm-up."""
        start = int(len(self.memory) * WARM_UP)
        third = max(1, (len(self.memory) - start) // 3)
        # One more descriptor is open while steps are on.
        for what, figures, most in (("kB of memory", self.memory, most_memory), ("descriptors", self.files, 1)):
            early, late = sorted(figures[start:start + third]), sorted(figures[-third:])
            growth = late[len(late) // 2] - early[len(early) // 2]
            if most is None:
                trials.note(f"{what} more, after too short a time to judge", growth)
                continue
            with trials.one(what):
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
                device.begin_anew()
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
        watched.check(trials, MOST_GROWTH if MINUTES >= JUDGED_MINUTES else None)
        with trials.one("store"):
            assert store_size(device) < MOST_STORE, f"the store has {store_size(device)} bytes"

    def toggle(self, device, domain, position):
        # 75: the daemon writes; try again.
        for _ in range(5):
            ended = run([PROGRAMS / "anicca-lab", "toggle", domain, position, "--config", device.config])
            ended.check()
            if ended.code != 75:
                break
        assert ended.code == 0, ended

    def test_ninety_days(self):
        """Each day ends with deliveries to a server that is sometimes wrong; the receiver has each day once."""
        days = LIFE_DAYS
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
                watched.check(trials)
                with trials.one("store"):
                    # A store grows by its history until that is old enough to go.
                    assert sizes[-1] < MOST_STORE, f"the store has {sizes[-1]} bytes after {days} days: {sizes[::10]}"
                with trials.one("uploader"):
                    half = len(peaks) // 2
                    is_flat = max(peaks[half:]) < max(peaks[:half]) * PEAK_GROWTH
                    assert is_flat, f"the uploader's peak went from {peaks[0]} to {peaks[-1]} KiB"
                with trials.one("records"):
                    assert not server.table.wrongs, server.table.wrongs[0]
                trials.note("kB of memory of the daemon", watched.memory[-1])
                trials.note("bytes of the store", sizes[-1])
                trials.note("KiB at the daemon's most", high_water(device.daemon.pid))


if __name__ == "__main__":
    unittest.main()
