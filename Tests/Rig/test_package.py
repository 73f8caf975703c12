"""The package in a running system: the effects of an upgrade, a removal, a purge and a new installation.

The effects of its scripts in a system that does not run are proved in deploy/test-deb.py.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from devices import GPIOChip
from proofs import AS_ANICCA, Proof
from rig import SUITE
from receiver import Receiver, signed_in

PACKAGES = Path(os.environ.get("RIG_PACKAGES") or Path(__file__).resolve().parents[2] / ".build" / "deb")
KEY = "/etc/credstore.encrypted/anicca.key"


def newest_package() -> Path:
    """The package that the image has, as prepare.sh chooses it."""
    built = PACKAGES.glob("anicca-edge_*_amd64.deb")
    fitting = [path for path in built if ("+deb13" in path.name) == (SUITE == "trixie")]
    return max(fitting, key=lambda path: path.stat().st_mtime)


def with_higher_version(package: Path, directory: Path) -> Path:
    """The same package as its next version."""
    content = directory / "content"
    subprocess.run(["dpkg-deb", "--raw-extract", package, content], check=True)
    control = content / "DEBIAN" / "control"
    lines = control.read_text().splitlines()
    control.write_text("\n".join(f"{line}.1" if line.startswith("Version:") else line for line in lines) + "\n")
    subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "--build", content, directory / "next.deb"],
                   check=True, stdout=subprocess.DEVNULL)
    return directory / "next.deb"


#: Prints the parts of the package that are present, a line for each.
LOOK = f"""
units="aniccad anicca-upload.timer anicca-upload.path"
echo active=$(systemctl is-active $units)
echo gpsd=$(systemctl is-active anicca-gpsd.socket) $(systemctl is-enabled anicca-gpsd.socket 2>/dev/null) \
    $(stat -c '%a %U:%G' /run/anicca-gpsd/sock 2>/dev/null)
