#!/usr/bin/env python3
"""test.py IMAGE LAB RECEIVER: looks into the image of a card, and starts it in QEMU with settings for its first start.

IMAGE is what build.sh made, LAB and RECEIVER the arm64 packages for the simulated sensor: QEMU's board `virt` has no I2C. The kernel, the
initial RAM disk, the root and the settings are those of the image; the firmware of a Raspberry Pi does not run here.

Exit status: 0 everything is as docs/image.md says, 1 something is not.
"""

import hashlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

SECTOR = 512
MOST_BYTES = 600_000_000
# By the names of Debian's device trees. The header's bus is soc/i2c@7e804000.
BOARDS = {
    "bcm2837-rpi-zero-2-w": True, "bcm2837-rpi-3-b": True, "bcm2837-rpi-3-b-plus": True, "bcm2711-rpi-4-b": True,
    "bcm2712-rpi-5-b": False,
}
MINUTES_TO_START = 25


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def partitions(image):
    """Where the two partitions begin, in bytes."""
    table = json.loads(output("sfdisk", "--json", str(image)))["partitiontable"]["partitions"]
    return [part["start"] * SECTOR for part in table]


class ImageTests(unittest.TestCase):
    """What is in the image, without starting it."""

    @classmethod
    def setUpClass(cls):
        cls.boot, cls.root = partitions(IMAGE)
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="anicca-image-", dir="/var/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def look(self, command):
        """The output of debugfs(8), which reads the root without mounting it."""
        return subprocess.run(
            ["debugfs", "-R", command, f"{IMAGE}?offset={self.root}"], check=True, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT).stdout

    def test_it_is_small_enough_to_download(self):
        self.assertLess(os.path.getsize(f"{IMAGE}.xz"), MOST_BYTES)

    def test_the_bus_of_the_header_is_on_where_the_documents_say_so(self):
        for board, is_on in BOARDS.items():
            tree = self.folder / f"{board}.dtb"
            subprocess.run(["mcopy", "-i", f"{IMAGE}@@{self.boot}", f"::/{board}.dtb", str(tree)], check=True)
            asked = subprocess.run(
                ["fdtget", str(tree), "/soc/i2c@7e804000", "status"], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
            self.assertEqual(asked.stdout.strip() == "okay", is_on, board)

    def test_no_two_boards_share_a_secret(self):
        for kept in ("/etc/ssh/ssh_host_ed25519_key", "/etc/ssh/ssh_host_rsa_key", "/var/lib/systemd/credential.secret",
                     "/etc/credstore.encrypted/anicca.key", "/var/lib/anicca/key", "/var/lib/systemd/random-seed"):
            self.assertIn("File not found", self.look(f"stat {kept}"), kept)
        self.assertEqual(self.look("cat /etc/machine-id").splitlines()[1:], [])


class StartTests(unittest.TestCase):
    """The first start, in an emulated machine."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="anicca-image-", dir="/var/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        card = cls.folder / "card.img"
        subprocess.run(["cp", "--sparse=always", str(IMAGE), str(card)], check=True)
        # A card has more room than the image.
        os.truncate(card, card.stat().st_size + (1 << 30))
        cls.key = cls.folder / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(cls.key)], check=True)
        settings = cls.folder / "board.conf"
        settings.write_text(
            "# typed on a PC\r\nhostname = wrist-7\r\nssh-key = " + (cls.folder / "key.pub").read_text(encoding="utf-8")
            + "wifi-name = Café 5\nwifi-password = correct horse\nwifi-county = DE\nserver = https://example.org\n"
            "user-id = 2d1a8f5e-8a1b-4f54-9c32-0123456789ab\ntoken = t0ken\n", encoding="utf-8")
        subprocess.run(["mcopy", "-o", "-i", f"{card}@@{partitions(card)[0]}", str(settings), "::/board.conf"], check=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            cls.port = free.getsockname()[1]
        kernel, = IMAGE.parent.glob("vmlinuz-*")
        initrd, = IMAGE.parent.glob("initrd.img-*")
        cls.console = open(cls.folder / "console", "wb")
        cls.addClassCleanup(cls.console.close)
        cls.machine = subprocess.Popen(
            ["qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a53", "-smp", "2", "-m", "512", "-nographic",
             "-kernel", str(kernel), "-initrd", str(initrd), "-append", "root=LABEL=anicca-root rw net.ifnames=0 console=ttyAMA0",
             "-drive", f"if=virtio,format=raw,file={card}", "-netdev", f"user,id=net,hostfwd=tcp:127.0.0.1:{cls.port}-:22",
             "-device", "virtio-net-pci,netdev=net,romfile=", "-device", "virtio-rng-pci"],
            stdin=subprocess.DEVNULL, stdout=cls.console, stderr=subprocess.STDOUT)
        cls.addClassCleanup(cls.machine.wait)
        cls.addClassCleanup(cls.machine.kill)
        cls.wait()

    @classmethod
    def wait(cls):
        deadline = time.monotonic() + 60 * MINUTES_TO_START
        while cls.run_inside("true").returncode != 0:
            if time.monotonic() > deadline or cls.machine.poll() is not None:
                lines = (cls.folder / "console").read_text(encoding="utf-8", errors="replace").splitlines()
                raise AssertionError("nobody can log in:\n" + "\n".join(lines[-60:]))
            time.sleep(5)

    @classmethod
    def run_inside(cls, command, **options):
        return subprocess.run(
            ["ssh", "-q", "-i", str(cls.key), "-p", str(cls.port), "-o", "BatchMode=yes", "-o", "ConnectTimeout=30",
             "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "root@127.0.0.1", command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)

    def inside(self, command, **options):
        """The output of a command, which must succeed."""
        ended = self.run_inside(command, **options)
        self.assertEqual(ended.returncode, 0, f"{command}: {ended.stdout}")
        return ended.stdout.strip()

    def test_1_the_system_is_up_and_follows_its_settings(self):
        self.run_inside("systemctl is-system-running --wait")
        self.assertEqual(self.inside("systemctl --failed --plain --no-legend"), "")
        self.assertEqual(self.inside("hostname"), "wrist-7")
        self.assertGreater(int(self.inside("df --output=avail --block-size=1M / | tail -n 1")), 1000)
        told = self.inside("journalctl --quiet --output cat -u anicca-first-boot")
        self.assertIn("line 6: unknown key", told)
        kept = self.inside("cat /boot/firmware/board.conf")
        self.assertIn("line 6: unknown key", kept)
        self.assertNotIn("t0ken", kept)
        # Nothing of it in the blocks of the partition either.
        self.assertEqual(self.run_inside("grep -c t0ken /dev/vda1").stdout.strip(), "0")

    def test_2_no_password_opens_it(self):
        # L: no password of root is right (passwd(1)).
        self.assertEqual(self.inside("passwd --status root").split()[1], "L")

    def test_3_the_network_of_the_settings_is_stored_by_its_bytes(self):
        network = self.inside("cat /etc/wpa_supplicant/wpa_supplicant-wlan0.conf")
        self.assertIn(f"ssid={'Café 5'.encode().hex()}\n", network)
        key = hashlib.pbkdf2_hmac("sha1", b"correct horse", "Café 5".encode(), 4096, 32).hex()
        self.assertIn(f"psk={key}\n", network)

    def test_4_the_agent_is_there_and_off(self):
        self.assertEqual(self.inside("systemctl is-active aniccad"), "active")
        status = json.loads(self.inside("anicca status --json"))
        self.assertTrue(status["toggles"])
        self.assertFalse([name for name, toggle in status["toggles"].items() if toggle["on"]])
        checks = {check["check"]: check for check in json.loads(self.run_inside("anicca doctor --json 2>/dev/null").stdout)}
        self.assertEqual(checks["i2c-bus"]["state"], "failed")
        self.assertIn("/dev/i2c-header", checks["i2c-bus"]["found"])
        self.assertEqual(checks["account"]["state"], "ok")

    def test_5_a_simulated_sensor_is_found_and_walks(self):
        subprocess.run(
            ["scp", "-q", "-i", str(self.key), "-P", str(self.port), "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
             *map(str, LAB), "root@127.0.0.1:/root/"], check=True)
        self.inside("apt-get --quiet --quiet update && apt-get --quiet --quiet --yes install /root/anicca-*.deb")
        self.inside("systemd-run --quiet --unit=live anicca-lab live")
        hint = self.inside("until journalctl --quiet --output cat -u live | grep -m 1 'anicca status --config'; do sleep 1; done", timeout=600)
        config = hint.split()[-1]
        watch = self.inside(f"anicca watch --json --for 20s --config {config} | tail -n 1")
        self.assertIn('"activity":"walking"', watch)
        doctor = json.loads(self.run_inside(f"anicca doctor --json --config {config} 2>/dev/null").stdout)
        self.assertIn("ok", [check["state"] for check in doctor if check["check"] == "imu"])
        self.inside("systemctl stop live")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    IMAGE, *LAB = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    unittest.main(argv=sys.argv[:1], verbosity=2)
