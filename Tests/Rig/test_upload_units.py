"""Starts of the installed uploader under a real systemd: by the bell, the nightly timer, and after a failure."""

from __future__ import annotations

import time
import unittest
from typing import Any

from proofs import AS_ANICCA, Proof
from receiver import Receiver, signed_in
from sensing import VirtualTimeProof

HOUR = 3600.0
DAY = 24 * HOUR

#: When the nightly timer fired last, for systemd.
STAMP = "/var/lib/systemd/timers/stamp-anicca-upload.timer"

#: Of systemd's message catalogue.
UNIT_STARTING = "7d4958e842da4a758f6c1cdc7b36dcc5"
UNIT_STARTED = UNIT_FINISHED = "39f53479d3a045ac8e11786248231fbf"


def seconds(entry: dict[str, Any]) -> float:
    """When an entry of the journal was made, in seconds since the guest's boot."""
    return int(entry["__MONOTONIC_TIMESTAMP"]) / 1e6


class UploadRuns(Proof):
    """Claims about starts of anicca-upload.service."""

    def runs(self, after: str) -> list[dict[str, Any]]:
        """systemd's messages about starts of the uploader."""
        return self.journal("UNIT=anicca-upload.service", f"MESSAGE_ID={UNIT_STARTING}", after=after)


class UploadProof(UploadRuns):
    """Claims about anicca-upload.service, with records of a simulated life. The daemon does not run."""

    #: Days of long ago are kept, and there is a new one for each test.
    delivery = "[delivery]\nkeep-undelivered = 90d"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.receiver = Receiver(cls.guest)
        cls.configure(f"{signed_in()}\n{cls.delivery}")
        cls.guest.output("systemctl stop aniccad anicca-upload.timer")
        cls.days = 0

    def setUp(self) -> None:
        self.receiver.stop()
        self.guest.output("systemctl stop anicca-upload-again.timer anicca-upload; systemctl reset-failed anicca-upload")

    def live_a_day(self, run: str = AS_ANICCA) -> None:
        """Queues the records of a new day, and rings for its events."""
        day = self.guest.output(f"date -u +%F -d '80 days ago {self.days} days'")
        type(self).days += 2
        self.guest.output(f"for domain in motion steps; do {AS_ANICCA} anicca-lab toggle $domain on; done;"
                          f" {run} anicca-lab daemon {self.days} --days 2 --from {day}")

    def queue_a_day(self) -> None:
        """Queues the records of a new day, without a signal."""
        self.guest.output("systemctl stop anicca-upload.path")
        self.live_a_day()
        self.guest.output("rm -f /run/anicca/upload; systemctl start anicca-upload.path")
        self.assertGreater(self.waiting(), 1)
        self.mark = self.cursor()

    def ring(self) -> float:
        """Rings for the uploader as the daemon does, and tells when by the guest's clock, in seconds since its boot."""
        return float(self.guest.output(f"cut -d' ' -f1 /proc/uptime; {AS_ANICCA} touch /run/anicca/upload"))

    def waiting(self) -> int:
        """The count of waiting records and events."""
        delivery = self.status()["delivery"]
        return delivery["queuedDays"] + delivery["queuedEvents"]

    def wait_until_delivered(self, within: float = 20) -> None:
        self.eventually(lambda: self.waiting() == 0, "all is delivered", within)
        self.wait_for_end_of_run()

    def wait_for_end_of_run(self) -> None:
        self.eventually(lambda: self.unit("anicca-upload", "ActiveState") in ("inactive", "failed"), "the run ends")


