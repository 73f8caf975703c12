"""The daemon as it ships, on a simulated bus and in the clocks of a test: `busshim.c` and `Tests/harness/clockshim.c`.

Days pass in seconds, and what is counted is aniccad's own: no simulation runs in its process.
"""

import os
import pathlib
import re
import struct
import subprocess

from harness import PROGRAMS, PROJECT, SHIM
from harness.world import World, at

BUS_SHIM = pathlib.Path(os.environ.get("ANICCA_BUS_SHIM", PROJECT / ".build/busshim.so"))
BEGIN = at("2025-01-13T00:00:00")


class ShippedWorld(World):
    """A device without a step line, whose accelerometer feels one kind of motion of `rig-hardware`."""

    def __init__(self, motion="day", store=None, debugger=(), program=PROGRAMS / "aniccad"):
        """
        - store: a directory for the store, in place of a temporary one.
        - debugger: words before the program's.
        """
        super().__init__(config="[imu]\nbus = BUS\n")
        node = self.directory / "i2c-1"
        node.touch(mode=0o600)
        text = self.config.read_text(encoding="utf-8").replace("BUS", str(node))
        if store:
            text = text.replace(f"directory = {self.directory}\nkey-file = {self.directory}", f"directory = {store}\nkey-file = {store}")
        self.config.write_text(text, encoding="utf-8")
        self.debugger, self.program, self.count = debugger, program, self.directory / "transfers"
        self.count.write_bytes(bytes(8))
        self.socket = self.directory / "bus"
        self.hardware = subprocess.Popen(
            [PROGRAMS / "rig-hardware", "bus", self.socket, "--motion", motion], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        assert self.hardware.stdout.readline().startswith("ready")
        unit = (PROJECT / "systemd/agent/aniccad.service").read_text(encoding="utf-8")
        self.tunables = dict(re.findall(r"^Environment=(GLIBC_TUNABLES)=(.*)$", unit, re.MULTILINE))
        self.bus = {"ANICCA_BUS": str(self.socket), "ANICCA_BUS_NODE": str(node), "ANICCA_BUS_COUNT": str(self.count)}

    def __exit__(self, *failure):
        self.hardware.stdin.close()
        self.hardware.wait()
        self.hardware.stdout.close()
        super().__exit__(*failure)

    @property
    def transfers(self):
        """Calls of I2C_RDWR so far."""
        return struct.unpack("<Q", self.count.read_bytes())[0]

    @property
    def command(self):
        return [*self.debugger, self.program, "--config", self.config]

    def _environment(self, drives=False):
        daemons = {**self.tunables, **self.bus, "LD_PRELOAD": f"{BUS_SHIM}:{SHIM}"} if drives else {}
        return super()._environment(drives) | daemons

    def memory(self):
        """PSS, RSS and private dirty memory of the daemon now, in kB (proc_pid_smaps(5)), without the shims'."""
        total, is_shim = {"Pss": 0, "Rss": 0, "Private_Dirty": 0}, False
        for line in pathlib.Path(f"/proc/{self.daemon.pid}/smaps").read_text(encoding="ascii").splitlines():
            name, *rest = line.split()
            if not name.endswith(":"):
                # What a shim does not initialise follows its file without a name.
                is_shim = rest[-1].endswith("shim.so") if rest[-1].startswith("/") else is_shim and len(rest) == 4
            elif name[:-1] in total and not is_shim:
                total[name[:-1]] += int(rest[0])
        return total
