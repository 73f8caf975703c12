"""The base of the proofs about sensing: the wearer's commands, and their output."""

from __future__ import annotations

import json
import re
import time
from subprocess import CompletedProcess
from typing import Any, NamedTuple, Optional

from devices import GPIOChip, Hardware, VirtioBus
from proofs import Proof

#: Restarts the daemon. systemd counts all starts, and refuses further ones beyond its limit.
RESTART = "systemctl reset-failed aniccad; systemctl restart aniccad"


class Counts(NamedTuple):
    """The store's counts for the step line, over all days."""

    pulses: int
    steps: int


class SensingProof(Proof):
    """Claims about collection, each with a store of its own: at its beginning every domain is off.

    - settings: the configuration, in which {chip} stands for the node of the GPIO chip, {bus} for that of the I2C bus.
    """

    settings = "[consent]\ngranted = motion health\n[imu]\nbus = {bus}\n[steps]\nchip = {chip}\nline = 5"
    chip: GPIOChip
    #: Where the step sensor is wired.
    step_line = 5
    #: The node of the IMU's bus.
    bus_node = "/dev/i2c-1"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.chip = GPIOChip(cls.guest)

    def setUp(self) -> None:
        self.begin()

    def begin(self, more: str = "") -> None:
        """Starts the daemon with an empty store, and with these lines added to the configuration."""
        self.guest.output("systemctl stop aniccad; rm -rf /var/lib/anicca/*")
        self.configure(self.configuration(more))
        self.mark = self.cursor()
        self.guest.output(RESTART)

    def configuration(self, more: str = "") -> str:
        """The settings for the hardware as it is now, and these lines."""
        return self.settings.format(chip=self.chip.node, bus=self.bus_node) + f"\n{more}"

    def reload(self, more: str = "") -> None:
        """Has the daemon read that."""
        self.configure(self.configuration(more))
        self.guest.output("systemctl reload aniccad")

    # The wearer

    def anicca(self, words: str) -> CompletedProcess[str]:
        return self.guest.run(f"anicca {words}")

    def turn(self, domain: str, on: bool) -> None:
        """Turns a toggle, which has to work."""
        result = self.anicca(f"toggle {domain} {'on' if on else 'off'}")
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)
        if (domain, on) == ("steps", True):
            self.eventually(self.line_is_held, "the daemon has the step line")

    def permission(self, domain: str) -> dict[str, Any]:
        """The stored state of a domain: on, status, since."""
        return self.status()["toggles"][domain]

    def trail(self, what: str) -> list[tuple[str, str, str]]:
        """The changes by `anicca audit`, oldest first: by whom, from which value and to which."""
        entries = json.loads(self.guest.output("anicca audit --json"))
        return [(entry["by"], entry["from"], entry["to"]) for entry in entries if entry["what"] == what]

    def check(self, name: str) -> dict[str, str]:
        """The result of one check of `anicca doctor`."""
        found = json.loads(self.anicca("doctor --json").stdout)
        return next(finding for finding in found if finding["check"] == name)

    # The journal

    def told(self, event: str) -> list[dict[str, str]]:
        """The programs' journal entries about an event since the beginning."""
        return self.journal(f"ANICCA_EVENT={event}", after=self.mark)

    def wait_until_told(self, event: str, within: float = 20, times: int = 1) -> dict[str, str]:
        """The last entry, once there are so many."""
        return self.eventually(lambda: self.told(event)[times - 1:], f"{event} in the journal", within)[-1]

    # Steps

    def pulses(self, count: int, interval: str = "500ms", more: str = "") -> str:
        """The command that makes pulses on the step line, which takes as long as they do."""
        return (f"/rig/rig-hardware pulses {self.chip.pull_file(self.step_line)} "
                f"--count {count} --interval {interval} {more}")

    def walk(self, count: int, interval: str = "500ms", more: str = "") -> int:
        """Makes pulses on the step line. Returns how many there were."""
        return self.sent(self.guest.output(self.pulses(count, interval, more), timeout=120))

    @staticmethod
    def sent(report: str) -> int:
        """The number of pulses in the final output of the command."""
        return int(report.split()[0].removeprefix("pulses="))

    def counts(self) -> Counts:
        """The stored counts. A day that ends between the two commands is missing."""
        shown = self.guest.output("anicca days --json | tr -d '\\n'; echo; anicca status --json")
        days, status = map(json.loads, shown.splitlines())
        return Counts(*(sum(day.get(figure, 0) for day in days + [status["today"]])
                        for figure in ("rawPulses", "steps")))

    def wait_for_pulses(self, pulses: int, within: float = 90) -> Counts:
        """Waits until so many are stored, and not one more."""
        deadline = time.monotonic() + within
        while (found := self.counts()).pulses < pulses and time.monotonic() < deadline:
            time.sleep(0.2)
        self.assertEqual(pulses, found.pulses)
        return found

    def wait_for_counts(self, pulses: int, steps: Optional[int] = None) -> None:
        """The same, and as many steps unless told otherwise."""
        self.assertEqual(pulses if steps is None else steps, self.wait_for_pulses(pulses).steps)

    def line_is_held(self) -> bool:
        """Whether gpioinfo shows the step line in the agent's hands."""
        return re.search(r"\banicca\b", self.guest.output(f"gpioinfo | grep 'line *{self.step_line}:'")) is not None