class BellTests(UploadProof):
    """anicca-upload.path and the service that it starts."""

    delivery = "[delivery]\nkeep-undelivered = 90d\nfirst-retry = 1s\nlongest-retry = 1s"

    def test_an_event_rings_and_is_sent_within_two_seconds(self) -> None:
        self.receiver.start()
        mark = self.cursor()
        self.live_a_day("systemd-run --quiet --wait --uid=anicca")
        event = self.journal("ANICCA_EVENT=sedentaryLong", after=mark)[0]
        self.wait_until_delivered()
        self.assertLess(seconds(self.runs(mark)[0]) - seconds(event), 2)
        self.assertEqual("success", self.unit("anicca-upload", "Result"))

    def test_a_ring_during_a_run_starts_another_after_it(self) -> None:
        self.receiver.start({"stall": 15})
        self.queue_a_day()
        self.ring()
        self.eventually(lambda: self.receiver.query("SELECT * FROM requests WHERE id > 0"), "the first request")
        self.assertEqual("activating", self.unit("anicca-upload", "ActiveState"))
        rung = self.ring()
        self.eventually(lambda: len(self.runs(self.mark)) == 2, "another run")
        self.wait_until_delivered()
        first_end = self.journal("UNIT=anicca-upload.service", f"MESSAGE_ID={UNIT_FINISHED}", after=self.mark)[0]
        self.assertGreater(seconds(first_end), rung)
        self.assertGreaterEqual(seconds(self.runs(self.mark)[1]), seconds(first_end))
        self.assertEqual(2, len(self.runs(self.mark)))


