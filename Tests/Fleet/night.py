"""A night of devices with the uploader's own sink, schedule and backoff, played by `anicca-lab fleet` in time that passes faster; and what became
of it. DEVICES=10000 tries a whole fleet, SPEED another length of the night.
"""

import json
import os
import pathlib
import random
import tempfile
import time
import uuid

from harness import PROGRAMS
from harness.processes import Process

DAY_PATH = "/mobile/daily_metrics"
DEVICES = int(os.environ.get("DEVICES", "300"))
SPEED = int(os.environ.get("SPEED", max(2, 120 // max(1, DEVICES // 3000))))
# Seconds of the devices' time: when half have come, and for how long something is away.
MIDDLE, OUTAGE = 1800, 300
# The most retries of a minute against the busiest of arrivals, those that find nobody included: 3.3 in a fleet of 10000. Devices that come while a
# test waits arrive together after it.
PEAK = 4


def accounts(count, seed=1):
    """(account, device) of so many devices."""
    chance = random.Random(seed)
    return [(str(uuid.UUID(int=chance.getrandbits(128), version=4)), f"band-{number}") for number in range(count)]


def play(disturb, *words, around=list):
    """Plays a night with these words more, of which `around` makes the command. `disturb`, called in its middle, gets the process. Returns what the
    laboratory says of the night, and its record of each device.
    """
    with tempfile.TemporaryDirectory(prefix="anicca-fleet-truth-") as name:
        directory = pathlib.Path(name)
        truth = directory / "truth"
        command = [PROGRAMS / "anicca-lab", "fleet", "--devices", DEVICES, "--speed", SPEED, "--truth", truth, "--lifetime",
                   f"{7200 // SPEED + 120}s", *words]
        with open(directory / "out", "wb") as out:
            sending = Process(around(command), directory / "log", stdout=out)
        try:
            time.sleep(MIDDLE / SPEED)
            disturb(sending)
            assert sending.wait() == 0, sending.last_words()
        finally:
            sending.kill()
        told = json.loads((directory / "out").read_text())
        sent = [json.loads(line) for line in truth.read_text().splitlines()]
    print(f"a night of {DEVICES} devices: {told['delivered']} records, {told['attempts']} attempts, {told['outcomes']}; "
          f"{told['arrivalMean']:.0f} arrive in a minute on the mean and {told['arrivalPeak']} at most, again at most {told['retryPeak']}; longest "
          f"wait {told['longestWaitSeconds']} s", flush=True)
    assert (len(sent), told["delivered"]) == (DEVICES, DEVICES), told
    limit = PEAK * told["arrivalPeak"]
    assert told["retryPeak"] <= limit + 4 * limit**0.5, f"they came back all at once: {told}"
    return told, sent
