"""The motor's line of the kernel's gpio-sim, as alarms and the daemon's end leave it."""

from __future__ import annotations

import json
import time
import unittest

from sensing import RESTART, SensingProof, VirtualTimeProof

#: Prints each change of a line's level with its time in milliseconds since an alarm was due, until a minute after that.
#: It looks a thousand times a second around the alarm, and otherwise often enough to miss no pulse of one.
WATCH = """
import sys, time
path, due, before = sys.argv[1], float(sys.argv[2]), "0"
while (now := time.time() - due) < 60:
    level = open(path).read().strip()
    if level != before:
        print(level, round(now * 1000), flush=True)
        before = level
    time.sleep(0.001 if -1 < now < 10 else 0.1)
"""

#: The alarm of the kind custom: ten times 300 ms on and 300 ms off.
CUSTOM = [300] * 19


class Motor(SensingProof):
    """A motor on a line, and the alarm on."""

    settings = "[consent]\ngranted = alarm\n[alarm]\nchip = {chip}\nline = 7"
    motor_line = 7

    def setUp(self) -> None:
        self.begin()
        self.turn("alarm", on=True)
        self.eventually(self.motor_is_held, "the daemon has the motor's line")

    @property
    def level_file(self) -> str:
        """What gpio-sim shows of the line: beside its file `pull`."""
        return self.chip.pull_file(self.motor_line).removesuffix("pull") + "value"

    def level(self) -> str:
        return self.guest.output(f"cat {self.level_file}").strip()

    def motor_is_held(self) -> bool:
        return "anicca" in self.guest.output(f"gpioinfo | grep 'line *{self.motor_line}:'")

    def set_alarm(self, kind: str) -> int:
        """Sets an alarm for the next minute but one. Returns the seconds until then."""
        now = int(self.guest.output("date +%s"))
        due = now - now % 60 + 60
        # A busy machine takes a while to set it.
        due += 60 if due - now < 20 else 0
        clock = time.strftime("%H:%M", time.gmtime(due))
        self.guest.output(f"TZ=UTC anicca alarm add {kind} {clock}")
        return due - now

    def once_on(self, wait: int, command: str) -> str:
        """The output of a command that runs as soon as the motor is on. GuestError where it stays off."""
        within = wait + 15
        return self.guest.output(
            f"end=$(( $(date +%s) + {within} )); until [ \"$(cat {self.level_file})\" = 1 ]; do "
            f"[ $(date +%s) -lt $end ] || {{ echo 'the motor stays off' >&2; exit 1; }}; sleep 0.05; done; {command}",
            timeout=within + 60)

    def motor_level_ends(self) -> None:
        """Waits until the motor is off, and stays so."""
        self.eventually(lambda: self.level() == "0", "the line is low")
        time.sleep(2)
        self.assertEqual("0", self.level(), "it is played again")


class EdgeProofs(Motor, VirtualTimeProof):
    """In virtual time, so that only the daemon itself could be late."""

    def test_the_edges_of_an_alarm_are_right_to_twenty_milliseconds(self) -> None:
        # All of them once before, as a program that is read from the disk takes minutes of this time.
        self.guest.output(
            f"cat >/run/watch <<'END'\n{WATCH}\nEND\n"
            f"python3 /run/watch {self.level_file} 0; date -u -d @0; anicca alarm --json")
        output = self.guest.output(
            "due=$(( ($(date +%s) / 60 + 2) * 60 )); anicca alarm add custom $(date -u -d @$due +%H:%M) >/dev/null; "
            f"python3 /run/watch {self.level_file} $due; anicca alarm --json | grep -o '\"outcome\":\"[a-zA-Z]*\"'", timeout=200)
        *lines, outcome = output.splitlines()
        edges = [tuple(map(int, line.split())) for line in lines]
        self.assertEqual([1, 0] * 10, [level for level, _ in edges], f"{edges}")
        expected = first = edges[0][1]
        # The timer of an alarm has a slack of 100 ms.
        self.assertIn(first, range(121), f"{edges}")
        for (_, at), length in zip(edges[1:], CUSTOM):
            expected += length
            self.assertLessEqual(abs(at - expected), 20, f"{edges}")
        self.assertEqual('"outcome":"played"', outcome)


class EndProofs(Motor):
    """In real time."""

    def test_a_stop_and_a_toggle_off_leave_the_line_low_and_free(self) -> None:
        for end in ["systemctl stop aniccad", "anicca toggle alarm off"]:
            self.once_on(self.set_alarm("wake"), end)
            self.eventually(lambda: not self.motor_is_held(), "the line is free")
            self.assertEqual("0", self.level())
            self.guest.output("anicca alarm remove 1; " + RESTART)
            self.setUp()

    def test_after_a_kill_the_line_is_low_again(self) -> None:
        # gpio-sim sets a released line to its pull. This one is high after the kill, as one that was left as it was, and low
        # only by a program that has it.
        self.chip.pull(self.motor_line, up=True)
        self.addCleanup(self.chip.pull, self.motor_line, up=False)
        self.assertEqual("0", self.level(), "the daemon does not hold the line off")
        wait = self.set_alarm("wake")
        daemon = self.unit("aniccad", "MainPID")
        # It stands still while it is looked at, so that it dies while the motor is on.
        left = self.once_on(
            wait, f"kill -STOP {daemon}; until [ \"$(cat {self.level_file})\" = 1 ]; do "
            f"kill -CONT {daemon}; sleep 0.05; kill -STOP {daemon}; done; "
            f"kill -KILL {daemon}; sleep 1; cat {self.level_file}")
        self.assertEqual("1", left, "somebody else has the line low before the new daemon takes it")
        self.wait_until_told("alarmPlayed", within=30, times=2)
        self.guest.output("anicca alarm stop")
        self.motor_level_ends()
        shown = json.loads(self.guest.output("anicca alarm --json"))
        self.assertEqual("played", shown[0]["outcome"])


if __name__ == "__main__":
    unittest.main()