class NetworkTests(UploadProof):
    """The return of a network, and a sign-in: what starts a run while the next one is far away."""

    delivery = "[delivery]\nkeep-undelivered = 90d\nfirst-retry = 10min\nlongest-retry = 10min"

    def test_whoever_looks_after_the_network_rings(self) -> None:
        self.queue_a_day()
        self.ring()
        self.wait_for_end_of_run()
        self.assertEqual("active", self.unit("anicca-upload-again.timer", "ActiveState"))
        self.receiver.start()
        for quiet in ("lo up", "wlan0 down", "wlan0 pre-up"):
            self.guest.output(f"/usr/lib/NetworkManager/dispatcher.d/90-anicca {quiet}")
            self.assertEqual("inactive", self.unit("anicca-network", "ActiveState"))
        self.assertEqual(1, len(self.runs(self.mark)))
        mark = self.cursor()
        self.guest.output("for n in $(seq 40); do /usr/lib/NetworkManager/dispatcher.d/90-anicca wlan0 up; done")
        self.wait_until_delivered(within=40)
        self.assertEqual(1, len(self.runs(mark)), "a dispatcher that calls often has one run of its calls")
        self.assertEqual("inactive", self.unit("anicca-upload-again.timer", "ActiveState"))
        for other in ("IFACE=eth0 /usr/lib/networkd-dispatcher/routable.d/90-anicca",
                      "IFACE=eth0 run-parts /etc/network/if-up.d",
                      "if_up=true reason=BOUND sh -c '. /usr/lib/dhcpcd/dhcpcd-hooks/70-anicca'"):
            mark = self.cursor()
            self.guest.output(other)
            self.eventually(lambda: self.runs(mark), other, within=40)
            self.wait_for_end_of_run()

    def test_networkd_rings_where_a_network_can_be_routed(self) -> None:
        self.queue_a_day()
        self.receiver.start()
        masks = "/etc/systemd/system/systemd-networkd.service /etc/systemd/system/systemd-networkd.socket"
        self.addCleanup(self.guest.output, f"""systemctl stop anicca-network.path systemd-networkd.socket systemd-networkd
            ip link delete proof0; rm /etc/systemd/network/proof.network
            for mask in {masks}; do ln -s /dev/null $mask; done; systemctl daemon-reload""")
        network = "[Match]\nName=proof0\n[Network]\nAddress=192.0.2.1/24\nGateway=192.0.2.2\nConfigureWithoutCarrier=yes\n"
        self.guest.output(f"""set -e; printf '{network}' >/etc/systemd/network/proof.network
            rm {masks}; systemctl daemon-reload; systemctl start systemd-networkd""")
        self.assertEqual("active", self.unit("anicca-network.path", "ActiveState"))
        self.assertEqual([], self.runs(self.mark))
        self.guest.output("ip link add proof0 type dummy && ip link set proof0 up")
        self.wait_until_delivered(within=60)
        self.eventually(lambda: self.unit("anicca-network", "ActiveState") == "inactive", "the ring has ended", within=40)
        mark = self.cursor()
        self.guest.output("ip link set proof0 down")
        self.eventually(lambda: self.journal("UNIT=anicca-network.service", "--grep=ondition", after=mark),
                        "nothing can be routed", within=40)
        self.assertEqual([], self.runs(mark))

    def test_who_signs_in_is_a_credential_of_this_device(self) -> None:
        self.receiver.start()
        self.queue_a_day()
        self.addCleanup(self.configure, f"{signed_in()}\n{self.delivery}")
        self.addCleanup(self.guest.output, "anicca sign-out")
        self.guest.output("sed -i '/^user-id/d; /^token-file/d' /etc/anicca/anicca.conf.d/proof.conf")
        self.guest.output("anicca sign-in --user-id 6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f </etc/anicca/token")
        self.assertEqual("600 root", self.guest.output(
            "stat -c '%a %U' /etc/credstore.encrypted/anicca.account").strip())
        token = self.guest.output("cat /etc/anicca/token").strip()
        self.assertEqual(1, self.guest.run(
            f"grep -rqs {token} /etc/credstore.encrypted /var/lib/anicca /run/anicca").returncode)
        self.wait_until_delivered()
        self.assertIn("systemd credential", self.guest.run("anicca doctor").stdout)

    def test_a_sign_in_for_another_configuration_leaves_the_account_of_the_units(self) -> None:
        first, second = "6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f", "7a1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f"
        self.addCleanup(self.configure, f"{signed_in()}\n{self.delivery}")
        self.addCleanup(self.guest.output, "anicca sign-out; rm -rf /root/other /root/other.conf")
        self.guest.output("sed -i '/^user-id/d; /^token-file/d' /etc/anicca/anicca.conf.d/proof.conf; mkdir /root/other")
        self.guest.output("printf '[store]\\ndirectory = /root/other\\nkey-file = /root/other/key\\n' >/root/other.conf")
        self.guest.output(f"echo token-of-the-first | anicca sign-in --user-id {first}")
        digest = self.guest.output("sha256sum /etc/credstore.encrypted/anicca.account")
        self.guest.output(f"echo token-of-the-second | anicca sign-in --user-id {second} --config /root/other.conf")
        self.assertIn(second, self.guest.output("cat /root/other/anicca.account"))
        self.assertEqual("signed out", self.guest.output("anicca sign-out --config /root/other.conf").strip())
        self.assertEqual(digest, self.guest.output("sha256sum /etc/credstore.encrypted/anicca.account"))

    def test_a_sign_in_that_fails_leaves_the_account_before_and_says_so(self) -> None:
        first, second = "6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f", "7a1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f"
        self.addCleanup(self.configure, f"{signed_in()}\n{self.delivery}")
        credential = "/etc/credstore.encrypted/anicca.account"
        self.addCleanup(self.guest.output, f"rm -rf {credential}.new /var/lib/anicca/anicca.account; anicca sign-out")
        self.guest.output("sed -i '/^user-id/d; /^token-file/d' /etc/anicca/anicca.conf.d/proof.conf")
        self.guest.output(f"echo token-of-the-first | anicca sign-in --user-id {first}; mkdir {credential}.new")
        for user, status, remedy in (("root", 73, f"remove {credential}.new"), ("anicca", 77, "sudo anicca sign-in")):
            sign_in = f"setpriv --reuid={user} --regid={user} --init-groups anicca sign-in --user-id {second}"
            refused = self.guest.run(f"echo token-of-the-second | {sign_in}")
            self.assertEqual((status, ""), (refused.returncode, refused.stdout))
            self.assertIn(remedy, refused.stderr)
        self.assertEqual(1, self.guest.run("ls /var/lib/anicca | grep account").returncode)
        self.assertIn(first, self.guest.output(f"systemd-creds decrypt --name=anicca.account {credential} -"))
        self.guest.output(f"echo rubbish >{credential}")
        self.assertEqual(77, self.guest.run("anicca upload").returncode)
        self.assertIn("does not open on this device", self.guest.run("anicca doctor").stdout)


