"""The daemon as it ships, on a simulated bus and in the clocks of a test: `busshim.c` and `Tests/Time/clockshim.c`."""

import os
import pathlib
import re
import signal
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Time"))

# pylint: disable=wrong-import-position
import world  # noqa: E402
from world import DAY, HOUR, MINUTE, PROGRAMS, PROJECT, SECOND, SHIM, World, at  # noqa: E402

BUS_SHIM = pathlib.Path(os.environ.get("ANICCA_BUS_SHIM", PROJECT / ".build/busshim.so"))
BEGIN = at("2025-01-13T00:00:00")


class ShippedWorld(World):
    """A device without a step line, whose accelerometer feels one kind of motion of `rig-hardware`."""

    def __init__(self, motion="day", config="", debugger=()):
        super().__init__(config=f"[imu]\nbus = BUS\n{config}")
        node = self.directory / "i2c-1"
        node.touch(mode=0o600)
        self.config.write_text(self.config.read_text().replace("BUS", str(node)))
        self.debugger, self.count = debugger, self.directory / "transfers"
        self.count.write_bytes(bytes(8))
        self.socket = self.directory / "bus"
        self.hardware = subprocess.Popen(
            [PROGRAMS / "rig-hardware", "bus", self.socket, "--motion", motion], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        assert self.hardware.stdout.readline().startswith("ready")
        unit = (PROJECT / "deploy/systemd/aniccad.service").read_text(encoding="utf-8")
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

    def start(self):
        self.clocks.unpark()
        with open(self.log_path, "ab") as log:
            self.daemon = subprocess.Popen(
                [*self.debugger, PROGRAMS / "aniccad", "--config", self.config], stdout=log, stderr=log,
                env={**self._environment(drives=True), **self.tunables, **self.bus, "WATCHDOG_USEC": world.WATCHDOG,
                     "LD_PRELOAD": f"{BUS_SHIM}:{SHIM}"})
        self._wait()

    def memory(self):
        """What the daemon has in memory now, in kB (proc_pid_smaps_rollup(5))."""
        lines = pathlib.Path(f"/proc/{self.daemon.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
        figures = {name: int(value.split()[0]) for name, value in (line.split(":") for line in lines)}
        return {"pss": figures["Pss"], "rss": figures["Rss"], "dirty": figures["Private_Dirty"]}


if __name__ == "__main__":
    with ShippedWorld() as w:
        w.boot(BEGIN)
        w.start()
        w.turn("motion", "on")
        print("start", w.memory())
        for minutes in (1, 14, 45):
            w.live(minutes * MINUTE)
            print(minutes, w.memory(), w.transfers, w.clocks.wakeups)
        w.reload()
        print("reload", w.memory())
        w.live(HOUR)
        print("hour later", w.memory(), w.transfers, w.clocks.wakeups)
        w.live(DAY)
        print("day later", w.memory(), w.transfers, w.clocks.wakeups)
        print(w.log[-600:])
