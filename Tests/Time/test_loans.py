"""The daemon lends its sensor for a time, and has it back then, whatever became of the command."""

import signal
import subprocess
import sys

from harness.processes import until
from harness.scenario import Scenario
from harness.world import HOUR, MINUTE, SECOND

LENT, OVER = 1, 3
# A command that asks for the sensor for so many seconds, 0 for the usual time, and then shows what it is told.
BORROWER = """
import socket, struct, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as loan:
    loan.connect(sys.argv[1])
    if seconds := int(sys.argv[2]):
        loan.send(struct.pack("=I", seconds))
    while word := loan.recv(1):
        print(word[0], flush=True)
        if word[0] == 3:
            break
"""


class LoanTest(Scenario):
    def borrow(self, world, seconds=0):
        command = subprocess.Popen(
            [sys.executable, "-c", BORROWER, world.directory / "lending", str(seconds)], stdout=subprocess.PIPE, text=True)
        self.addCleanup(command.wait)
        self.addCleanup(command.kill)
        self.addCleanup(command.stdout.close)
        until(lambda: self.is_lent(world), "the sensor is lent")
        self.assertEqual(LENT, int(command.stdout.readline()))
        return command

    def is_lent(self, world):
        world.live(SECOND)
        return "sensorLent" in world.ask("status")["daemon"]

    def test_a_forgotten_command_is_told_and_the_day_goes_on(self):
        world = self.world()
        command = self.borrow(world)
        world.live(14 * MINUTE)
        self.assertTrue(self.is_lent(world))
        world.live(MINUTE)
        self.assertEqual(OVER, int(command.stdout.readline()))
        self.assertEqual(0, command.wait(10))
        until(lambda: not self.is_lent(world), "the sensor is back")

    def test_a_command_that_hangs_is_ended(self):
        world = self.world()
        command = self.borrow(world)
        command.send_signal(signal.SIGSTOP)
        world.live(16 * MINUTE)
        until(lambda: not self.is_lent(world), "the sensor is back")
        self.assertEqual(-signal.SIGKILL, command.wait(10))
        seen = world.ask("status")["daemon"].get("lastWindow")
        world.live(10 * MINUTE)
        self.assertNotEqual(seen, world.ask("status")["daemon"]["lastWindow"])

    def test_a_command_that_says_for_how_long_has_it_for_so_long(self):
        world = self.world()
        self.borrow(world, seconds=2 * 3600)
        world.live(2 * HOUR - MINUTE)
        self.assertTrue(self.is_lent(world))
        world.live(2 * MINUTE)
        until(lambda: not self.is_lent(world), "the sensor is back")