class PatienceTests(UploadProof):
    """Starts that wait for a quarter of an hour, in virtual time, where that passes in a moment.

    That the guest reads its disk does not hold the clock up. So the programs to start must be in memory, and the
    timeouts of starts are off.
    """

    arguments = VirtualTimeProof.arguments

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.drop_in("anicca-upload.service", "Service", TimeoutStartSec="infinity")
        cls.guest.output("cat /usr/bin/anicca* /host/anicca-receiver >/dev/null")

    def test_what_fails_is_tried_again_from_half_a_minute_on_until_it_succeeds(self) -> None:
        self.queue_a_day()
        self.ring()
        self.eventually(lambda: len(self.runs(self.mark)) >= 4, "four runs", within=30)
        self.receiver.start()
        self.wait_until_delivered(within=60)
        runs = [seconds(run) for run in self.runs(self.mark)]
        gaps = [later - earlier for earlier, later in zip(runs, runs[1:])]
        self.assertTrue(all(30 <= gap < 3700 for gap in gaps), gaps)
        self.assertLess(gaps[0], 60, gaps)
        self.assertEqual("inactive", self.unit("anicca-upload-again.timer", "ActiveState"))

    def test_after_many_crashes_it_is_left_alone_and_tried_again_later(self) -> None:
        mark = self.cursor()
        self.addCleanup(self.guest.output, "systemctl stop aniccad")
        self.guest.output("systemctl start aniccad; until systemctl --quiet is-failed aniccad; do"
                          " systemctl kill --signal=KILL aniccad; sleep 1; done")
        self.eventually(lambda: self.unit("aniccad", "ActiveState") == "active", "it is tried again")
        starts = [seconds(entry) for entry in
                  self.journal("UNIT=aniccad.service", f"MESSAGE_ID={UNIT_STARTED}", after=mark)]
        pauses = [later - earlier for earlier, later in zip(starts, starts[1:])]
        self.assertTrue(all(5 <= pause < 60 for pause in pauses[:-1]) and 900 <= pauses[-1] < 1000, pauses)


class TimerTests(UploadRuns):
    """anicca-upload.timer."""

    def test_it_fires_between_three_and_four_utc_at_a_time_of_this_devices_own(self) -> None:
        times = []
        for moment in ("tomorrow 02:00", "04:00"):
            self.guest.output(f"date --utc --set='{moment}' && touch {STAMP} && systemctl restart anicca-upload.timer")
            times.append(self.next_run() % DAY)
        self.assertTrue(3 * HOUR <= times[0] < 3.5 * HOUR, times)
        self.assertEqual(times[0], times[1])

    def test_it_fires_twice_half_an_hour_apart(self) -> None:
        # When the clock is set forward, systemd adds the delay to the time of that.
        self.drop_in("anicca-upload.timer", "Timer", AccuracySec="100ms", RandomizedDelaySec="1s")
        self.addCleanup(self.drop_in, "anicca-upload.timer", "Timer")
        for moment in ("tomorrow 02:59:59", "03:29:59"):
            mark = self.cursor()
            self.guest.output(f"date --utc --set='{moment}'")
            self.eventually(lambda: self.runs(mark), f"a run soon after {moment}")

    def test_what_a_night_without_power_missed_is_made_up_for_within_half_an_hour_of_the_next_boot(self) -> None:
        # By the host's clock, which the guest has again after the boot.
        last_run = time.time() - 2 * DAY
        self.guest.output(f"touch --date=@{last_run:.0f} {STAMP}")
        self.guest.stop()
        self.guest.start()
        self.assertLess(self.next_run() - float(self.guest.output("date +%s")), HOUR / 2)

    def next_run(self) -> float:
        """When the timer fires next, in seconds since 1970."""
        return float(self.guest.output(
            "date +%s --date=\"$(systemctl show --property=NextElapseUSecRealtime --value anicca-upload.timer)\""))


if __name__ == "__main__":
    unittest.main()
