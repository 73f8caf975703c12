"""Whoever types what README.md and docs/field-guide.md say, line by line, gets what is promised: in guests with the package."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Container, NamedTuple

from devices import GPIOChip, Hardware
from proofs import Proof
from receiver import PORT, Receiver
from rig import SUITE
from test_package import newest_package, with_higher_version
from walkthrough import PROJECT, Step, blocks, is_cut_of, read, steps

#: What is not typed here, and why: a line, or all lines with this first word.
EXCEPTIONS = {
    "make": "builds the project in a checkout: make test-fresh and CI do",
    "anicca permissions expand": "a command by its name",
    "anicca report": "a command by its name",
    "anicca sign-in": "a command by its name",
    "anicca why": "a command by its name",
    "sudo anicca toggle": "a command by its name",
    "anicca toggle sleep on": "for a device that was set up by an earlier version: CommandTests",
    "anicca-lab demo --keep device": "lives a week: EndToEndTests",
    "anicca-lab live": "runs until it is stopped: EndToEndTests",
    "apt install swiftlang": "needs a network: make test-fresh",
    "man anicca.conf": "the guest has no man; tests hold the page to the keys",
    "scp anicca-edge_0.1.0_arm64.deb USER@NAME.local:/tmp/": "the guest has no network",
    "sudo apt install gpsd": "needs a network: Tests/Gpsd",
    "sudo systemctl enable --now gpsd.socket anicca-gpsd.socket": "needs gpsd; test_package has the second",
    "sudo nano /etc/anicca/anicca.conf.d/mine.conf": "an editor; what is written with it is in the block below",
    "sudo anicca watch": "runs until it is stopped: test_lending",
    "sudo anicca record --label walking w.csv": "runs until it is stopped: RecordTests",
    "sudo anicca record --label walking --steps 200 --for 2m recordings/walk.csv": "two minutes of a walk: RecordTests",
    "sudo anicca record --label sitting --for 10m recordings/desk.csv": "ten minutes at a desk: RecordTests",
    "anicca-lab evaluate recordings": "takes the two recordings before it",
    "sudo anicca sensor test": "takes a sensor that nobody moves, and this wearer walks: CommandTests",
    "sudo anicca sensor calibrate": "asks for the sensor to be turned over by hand: CommandTests",
    "sudo anicca sensor calibrate --reset": "takes back what calibrating found: CommandTests",
    "sudo nmcli radio wifi off": "the guest has no Wi-Fi",
    "sudo raspi-config nonint do_i2c 0": "of Raspberry Pi OS alone",
    "sudo reboot": "ends the guest: test_power_cut",
    "sudo poweroff": "ends the guest: test_power_cut",
    "journalctl -u aniccad -p notice -f": "runs until it is stopped",
}

#: What differs in a guest: its processor, the next version, and a server that it can reach.
HERE = {"_arm64.deb": "_amd64.deb", "0.1.1": "0.1.0.1", "https://api.example.org": f"http://127.0.0.1:{PORT}"}

#: What differs from run to run in what is printed: times, numbers of processes, lengths of time.
VARIES = re.compile(r"\d\d:\d\d:\d\d|(?<=\[)\d+(?=\])|(?<=PID: )\d+|\b\d+(?:ms|s|min)\b")


class Scene(NamedTuple):
    """What has happened to the board when a block is typed, what makes up for it, and how the last command of the block ends."""

    before: str = "true"
    after: str = "true"
    status: int = 0


#: By the block's record. LINE is the step sensor's.
SCENES = {
    "guest-doctor-without-i2c": Scene("mkdir /dev/away && mv /dev/i2c-* /dev/away", "mv /dev/away/* /dev", 69),
    "guest-setup": Scene("anicca companion pair >/dev/null"),
    # A pulse before the daemon has followed the last answers of the set-up, and has the line again, is lost.
    "guest-status": Scene("sleep 5; until gpioinfo | grep -q anicca; do sleep 0.1; done; /rig/rig-hardware pulses LINE --count 20 --interval 500ms; "
                          "until anicca status | grep -q 'rawPulses *20'; do sleep 0.5; done"),
    "guest-refused": Scene(
        "chmod 000 /dev/gpiochip0; until journalctl -u aniccad | grep -q 'refused by the kernel'; do sleep 0.2; done",
        "chmod 660 /dev/gpiochip0 && anicca toggle steps on", 77),
    "guest-purge": Scene(status=2),
}

#: Minutes of a walk, as the app phyphox writes it.
WALK = r"""python3 -c '
import math
print("\"Time (s)\",\"Acceleration x (m/s^2)\",\"Acceleration y (m/s^2)\",\"Acceleration z (m/s^2)\",\"Absolute acceleration (m/s^2)\"")
for i in range(3000):
    z = 9.81 + 3 * math.sin(2 * math.pi * 1.9 * i / 50)
    print(f"{i / 50},0.1,0.2,{z},{z}")
