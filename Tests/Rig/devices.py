"""Hardware for guests: simulated GPIO chips, I2C buses served by a program on the host, and the kernel's I2C stub."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Optional

from rig import BUILD, Command, Guest, GuestError

#: Serves simulated chips; Tests/Rig/Hardware makes it. Images have it as /rig/rig-hardware.
HARDWARE = BUILD / "rig-hardware"


class GPIOChip:
    """A chip of the kernel's gpio-sim in a guest, with a character device as that of a real one."""

    def __init__(self, guest: Guest, lines: int = 16, label: str = "rig"):
        self._guest = guest
        self._settings = f"/sys/kernel/config/gpio-sim/{label}"
        bank = f"{self._settings}/bank"
        written = guest.output(" && ".join([
            f"mkdir -p {bank}", f"echo {lines} >{bank}/num_lines", f"echo {label} >{bank}/label",
            f"echo 1 >{self._settings}/live", f"cat {bank}/chip_name {self._settings}/dev_name"]))
        #: gpiochip0, …
        self.name, device = written.split()
        #: The node that programs open.
        self.node = f"/dev/{self.name}"
        self._lines = f"/sys/devices/platform/{device}/{self.name}"

    def pull_file(self, line: int) -> str:
        """The file in the guest that sets the level outside of a line: pull-up or pull-down is written to it."""
        return f"{self._lines}/sim_gpio{line}/pull"

    def pull(self, line: int, up: bool) -> None:
        """Sets the level outside of a line."""
        self._guest.output(f"echo {'pull-up' if up else 'pull-down'} >{self.pull_file(line)}")

    def remove(self) -> None:
        """Takes the chip out, also while a program has it open."""
        self._guest.output(f"echo 0 >{self._settings}/live && "
                           f"find {self._settings} -depth -mindepth 1 -type d -exec rmdir {{}} + ; rmdir {self._settings}")


class Hardware:
    """An I2C adapter with a simulated accelerometer, served on the host to Guest(i2c=[hardware.socket]), to one guest after
    another. Its state outlives them. Close it, or enter it, so that it ends."""

    def __init__(self, motion: str = "still"):
        if not HARDWARE.exists():
            raise GuestError(f"no {HARDWARE}: run `make rig` first")
        self._directory = Path(tempfile.mkdtemp(prefix="rig-hardware."))
        self.socket = self._directory / "i2c"
        self._control = self._directory / "control"
        self._process = subprocess.Popen(
            [str(HARDWARE), "i2c", str(self.socket), "--motion", motion, "--control", str(self._control)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        # It may print more later; the pipe has room for it.
        if not self._process.stdout.readline().startswith("ready"):
            self.close()
            raise GuestError("rig-hardware i2c ended when it was started")

    def control(self, command: str) -> str:
        """Runs a command of `rig-hardware control`: "nak 3", "gone 1", … Returns its answer, once it is done."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as desk:
            desk.connect(str(self._control))
            desk.send(command.encode())
            answer = desk.recv(1024).decode()
        if not answer.startswith("ok"):
            raise GuestError(f"rig-hardware control {command}: {answer}")
        return answer[len("ok"):].strip()

    def close(self) -> None:
        """Ends the program. Guests see their adapter unplugged."""
        self._process.terminate()
        self._process.communicate()
        shutil.rmtree(self._directory, ignore_errors=True)

    def __enter__(self) -> Hardware:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class VirtioBus:
    """The first of the buses of Guest(i2c=…) in the guest."""

    def __init__(self, guest: Guest):
        self._guest = guest
        self._driver = "/sys/bus/virtio/drivers/i2c_virtio"
        self._name = "virtio0"

    @property
    def number(self) -> int:
        """N of the guest's /dev/i2c-N. It may be another one after bind()."""
        adapter = self._guest.output(f"cd /sys/bus/virtio/devices/{self._name} && ls -d i2c-*")
        return int(adapter[len("i2c-"):])

    def unbind(self) -> Command:
        """Begins to take the adapter away, as when a USB adapter is pulled out. The node goes at once; the command ends
        when no program has the node open any more, and until then the bus works for those that have."""
        return self._guest.spawn(f"echo {self._name} >{self._driver}/unbind")

    def bind(self) -> None:
        """Puts the adapter in again."""
        self._guest.output(f"echo {self._name} >{self._driver}/bind")


class CUSEBus:
    """/dev/i2c-N in a guest with a simulated accelerometer, served by a program in there. It answers with the errors of real
    adapters, where virtio-i2c has but one. No udev rule or DeviceAllow=char-i2c matches it, as its major is not 89.

    - interrupt: the pull file (GPIOChip.pull_file) of the line that the chip's INT pin is wired to.
    """

    def __init__(self, guest: Guest, number: int = 7, motion: str = "still", smbus_only: bool = False,
                 interrupt: Optional[str] = None):
        self._guest = guest
        self.node = f"/dev/i2c-{number}"
        #: The socket in the guest that `rig-hardware control` takes.
        self.control_socket = f"/run/rig-i2c-{number}"
        self._command = guest.spawn(
            f"exec /rig/rig-hardware cuse --bus {number} --motion {motion} --control {self.control_socket}"
            f"{' --smbus-only' if smbus_only else ''}{f' --interrupt {interrupt}' if interrupt else ''}")
        self._command.expect("ready")

    def control(self, command: str) -> str:
        """As Hardware.control."""
        answer = self._guest.output(f"/rig/rig-hardware control {self.control_socket} {command}")
        return answer[len("ok"):].strip()

    def remove(self) -> None:
        """Ends the program, and with it the node."""
        self._command.stop()


def load_i2c_stub(guest: Guest, address: int) -> int:
    """Loads the kernel's i2c-stub: 256 registers at an address, SMBus only. Returns N of the guest's /dev/i2c-N."""
    guest.output(f"insmod /host/i2c-stub.ko chip_addr={address:#x}")
    return int(guest.output("i2cdetect -l | sed -n 's/^i2c-\\([0-9]*\\).*SMBus stub.*/\\1/p'"))
