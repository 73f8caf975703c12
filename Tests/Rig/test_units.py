"""aniccad.service of the installed package under a real systemd: its life, and its messages in the journal."""

from __future__ import annotations

import json
import unittest

from devices import GPIOChip
from proofs import Proof

LINE = 5

#: A restart after a crash comes sooner than in the installed unit.
IMPATIENCE = {"RestartSec": "200ms"}


class DaemonTests(Proof):
    """aniccad.service, with shorter timeouts than in the installed unit."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.chip = GPIOChip(cls.guest)
        cls.configure(f"[steps]\nline = {LINE}\n[store]\ncommit-interval = 1s")
        cls.drop_in("aniccad.service", "Service", **IMPATIENCE)
        cls.guest.output("systemctl restart aniccad && anicca toggle steps on --agree"
                         " && until grep -qw anicca /sys/kernel/debug/gpio; do sleep 0.05; done")

    def setUp(self) -> None:
        self.guest.output("systemctl reset-failed aniccad; systemctl start aniccad")

    def test_it_is_ready_when_systemd_says_so_and_says_what_it_collects(self) -> None:
        self.assertEqual(["active", "notify"], [self.unit("aniccad", name) for name in ("ActiveState", "Type")])
        self.assertEqual("steps", self.unit("aniccad", "StatusText"))

    def test_it_runs_as_its_own_user_with_both_groups_and_without_any_power(self) -> None:
        names = dict(zip(("anicca", "i2c", "gpio"), self.guest.output(
            "id -u anicca; getent group i2c | cut -d: -f3; getent group gpio | cut -d: -f3").split()))
        status = dict(line.split(":\t", 1) for line in self.guest.output(
            f"cat /proc/{self.unit('aniccad', 'MainPID')}/status").splitlines() if ":\t" in line)
        self.assertEqual({names["anicca"]}, set(status["Uid"].split()))
        self.assertLessEqual({names["i2c"], names["gpio"]}, set(status["Groups"].split()))
        self.assertEqual({0}, {int(status[kind], 16) for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")})
        self.assertEqual("1", status["NoNewPrivs"])

    def test_of_run_it_sees_what_it_uses_and_gpsd_also_when_that_comes_later(self) -> None:
        self.addCleanup(self.guest.output, "systemctl stop anicca-gpsd.socket")
        self.guest.output("systemctl start anicca-gpsd.socket")
        run = f"/proc/{self.unit('aniccad', 'MainPID')}/root/run"
        self.assertLessEqual(
            set(self.guest.output(f"ls {run}").split()), {"anicca", "anicca-gpsd", "credentials", "systemd", "udev"})
        # By "incoming" systemd hands mounts in.
        self.assertLessEqual(set(self.guest.output(f"ls {run}/systemd").split()), {"incoming", "journal", "notify"})
        self.guest.output(f"test -S {run}/anicca-gpsd/sock")

    def test_a_daemon_that_hangs_is_killed_and_started_again_and_knows_its_steps(self) -> None:
        before = self.walk(8)
        self.addCleanup(self.drop_in, "aniccad.service", "Service", **IMPATIENCE)
        self.drop_in("aniccad.service", "Service", **IMPATIENCE, WatchdogSec="3s")
        self.guest.output("systemctl restart aniccad")
        process = self.unit("aniccad", "MainPID")
        self.guest.output(f"kill -STOP {process}")
        self.eventually(lambda: self.unit("aniccad", "MainPID") not in ("0", process), "a new daemon", within=15)
        self.eventually(lambda: self.unit("aniccad", "ActiveState") == "active", "the new daemon is ready")
        self.assertTrue(self.journal("UNIT=aniccad.service", "--grep='Watchdog timeout'"))
        self.assertEqual(before, self.pulses())

    def test_a_new_configuration_is_taken_up_without_a_restart(self) -> None:
        process, after = self.unit("aniccad", "MainPID"), self.cursor()
        self.guest.output("systemctl reload aniccad")
        self.eventually(lambda: self.journal("ANICCA_EVENT=reloaded", after=after), "the reload is logged")
        self.assertEqual((process, "active"), (self.unit("aniccad", "MainPID"), self.unit("aniccad", "ActiveState")))
        self.assertTrue(self.status()["toggles"]["steps"]["on"])

    def test_a_start_with_a_broken_configuration_is_not_hurried(self) -> None:
        self.guest.output("printf '[steps]\\nline = many\\n' >/etc/anicca/anicca.conf.d/broken.conf")
        self.addCleanup(self.guest.output, "rm -f /etc/anicca/anicca.conf.d/broken.conf")
        mark = self.cursor()
        self.assertNotEqual(0, self.guest.run("systemctl restart aniccad").returncode)
        self.assertEqual(["failed", "78", "0"], [
            self.unit("aniccad", name) for name in ("ActiveState", "ExecMainStatus", "NRestarts")])
        self.assertEqual("active", self.unit("anicca-retry@aniccad.timer", "ActiveState"))
        self.assertIn("/etc/anicca/anicca.conf.d/broken.conf:2",
                      self.journal("ANICCA_EVENT=configInvalid", after=mark)[0]["MESSAGE"])

    def test_it_stops_cleanly_and_writes_down_what_it_has(self) -> None:
        before = self.walk(3)
        self.addCleanup(self.chip.pull, LINE, up=False)
        self.chip.pull(LINE, up=True)
        self.guest.output("systemctl stop aniccad")
        self.assertEqual(["success", "0", "inactive"], [
            self.unit("aniccad", name) for name in ("Result", "ExecMainStatus", "ActiveState")])
        self.assertEqual(before + 1, self.pulses())

    def test_an_ordinary_user_is_told_to_use_sudo(self) -> None:
        refused = self.guest.run("setpriv --reuid=nobody --regid=nogroup --clear-groups anicca status")
        self.assertEqual((77, ""), (refused.returncode, refused.stdout))
        self.assertIn("sudo anicca", refused.stderr)

    def test_root_leaves_nothing_of_its_own_in_the_store(self) -> None:
        self.guest.output("anicca status && anicca audit --verify && anicca days")
        self.assertEqual("", self.guest.output("find /var/lib/anicca ! -user anicca"))

    def test_the_key_file_is_made_at_the_first_start_and_is_private(self) -> None:
        # The image was made where no systemd ran, so there is no credential.
        self.assertEqual("600 anicca 32", self.guest.output("stat -c '%a %U %s' /var/lib/anicca/key"))

    # A wearer

    def walk(self, steps: int) -> int:
        """Takes steps, waits until they are stored, and gives back how many pulses are."""
        before = self.pulses()
        pull = self.chip.pull_file(LINE)
        self.guest.output(f"for step in $(seq {steps}); do echo pull-up >{pull}; sleep 0.13;"
                          f" echo pull-down >{pull}; sleep 0.13; done")
        self.eventually(lambda: self.pulses() == before + steps, f"{before} and {steps} pulses are stored")
        return self.pulses()

    def pulses(self) -> int:
        days = json.loads(self.guest.output("anicca days --json"))
        return sum(day.get("rawPulses", 0) for day in [*days, self.status()["today"]])


class CompanionTests(Proof):
    """The phone's bell and its folder, in the unit as it ships."""

    def as_bridge(self, command: str) -> str:
        """A user who is in the group of the folder, and no more."""
        return f"setpriv --reuid=nobody --regid=anicca-companion --clear-groups {command}"

    def test_the_group_of_the_folder_rings_the_bell_and_nobody_else(self) -> None:
        self.configure("[store]\ncommit-interval = 1s")
        self.guest.output("install -d -m 3730 -o anicca -g anicca-companion /var/lib/anicca-companion/inbox;"
                          " systemctl restart aniccad && anicca toggle screenTime on --agree")
        bell = "/run/anicca/companion"
        self.eventually(lambda: self.guest.run(f"test -S {bell}").returncode == 0, "there is a bell")
        self.assertEqual("620 anicca anicca-companion", self.guest.output(f"stat -c '%a %U %G' {bell}"))
        ring = ("python3 -c 'import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)"
                f".sendto(b\".\", \"{bell}\")'")
        self.guest.output(self.as_bridge(ring))
        self.assertNotEqual(0, self.guest.run(f"setpriv --reuid=nobody --regid=nogroup --clear-groups {ring}").returncode)
        self.guest.output(self.as_bridge("anicca companion report --type sns --minutes 5"))
        self.eventually(lambda: not self.guest.output("ls /var/lib/anicca-companion/inbox"), "the report is taken")