' >walk.csv"""


def is_exception(step: Step, exceptions: Container[str] = EXCEPTIONS) -> bool:
    return step.text in exceptions or step.text.split()[0] in exceptions


class Newcomer(Proof):
    """One reader of one page. Not a proof by itself."""

    page = ""
    #: What ends everything is typed last, wherever it stands.
    last: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls) -> None:
        if not cls.page:
            raise unittest.SkipTest("the base of the others")
        # The header of a Pi has /dev/i2c-1, and so there is another adapter before it.
        adapters = [Hardware(), Hardware(motion="walking")]
        for adapter in adapters:
            cls.addClassCleanup(adapter.close)
        cls.i2c = [adapter.socket for adapter in adapters]
        super().setUpClass()
        cls.chip = GPIOChip(cls.guest, lines=32)
        cls.steps = sorted(steps(cls.page), key=lambda step: cls.last.index(step.text) + 1 if step.text in cls.last else 0)
        cls.day = next(match[1] for step in cls.steps if (match := re.search(r"anicca why (\S+)", step.text)))
        cls.prepare()

    @classmethod
    def prepare(cls) -> None:
        """A board on the day after the one that the page looks back at: its clock is right, nothing of ours is installed but the
        laboratory, and the package lies where the page has it. Who types is root there."""
        package = newest_package()
        shutil.copy(Path(__file__).parent / "guest" / "typed.py", cls.guest.shared)
        shutil.copy(package, cls.guest.shared / "package.deb")
        with tempfile.TemporaryDirectory() as directory:
            shutil.copy(with_higher_version(package, Path(directory)), cls.guest.shared)
        cls.guest.output(
            "echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/unsafe && cp /usr/bin/anicca-lab /usr/local/bin"
            " && dpkg --purge anicca-edge-lab anicca-receiver anicca-edge && mkdir -p /etc/anicca/anicca.conf.d /root/place"
            f" && date --utc --set '{cls.day} 10:15 tomorrow'"
            " && for place in /root/place /tmp; do cp /host/package.deb $place/anicca-edge_0.1.0_amd64.deb; done"
            " && cp /host/next.deb /tmp/anicca-edge_0.1.0.1_amd64.deb"
            " && printf '#!/bin/sh\\nexec \"$@\"\\n' >/usr/local/bin/sudo && chmod 755 /usr/local/bin/sudo"
            f" && cd /root/place && {WALK}", timeout=120)
        cls.configure("")
        cls.receiver = Receiver(cls.guest)
        cls.receiver.start()

    def follow(self) -> None:
        """Types everything, but what a sentence only names again. A line that ends otherwise than it shall is a failure, and the next is
        typed all the same."""
        typed: set[str] = set()
        for record, part in itertools.groupby(self.steps, lambda step: step.record):
            *_, end = part = list(part)
            scene = SCENES.get(record, Scene())
            self.guest.output(scene.before.replace("LINE", self.chip.pull_file(27)))
            printed = ""
            for step in part:
                if is_exception(step) or step.text in typed and not step.is_block:
                    continue
                if step.text == "sudo anicca days" and step.text not in typed:
                    self.live_the_day()
                typed.add(step.text)
                with self.subTest(step.text.splitlines()[0], place=step.place):
                    printed += self.type(step, scene.status if step is end else 0)
            self.guest.output(scene.after)
            if record.startswith("guest-"):
                with self.subTest(record):
                    self.hold(record, printed)

    def type(self, step: Step, status: int) -> str:
        """Returns what is on the terminal then, without colours."""
        text = step.text
        for there, here in HERE.items():
            text = text.replace(there, here)
        if step.is_configuration:
            self.guest.output(f"cat >>/etc/anicca/anicca.conf.d/mine.conf <<'END'\n{text}\nEND")
            return ""
        result = self.guest.run(
            "export DEBIAN_FRONTEND=noninteractive SYSTEMD_PAGER=cat SYSTEMD_EDITOR=true; cd /root/place;"
            f" exec python3 /host/typed.py {shlex.quote(text)}", timeout=60)
        self.assertEqual(status, result.returncode, f"{step.place}: {step.text}\n{result.stdout}{result.stderr}")
        shown = re.sub(r"(?m)\x1b\[[0-9;]*m|[ \t]+$", "", result.stdout)
        return f"$ {text}\n{shown}\n"

    def hold(self, record: str, printed: str) -> None:
        """Holds the block of this record to what was printed, or makes that the record. The page shows Debian 12."""
        for there, here in HERE.items():
            printed = printed.replace(here, there)
        if SUITE != "bookworm":
            return
        if os.environ.get("ANICCA_WRITE_PAGES"):
            (PROJECT / f"docs/figures/output/{record}.txt").write_text(printed.rstrip("\n") + "\n", encoding="utf-8")
            return
        shown = next(block.text for block in blocks(read(self.page)) if block.record == record)
        self.assertTrue(is_cut_of(VARIES.sub("*", shown), VARIES.sub("*", printed)), f"{self.page} shows other lines than\n{printed}")

    def live_the_day(self) -> None:
        """Lets the day that the page looks back at be lived, in virtual time, on the board's own store."""
        self.guest.output(
            "systemctl stop aniccad && systemd-run --quiet --wait --pipe --uid=anicca --property=LoadCredentialEncrypted=anicca.key"
            f" anicca-lab daemon typical --days 1 --from {self.day} && systemctl start aniccad", timeout=180)