echo enabled=$(systemctl is-enabled $units 2>/dev/null)
echo process=$(systemctl show --property=MainPID --value aniccad)
echo processes=$(pgrep --count --euid anicca)
echo files=$(ls -d {KEY} /var/lib/anicca/key /var/lib/anicca/ledger.sqlite /etc/anicca/anicca.conf 2>/dev/null)
echo mode=$(stat -c '%a %U' {KEY} 2>/dev/null)
echo mine=$(grep --count '^# mine' /etc/anicca/anicca.conf 2>/dev/null)
echo toggles=$(anicca status --json 2>/dev/null | python3 -c 'import json, sys
toggles = json.load(sys.stdin)["toggles"].items()
print([(name, toggle["since"]) for name, toggle in toggles if toggle["on"]])' 2>/dev/null)
echo trail=$(anicca audit --verify 2>/dev/null)
echo uploaded=$(systemctl show --property=Result --value anicca-upload)
echo user=$(id --user --name anicca)
echo left=$(find / -xdev -path /var/log -prune -o -name '*anicca*' -not -path '/var/lib/systemd/deb-systemd*' -print)
echo units=$(systemctl list-units --all --plain --no-legend 'anic*')
"""

STORED = ["/etc/anicca/anicca.conf", KEY, "/var/lib/anicca/ledger.sqlite"]


class PackageTests(Proof):
    """One life of the package: the observations at each station."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.receive_packages()
        chip = GPIOChip(cls.guest)
        cls.dpkg("--purge anicca-edge-lab anicca-receiver anicca-edge")
        cls.dpkg("--install /host/package.deb")
        cls.installed = cls.look()
        cls.use(chip)
        cls.used = cls.look()
        cls.planted = cls.guest.run(f"head -c 32 /dev/zero | {AS_ANICCA} sh -c 'umask 077; cat >/var/lib/anicca/key';"
                                    " anicca status; status=$?; rm /var/lib/anicca/key; exit $status")
        cls.guest.output("echo '# mine' >>/etc/anicca/anicca.conf; systemctl disable --now anicca-upload.path;"
                         " systemctl enable --now anicca-gpsd.socket")
        cls.dpkg("--force-confold --install /host/next.deb")
        cls.upgraded = cls.look()
        cls.dpkg("--remove anicca-edge")
        cls.removed = cls.look()
        cls.dpkg("--install /host/next.deb")
        cls.returned = cls.look()
        cls.dpkg("--purge anicca-edge")
        cls.purged = cls.look()

    @classmethod
    def receive_packages(cls) -> None:
        shutil.copy(newest_package(), cls.guest.shared / "package.deb")
        with tempfile.TemporaryDirectory() as directory:
            shutil.copy(with_higher_version(newest_package(), Path(directory)), cls.guest.shared)

    @classmethod
    def dpkg(cls, arguments: str) -> None:
        cls.guest.output(f"DEBIAN_FRONTEND=noninteractive dpkg --force-unsafe-io {arguments}", timeout=120)

    @classmethod
    def use(cls, chip: GPIOChip) -> None:
        """As a wearer does: signs in, turns steps on, and has the uploader run."""
        Receiver(cls.guest).start()
        cls.configure(f"{signed_in()}\n[steps]\nchip = {chip.node}\nline = 5")
        cls.guest.output("systemctl reload aniccad && anicca toggle steps on --agree && systemctl start anicca-upload")

    @classmethod
    def look(cls) -> dict[str, str]:
        return dict(line.split("=", 1) for line in cls.guest.output(LOOK).splitlines())

    def test_an_installation_starts_daemon_timer_and_bell_and_collects_nothing(self) -> None:
        self.assertEqual("active active active", self.installed["active"])
        self.assertEqual("enabled enabled enabled", self.installed["enabled"])
        self.assertEqual("[]", self.installed["toggles"])

    def test_its_key_is_a_private_credential_that_both_services_and_root_use_and_no_key_file_appears(self) -> None:
        self.assertEqual("600 root", self.installed["mode"])
        self.assertEqual(STORED, self.used["files"].split())
        self.assertIn("steps", self.used["toggles"])
        self.assertEqual("success", self.used["uploaded"])

    def test_a_key_file_beside_the_credential_locks_nobody_out(self) -> None:
        self.assertEqual(0, self.planted.returncode, self.planted.stderr)

    def test_the_way_to_gpsd_is_off_until_it_is_turned_on_then_the_agents_alone_and_gone_with_the_package(self) -> None:
        self.assertEqual("inactive disabled", self.used["gpsd"])
        self.assertEqual("active enabled 660 root:anicca", self.upgraded["gpsd"])
        self.assertIn("inactive", self.removed["gpsd"])
        self.assertNotIn("root", self.removed["gpsd"])

    def test_an_upgrade_starts_the_daemon_anew(self) -> None:
        self.assertNotIn(self.upgraded["process"], ("0", self.used["process"]))

    def test_an_upgrade_keeps_store_configuration_and_toggles(self) -> None:
        for what in ("files", "toggles", "trail"):
            self.assertEqual(self.used[what], self.upgraded[what])
        self.assertEqual("1", self.upgraded["mine"])

    def test_an_upgrade_leaves_off_what_the_administrator_has_turned_off(self) -> None:
        self.assertEqual("active active inactive", self.upgraded["active"])
        self.assertEqual("enabled enabled disabled", self.upgraded["enabled"])

    def test_a_removal_stops_everything_and_keeps_what_was_collected(self) -> None:
        self.assertEqual("inactive inactive inactive", self.removed["active"])
        self.assertEqual("0", self.removed["processes"])
        self.assertEqual(STORED, self.removed["files"].split())

    def test_who_installs_it_again_goes_on_where_they_were(self) -> None:
        for what in ("files", "toggles", "trail", "mine", "enabled"):
            self.assertEqual(self.upgraded[what], self.returned[what])
        self.assertEqual("active active inactive", self.returned["active"])

    def test_a_purge_leaves_nothing_but_the_user(self) -> None:
        self.assertEqual(("", "", "anicca"), tuple(self.purged[what] for what in ("left", "units", "user")))


if __name__ == "__main__":
    unittest.main()