class JournalTests(Proof):
    """The journal's entries and their explanations."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.chip = GPIOChip(cls.guest)
        cls.configure(f"[steps]\nline = {LINE}")
        cls.guest.output("systemctl reload aniccad && anicca toggle steps on --agree")
        # Runs that end at once after their entry.
        cls.guest.output("for run in 1 2 3 4 5 6 7 8 9 10; do"
                         " systemctl reset-failed anicca-upload; systemctl start anicca-upload; done")
        cls.chip.remove()
        cls.guest.output("anicca toggle steps off; anicca forget steps --yes; systemctl stop aniccad")
        cls.entries = [entry for entry in cls.journal("SYSLOG_IDENTIFIER=aniccad", "SYSLOG_IDENTIFIER=anicca-upload")
                       if "ANICCA_EVENT" in entry]

    def test_every_entry_has_the_fields_of_the_readme(self) -> None:
        events = {entry["ANICCA_EVENT"] for entry in self.entries}
        self.assertLessEqual({"started", "stopped", "permissionChanged", "reloaded"}, events)
        for entry in self.entries:
            self.assertRegex(entry["MESSAGE_ID"], "^[0-9a-f]{32}$")
            self.assertIn(entry["PRIORITY"], {"3", "4", "5", "6"})
            self.assertIn(entry.get("_SYSTEMD_UNIT"), {f"{entry['SYSLOG_IDENTIFIER']}.service", None}, entry)
        # It can be missing where this machine stood still for as long as the program waits at its end.
        self.assertLess([entry.get("_SYSTEMD_UNIT") for entry in self.entries].count(None), 3)

    def test_the_catalogue_has_every_message_id(self) -> None:
        catalogue = self.guest.output("journalctl --dump-catalog")
        for entry in self.entries:
            self.assertIn(f"-- {entry['MESSAGE_ID']}", catalogue, entry["ANICCA_EVENT"])

    def test_nothing_went_to_the_journal_around_its_fields(self) -> None:
        entries = self.journal("SYSLOG_IDENTIFIER=aniccad", "SYSLOG_IDENTIFIER=anicca-upload")
        self.assertEqual([], [entry["MESSAGE"] for entry in entries if "ANICCA_EVENT" not in entry])


if __name__ == "__main__":
    unittest.main()