class ReadmeTests(Newcomer):
    """From the package to the first record."""

    page = "README.md"

    def test_every_line_of_it_does_as_it_stands(self) -> None:
        self.follow()
        self.assertIn(self.day, self.receiver.days())
        self.assertIn(self.day, self.guest.output("cat /root/place/report.html"))
        self.assertIn("manifest.json", self.guest.output("ls /root/place/mine"))


class FieldGuideTests(Newcomer):
    """From the card to the first record, an update and the end."""

    page = "docs/field-guide.md"
    last = ("sudo apt install /tmp/anicca-edge_0.1.1_arm64.deb", "sudo apt remove anicca-edge", "sudo apt purge anicca-edge",
            "ls /etc/anicca /var/lib/anicca")

    def test_every_line_of_it_does_as_it_stands(self) -> None:
        self.follow()
        self.assertIn(self.day, self.receiver.days())


class ExceptionTests(unittest.TestCase):
    """What is said here of lines and blocks is of some that the pages have."""

    steps = [step for page in ("README.md", "docs/field-guide.md") for step in steps(page)]

    def test_no_exception_outlives_its_line(self) -> None:
        self.assertEqual(set(), {words for words in EXCEPTIONS if not any(is_exception(step, {words}) for step in self.steps)})

    def test_no_scene_outlives_its_block(self) -> None:
        self.assertEqual(set(), set(SCENES) - {step.record for step in self.steps})


if __name__ == "__main__":
    unittest.main()