class VirtualTimeProof(SensingProof):
    """The same in virtual time: while the guest waits, its clock jumps to the next thing to do, so an hour takes a
    second, and nothing is late because this machine is busy.

    From one command of the host to the next minutes pass, and also while something is read from the disk or written to
    it. So actions that must happen at the same time are one command, and the timeouts of systemd are off.
    """

    arguments = ["time-travel=inf-cpu", "systemd.default_timeout_start_sec=infinity", "systemd.service_watchdogs=no",
                 "systemd.crash_reboot=1"]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.add_to_unit("TimeoutSec=infinity", "WatchdogSec=0")
        # While the daemon waits for a disk, a whole walk would go by, and an alarm would be a minute late.
        cls.guest.output(
            "systemctl stop aniccad; for store in /var/lib/anicca /var/lib/anicca-anchor; do "
            "mount -t tmpfs -o mode=700,uid=anicca,gid=anicca none $store || exit 1; done; "
            "cat /usr/bin/anicca* $(ldd /usr/bin/aniccad /usr/bin/anicca | sed -n 's/.*=> \\(\\S*\\) .*/\\1/p') >/dev/null")

    @classmethod
    def add_to_unit(cls, *lines: str) -> None:
        """Adds settings to [Service] of aniccad, for its next start."""
        text = "\\n".join(["[Service]", *lines])
        directory = "/etc/systemd/system/aniccad.service.d"
        cls.guest.output(f"mkdir -p {directory}; printf '{text}\\n' >>{directory}/proof.conf; systemctl daemon-reload")


class VirtioProof(SensingProof):
    """The same with an MPU-6050 on an adapter of i2c-dev, and in real time: windows come as soon as they can, and
    commits do not wait."""

    settings = SensingProof.settings + "\n[duty-cycle]\nattentive-interval = 10s\n[store]\ncommit-interval = 1s"
    hardware: Hardware

    @classmethod
    def setUpClass(cls) -> None:
        cls.hardware = Hardware()
        cls.addClassCleanup(cls.hardware.close)
        cls.i2c = [cls.hardware.socket]
        super().setUpClass()
        cls.bus_node = f"/dev/i2c-{VirtioBus(cls.guest).number}"

    def collect(self) -> None:
        """The wearer turns both domains on, and the chip answers."""
        self.turn("steps", on=True)
        self.turn("motion", on=True)
        self.wait_until_told("sensorFound")

    def wait_for_activity(self, activity: str, within: float = 60) -> None:
        """Waits until a window from now on is judged to be this. A pulse makes the daemon write its state."""
        deadline = time.monotonic() + within
        while (today := self.today_after_a_pulse()).get("activity") != activity and time.monotonic() < deadline:
            pass
        self.assertEqual(activity, today.get("activity"), today)

    def today_after_a_pulse(self) -> dict[str, Any]:
        self.walk(1, "100ms")
        return self.status()["today"]

    def chip_sleeps(self) -> bool:
        """Whether PWR_MGMT_1 says so, and that the thermometer is off as well."""
        return self.guest.output(f"i2cget -y {self.bus_node.removeprefix('/dev/i2c-')} 0x68 0x6b") == "0x48"
