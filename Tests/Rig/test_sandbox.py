"""The sandbox of the installed units: a probe in place of the program tries what it can do from inside.

Files, directories and nodes that the probe must not reach are open to every user, so that no mode does the sandbox's
work.
"""

from __future__ import annotations

import json
import re
import shutil
import unittest
from pathlib import Path
from typing import Iterable

from devices import GPIOChip, load_i2c_stub
from proofs import AS_ANICCA, Proof
from receiver import Receiver

#: Device nodes that every user may open, were it not for the sandbox: kind and number.
TRAPS = {"/dev/trap-disk": "b 98 0", "/dev/trap-log": "c 1 11", "/dev/trap-tty": "c 4 64", "/dev/trap-fuse": "c 10 229"}

#: Sockets to which every user may connect, were it not for the sandbox. Those who listen at the first ones have a network.
HELPERS = ["/run/systemd/resolve/io.systemd.Resolve", "/run/dbus/system_bus_socket", "/run/avahi-daemon/socket", "/run/trap"]
GPSD = "/run/anicca-gpsd/sock"
#: Where the daemon lends its sensor.
LENDING = "/run/anicca/lending"

LISTEN = """
import os, socket, sys, time
listening = []
for path in filter(lambda path: not os.path.exists(path), sys.argv[1:]):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    listening.append(socket.socket(socket.AF_UNIX))
    listening[-1].bind(path)
    listening[-1].listen()
    os.chmod(path, 0o666)
print("ready", flush=True)
time.sleep(9999)
"""

#: Directories that every user may write in, were it not for the sandbox.
OPENED = ["/", "/etc", "/etc/anicca", "/usr/bin", "/var/lib", "/var/log", "/var/spool", "/srv", "/boot", "/run",
          "/run/lock", "/run/systemd/system", "/host"]

WRITABLE = ["/var/lib/anicca", "/run/anicca", "/tmp", "/dev/shm"]

FORBIDDEN_TO_BOTH = [
    "open a raw socket", "see the first process", "signal another process", "read the passwords", "read in a home",
    "read root's files", "mount", "trace a process", "make a user namespace", "make a network namespace",
    "load a module", "set the clock", "set the host's name", "read the kernel's log", "take real-time priority",
    "write and execute the same memory", "make a program that runs as another user", "make a device",
    "change a setting of the kernel", "make a control group", "run the command",
    *(f"run a program in {directory}" for directory in WRITABLE), *(f"write in {directory}" for directory in OPENED)]

TRAPS_AND_OPENED = [*(f"open {node}" for node in TRAPS), *(f"write in {directory}" for directory in OPENED)]


class SandboxTests(Proof):
    """aniccad.service and anicca-upload.service, with nothing of their sandbox changed."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.gpio = GPIOChip(cls.guest).node
        cls.i2c_node = f"/dev/i2c-{load_i2c_stub(cls.guest, 0x68)}"
        Receiver(cls.guest).start()
        cls.scores = {unit: cls.guest.run(f"systemd-analyze security --no-pager {unit}").stdout
                     for unit in ("aniccad.service", "anicca-upload.service")}
        cls.set_traps()
        process = cls.guest.output(f"{AS_ANICCA} sh -c 'sleep 9999 >/dev/null 2>&1 & echo $!'").strip()
        cls.probe = f"/usr/bin/python3 /host/probe.py {process} {cls.gpio} {cls.i2c_node} {' '.join([*TRAPS, *HELPERS, GPSD, LENDING])}"
        cls.outside = json.loads(cls.guest.output(f"{AS_ANICCA} {cls.probe}"))
        cls.root = json.loads(cls.guest.output(f"unshare --mount --uts {cls.probe}"))
        cls.daemon = cls.put_in_place_of("aniccad")
        cls.uploader = cls.put_in_place_of("anicca-upload")
        cls.logged = cls.journal("MESSAGE='the probe was here'")

    @classmethod
    def set_traps(cls) -> None:
        shutil.copy(Path(__file__).parent / "guest" / "probe.py", cls.guest.shared)
        traps = [f"mknod -m 666 {node} {number}" for node, number in TRAPS.items()]
        cls.guest.output(" && ".join([
            *traps, "mkdir -p /home/person", "echo secret | tee /home/person/file >/root/file",
            "chmod 755 /root /home /home/person", "chmod 644 /root/file",
            "chmod 777 " + " ".join(OPENED), "systemctl start anicca-gpsd.socket"]))
        (cls.guest.shared / "listen.py").write_text(LISTEN)
        cls.guest.output(f"systemctl stop aniccad anicca-upload.path anicca-upload.timer; rm -f {LENDING}")
        cls.guest.spawn(f"exec python3 /host/listen.py {' '.join([*HELPERS, LENDING])}").expect("ready")

    @classmethod
    def put_in_place_of(cls, program: str) -> dict[str, str]:
        """The actions that succeed for the probe in a program's unit."""
        cls.drop_in(f"{program}.service", "Service", Type="oneshot", ExecStart=f"\nExecStart={cls.probe}",
                    ExecStopPost="", WatchdogSec="0", Restart="no", StandardOutput="truncate:/run/probe",
                    # The probe is a Python program.
                    ExecPaths="/usr/bin/python3")
        cls.guest.output(f"systemctl restart {program}")
        return json.loads(cls.guest.output("cat /run/probe"))

    def assertOutcomes(self, results: dict[str, str], names: Iterable[str], are_done: bool) -> None:
        different = {name: results[name] for name in names if (results[name] == "done") != are_done}
        self.assertEqual({}, different)

    def test_without_the_sandbox_the_probe_reaches_what_the_sandbox_is_to_keep_from_it(self) -> None:
        self.assertOutcomes(self.outside, [
            "open a socket to the network", "connect on loopback", "see the first process", "read in a home",
            "read root's files", "make a user namespace", "write and execute the same memory",
            "make a program that runs as another user", "signal a process of the same user", "run the command",
            "run a program in /tmp", *TRAPS_AND_OPENED,
            *(f"open {helper}" for helper in [*HELPERS, LENDING])], are_done=True)

    def test_without_the_sandbox_root_can_do_all_that_the_sandbox_is_to_forbid(self) -> None:
        # The file that it tries to load is no module.
        self.assertEqual("ENOEXEC", self.root["load a module"])
        self.assertOutcomes(self.root, set(FORBIDDEN_TO_BOTH) - {"load a module"}, are_done=True)

    # The daemon

    def test_the_daemon_has_its_devices_its_store_its_bells_and_the_journal(self) -> None:
        self.assertOutcomes(self.daemon, [
            f"open {self.gpio}", f"open {self.i2c_node}", "write in /var/lib/anicca", "write in /run/anicca",
            "write in /tmp", "log"], are_done=True)

    def test_what_they_log_arrives(self) -> None:
        self.assertEqual(4, len(self.logged), "twice from outside, from the daemon and from the uploader")

    def test_the_daemon_cannot_open_a_socket_to_the_network(self) -> None:
        self.assertOutcomes(self.daemon, [
            "open a socket to the network", "open a socket of IPv6", "connect on loopback"], are_done=False)

    def test_the_daemon_cannot_have_others_use_the_network_for_it(self) -> None:
        self.assertEqual({"ENOENT"}, {self.daemon[f"open {helper}"] for helper in HELPERS})

    def test_the_daemon_reaches_gpsd(self) -> None:
        self.assertOutcomes(self.daemon, [f"open {GPSD}"], are_done=True)

    def test_the_daemon_cannot_open_other_devices(self) -> None:
        self.assertOutcomes(self.daemon, [f"open {node}" for node in TRAPS], are_done=False)

    def test_the_daemon_cannot_reach_out(self) -> None:
        self.assertOutcomes(self.daemon, FORBIDDEN_TO_BOTH, are_done=False)

    # The uploader

    def test_the_uploader_reaches_the_network_its_store_its_bell_and_the_journal(self) -> None:
        self.assertOutcomes(self.uploader, [
            "connect on loopback", "find a name", "read the authorities", "write in /var/lib/anicca", "write in /run/anicca", "write in /tmp",
            "log"], are_done=True)

    def test_the_uploader_sees_no_device(self) -> None:
        nodes = [self.gpio, self.i2c_node, *TRAPS]
        self.assertEqual({node: "ENOENT" for node in nodes}, {node: self.uploader[f"open {node}"] for node in nodes})

    def test_the_uploader_cannot_reach_out(self) -> None:
        self.assertOutcomes(self.uploader, FORBIDDEN_TO_BOTH, are_done=False)

    def test_the_uploader_cannot_disturb_the_daemon(self) -> None:
        self.assertOutcomes(self.uploader, ["signal a process of the same user", f"open {LENDING}"], are_done=False)

    # As systemd judges

    def test_systemd_scores_both_units_as_hardly_exposed(self) -> None:
        for unit, report in self.scores.items():
            score = float(re.search(r"Overall exposure level for \S+: ([\d.]+)", report)[1])
            self.assertLessEqual(score, 1.5, f"{unit}\n{report}")


if __name__ == "__main__":
    unittest.main()
