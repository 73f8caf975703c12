#!/usr/bin/env python3
"""Proves that a server is set up by one command and looked after by one command each: in a Debian of its own that systemd boots.

Usage: test-server.py DEB...

Each anicca-server among them is installed into the Debian that it was built for, 12 or 13, with the anicca-receiver of its version beside
it. One line for each proof. Needs root and systemd-nspawn.
Exit status: 0 all hold, 1 one does not, 64 wrong arguments, 77 skipped, for the reason that it prints.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from testing.package import Package
from testing.proofs import PROOFS, expect, proof, run_proofs, same
from testing.throwaway_root import CONTENTS, ThrowawayRoot

# A server before the installation.
SERVER = CONTENTS + ",nginx,postgresql,openssl,curl,ca-certificates,mosquitto,mosquitto-clients"
HIERARCHIES = [pathlib.Path("/sys/fs/cgroup", name) for name in ("systemd", "unified", "")]
NAME = "study.example.org"
CURL = f"curl --silent --cacert /etc/anicca-receiver/authority/authority.crt --connect-to ::localhost:443 https://{NAME}"
PIN = "openssl x509 -noout -pubkey | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | base64"


class BootedRoot(ThrowawayRoot):
    """A throw-away Debian in which systemd runs; commands run beside its services."""

    def download(self, packages):
        """What these packages need, because the container has no network."""
        self.output(f"apt-get update -qq && apt-get --yes -qq --no-install-recommends --download-only install {' '.join(packages)} 2>&1")

    def connect(self, address, other, others_address):
        """A cable between this container and another one, with an address at each end."""
        self._network("link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", other._leader)
        for root, own in ((self, address), (other, others_address)):
            root._network("address", "add", f"{own}/24", "dev", "cable")
            root._network("link", "set", "cable", "up")

    def slow_down(self, verb="add"):
        """The cable has 16 Mbit a second, until `del`."""
        limit = ["tbf", "rate", "16mbit", "burst", "64kbit", "latency", "800ms"] if verb == "add" else []
        subprocess.run(["nsenter", f"--target={self._leader}", "--net", "tc", "qdisc", verb, "dev", "cable", "root", *limit], check=True)

    def unplug(self):
        self._network("link", "set", "cable", "down")

    def plug_in(self):
        self._network("link", "set", "cable", "up")

    def _network(self, *words):
        subprocess.run(["nsenter", f"--target={self._leader}", "--net", "ip", *words], check=True)

    def boot(self):
        self.file("/etc/hostname").write_text("study\n")
        # As on an installed machine: services may start.
        self.file("/usr/sbin/policy-rc.d").unlink(missing_ok=True)
        self._groups = [root / self.path.name for root in HIERARCHIES if (root / "cgroup.procs").exists()]
        # Neither a name for the host's records nor a network beside the loopback.
        self._container = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--boot", "--directory", self.path,
             "--console=pipe"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=self._enter_groups)
        deadline = time.monotonic() + 120
        while not self._is_up():
            expect(time.monotonic() < deadline and self._container.poll() is None, "the container does not boot")
            time.sleep(0.5)

    def _enter_groups(self):
        """Control groups of its own, in which its systemd can end what it started: containers that share one see each other's processes."""
        for group in self._groups:
            with contextlib.suppress(OSError):  # Where the host allows none, it shares.
                group.mkdir()
                (group / "cgroup.procs").write_text(str(os.getpid()))

    def _leave_groups(self):
        for group in self._groups:
            for inner in sorted((path for path in group.rglob("*") if path.is_dir()), reverse=True) + [group]:
                with contextlib.suppress(OSError):
                    inner.rmdir()

    def _is_up(self):
        children = pathlib.Path(f"/proc/{self._container.pid}/task/{self._container.pid}/children").read_text().split()
        if not children:
            return False
        self._leader = children[0]
        return self.inside("systemctl is-system-running --wait")[0] in (0, 1) and self.inside("test -S /run/systemd/private")[0] == 0

    def inside(self, command, text="", limit=300):
        """Its exit status and its output, both streams of it."""
        enter = ["nsenter", f"--target={self._leader}", "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd", "--"]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
        ended = subprocess.run([*enter, "timeout", str(limit), "sh", "-c", command], input=text, env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return ended.returncode, ended.stdout

    def ask(self, command, text="", limit=300):
        """The output of a command, which must succeed."""
        status, printed = self.inside(command, text, limit)
        expect(status == 0, f"`{command}` ended with {status}:\n{printed}")
        return printed

    def __exit__(self, *arguments):
        container = getattr(self, "_container", None)
        if container is not None:
            container.terminate()
            try:
                container.wait(timeout=60)
            except subprocess.TimeoutExpired:
                container.kill()
                container.wait()
            self._leave_groups()
        # The last programs of the container may still remove files of theirs.
        for _ in range(10):
            try:
                return super().__exit__(*arguments)
            except FileNotFoundError:
                time.sleep(1)


class World:
    """The state that the proofs share: the root, its packages, and what devices were told."""

    def __init__(self, root, packages):
        self.root = root
        self.files = [root.receive(package.file) for package in packages]

    @contextlib.contextmanager
    def served_by(self, root):
        """Another machine is the server for a while; the first one is again, also where a proof fails."""
        first, self.root = self.root, root
        try:
            yield
        finally:
            self.root = first

    def rows(self):
        return int(self.root.ask("runuser -u anicca-owner -- psql -Atc 'SELECT count(*) FROM daily_record' anicca"))

    def tokens(self, path, **fields):
        data = " ".join(f"--data-urlencode '{key}={value}'" for key, value in fields.items())
        return json.loads(self.root.ask(f"{CURL}/oauth/{path} --data client_id=anicca {data}"))

    def deliver(self, date, key, steps=4000):
        """A daily record, as a device sends it. Returns the status."""
        record = json.dumps({"userId": self.account, "date": date, "steps": steps})
        return self.root.ask(
            f"{CURL}/mobile/daily_metrics --output /dev/null --write-out '%{{http_code}}' --header 'Authorization: Bearer {self.token}' "
            f"--header 'Content-Type: application/json' --header 'Idempotency-Key: {key}' --data '{record}'")

    def served_pin(self):
        return "sha256//" + self.root.ask(f"openssl s_client -connect localhost:443 -servername {NAME} </dev/null 2>/dev/null | {PIN}").strip()

    def wait_until_it_is_well(self):
        deadline = time.monotonic() + 60
        while self.root.inside("anicca-server check")[0] != 0:
            expect(time.monotonic() < deadline, self.root.inside("anicca-server check")[1])
            time.sleep(1)

    def pins(self):
        return self.root.ask("sed -n 's/^PINNED_KEY=//p' /etc/anicca-receiver/server.env").strip().split(";")


@proof
def one_command_installs_and_nothing_of_it_runs_before_the_set_up(world):
    world.root.ask(f"apt-get --yes --no-install-recommends -qq install {' '.join(world.files)} 2>&1")
    same(world.root.inside("systemctl is-active anicca-receiver.target anicca-receiver-maintain.timer")[1], "inactive\ninactive\n", "units")
    same(world.root.ask("dpkg --verify anicca-server anicca-receiver"), "", "differences")
    expect("/usr/bin/aniccad" not in world.root.ask("ls /usr/bin/*"), "the agent came along")


@proof
def before_the_set_up_each_command_says_that_it_is_missing(world):
    for command in ("check", "backup /root/early", "enroll P001", "table days", "renew", "new-key", "upgrade"):
        status, printed = world.root.inside(f"anicca-server {command}")
        expect((status, printed) == (1, "anicca-server: this server is not set up: anicca-server setup\n"), f"{command}: {status} {printed}")
    status, printed = world.root.inside("anicca-server setup")
    expect(status == 64 and "--name NAME" in printed, printed)
    for name in ("a b", "-x", "x/y", "$(id)", "a;b", "", "12345", "999.1.1.1", "1:2"):
        status, printed = world.root.inside(f"anicca-server setup --name '{name}'")
        expect(status == 1 and "neither a host name nor an IP address" in printed, f"{name}: {printed}")
    same(world.root.inside("runuser -u nobody -- anicca-server check")[0], 77, "as another user")
    same(world.root.inside("anicca-server setup --name")[0], 64, "usage")
    same(world.root.inside("anicca-server unknown")[0], 64, "usage")
    expect("anicca-server setup" in world.root.ask("anicca-server --help"), "no help")


@proof
def a_set_up_that_is_killed_can_be_repeated(world):
    for tenths in range(1, 25, 2):
        world.root.inside(f"timeout --signal=KILL {tenths / 10} anicca-server setup --name {NAME} --name 192.0.2.7")


@proof
def one_command_sets_it_up_and_checks_it(world):
    printed = world.root.ask(f"anicca-server setup --name {NAME} --name 192.0.2.7")
    expect("NOT OK" not in printed and f"ready at https://{NAME}" in printed, printed)
    expect(printed.count("\nok ") >= 14, printed)
    same(world.root.ask("systemctl --failed --plain --no-legend"), "", "failed units")


@proof
def a_device_without_a_terminal_enrols_and_delivers(world):
    lines = world.root.ask("anicca-server enroll P017")
    expect(f"server = https://{NAME}\n" in lines and "authority.crt" in lines, lines)
    code = re.search(r"(?m)^enrolment = (\S+)$", lines)[1]
    tokens = world.tokens("token", grant_type="urn:ietf:params:oauth:grant-type:device_code", device_code=code)
    world.token, world.account, world.refresh = tokens["access_token"], tokens["user_id"], tokens["refresh_token"]
    same(tokens["pinned_key"].split(";"), world.pins(), "pins")
    expect(world.served_pin() == world.pins()[0], "the pin is not of the key that is served")
    same(world.deliver("2026-11-20", "11111111-1111-4111-8111-111111111111"), "200", "status")
    same(world.rows(), 1, "records")


@proof
def a_device_with_a_terminal_shows_a_code_that_is_approved(world):
    asked = world.tokens("device_authorization")
    printed = world.root.ask(f"anicca-server approve {asked['user_code']} P018")
    expect("a new participant" in printed, printed)
    tokens = world.tokens("token", grant_type="urn:ietf:params:oauth:grant-type:device_code", device_code=asked["device_code"])
    expect(tokens["user_id"] != world.account, "two participants with one account")
    expect(f"server = https://{NAME}\n" in world.root.ask("anicca-server enroll --days 5 P019"), "an enrolment without a server")
    status, printed = world.root.inside("journalctl --output=export | grep -a -B 12 -A 12 -E 'P01[789]'")
    expect(status == 1, f"a participant is named in the journal: {printed}")


@proof
def reading_takes_one_command_each(world):
    expect("4000" in world.root.ask("anicca-server table days"), "no row")
    expect("P017" in world.root.ask("anicca-server page"), "no participant")
    expect('"steps":4000' in world.root.ask(f"anicca-server export --account {world.account}"), "no record")


@proof
def events_are_answered_by_the_policy_that_is_applied(world):
    event = json.dumps({"eventType": "sedentary_long", "eventPayload": {"stationaryMinutes": 90}, "timestamp": "NOW"})
    send = (f"{CURL}/nudge/trigger --header 'Authorization: Bearer {world.token}' --header 'Content-Type: application/json' "
            "--header \"Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)\" "
            f"--data \"$(echo '{event}' | sed s/NOW/$(date -u +%FT%TZ)/)\"")
    rule = {"name": "walk", "event": "sedentary_long", "strength": "light", "mostADay": 2, "text": {"en": "Walk", "de": "Geh"}}
    world.root.file("/root/policy.json").write_text(json.dumps({"language": "en", "timeZone": "Etc/UTC", "rules": [rule]}))
    world.root.file("/root/wrong.json").write_text("{}")
    expect("nudge" not in json.loads(world.root.ask(send)), "a nudge without a policy")
    status, printed = world.root.inside("anicca-server policy apply /root/wrong.json")
    expect(status == 65 and "lacks language" in printed, printed)
    expect("walk: light" in world.root.ask("anicca-server policy check /root/policy.json"), "not checked")
    world.root.ask("anicca-server participant P017 --language de")
    for words in ("/root/policy.json --date 2026-01-01", "--date 2026-01-01 /root/policy.json"):
        same(world.root.ask(f"anicca-server policy try {words}"), "", "events of a day without any")
    world.root.ask("anicca-server policy apply /root/policy.json")
    same(json.loads(world.root.ask(send))["nudge"], {"strength": "light", "message": "Geh"}, "nudge")
    world.root.ask("anicca-server policy off")
    expect("nudge" not in json.loads(world.root.ask(send)), "a nudge after it was turned off")


@proof
def events_at_a_broker_are_answered_by_the_same_policy(world):
    event = json.dumps({"key": "22222222-2222-4222-8222-222222222222", "eventType": "sedentary_long", "eventPayload": {"stationaryMinutes": 90},
                        "timestamp": "NOW"})
    ask = (f"mosquitto_rr -V 5 -q 1 -W 30 -t anicca/P017/event -e anicca/P017/answer -m \"$(echo '{event}' | sed s/NOW/$(date -u +%FT%TZ)/)\"")
    world.root.ask("systemctl start mosquitto && sed -i 's|^BROKER=.*|BROKER=mqtt://localhost|' /etc/anicca-receiver/server.env && "
                   "systemctl enable --now anicca-receiver-broker")
    same(json.loads(world.root.ask(ask)), {"key": "22222222-2222-4222-8222-222222222222"}, "the answer without a policy")
    world.root.ask("anicca-server policy apply /root/policy.json && anicca-server check")
    same(json.loads(world.root.ask(ask))["nudge"], {"strength": "light", "message": "Geh"}, "nudge")
    world.root.ask("systemctl stop anicca-receiver-broker")
    status, printed = world.root.inside("anicca-server check")
    expect(status == 1 and "NOT OK  events at mqtt://localhost are answered: journalctl -u anicca-receiver-broker" in printed, printed)
    world.root.ask("anicca-server policy off && systemctl disable --now anicca-receiver-broker mosquitto")


@proof
def the_page_is_served_to_those_with_a_password(world):
    world.root.ask("systemctl start anicca-receiver-page")
    asked = f"{CURL}/study --output /dev/null --write-out '%{{http_code}}'"
    same(world.root.ask(asked), "401", "without a password")
    world.root.ask("anicca-server password rosa", "a secret, with $ and :\n")
    same(world.root.ask(f"{asked} --user 'rosa:a secret, with $ and :'"), "200", "with it")
    same(world.root.ask(f"{asked} --user rosa:other"), "401", "with another one")
    world.root.ask("anicca-server password rosa", "the next one\n")
    same(world.root.ask(f"{asked} --user 'rosa:a secret, with $ and :'"), "401", "with the one before")
    same(world.root.ask("stat -c '%a %U %G' /etc/anicca-receiver/study.htpasswd"), "640 root www-data\n", "passwords")


@proof
def keys_are_for_root_alone(world):
    same(world.root.ask("find /etc/anicca-receiver -name '*.key' -type f -perm /077"), "", "keys that others can read")
    status, printed = world.root.inside("runuser -u www-data -- ls /etc/anicca-receiver/authority")
    expect(status != 0, printed)


@proof
def a_second_set_up_changes_nothing(world):
    listing = "find /etc/anicca-receiver /etc/nginx -type f -exec sha256sum {} + | sort"
    before = world.root.ask(listing)
    world.root.ask("anicca-server setup")
    same(world.root.ask(listing), before, "files")
    same(world.rows(), 1, "records")


@proof
def what_does_not_work_is_named_with_what_to_do(world):
    for broken, mended, line in (
            ("systemctl stop anicca-receiver@2", "systemctl start anicca-receiver@2", "NOT OK  receiver 2 serves: journalctl -u anicca-receiver@2"),
            ("systemctl stop nginx", "systemctl start nginx", f"NOT OK  nginx serves devices at https://{NAME}: nginx -t"),
            ("systemctl stop anicca-receiver-maintain.timer", "systemctl start anicca-receiver-maintain.timer",
             "NOT OK  anicca-receiver-maintain.timer is active: systemctl enable --now"),
            ("systemctl stop postgresql 'postgresql@*'", "systemctl start postgresql", "NOT OK  PostgreSQL answers: journalctl"),
            ("sed -i.kept 's/^PINNED_KEY=.*/PINNED_KEY=sha256\\/\\/AAAA/' /etc/anicca-receiver/server.env",
             "mv /etc/anicca-receiver/server.env.kept /etc/anicca-receiver/server.env", "NOT OK  the key is one that devices are told of")):
        world.root.ask(broken)
        status, printed = world.root.inside("anicca-server check")
        world.root.ask(mended)
        expect(status == 1 and line in printed, f"{broken}: {status}\n{printed}")
    world.wait_until_it_is_well()


@proof
def a_site_that_was_changed_by_hand_is_kept(world):
    site = "/etc/nginx/sites-available/anicca"
    world.root.ask(f"sed -i 's/# 203.0.113.0/203.0.113.0/' {site}")
    printed = world.root.ask("anicca-server setup")
    expect(f"{site}.before-setup" in printed, printed)
    expect("\n    203.0.113.0/24" in world.root.ask(f"cat {site}.before-setup"), "the change is lost")


@proof
def the_certificate_is_renewed_with_its_key_and_only_when_it_ends_soon(world):
    serial = f"openssl s_client -connect localhost:443 -servername {NAME} </dev/null 2>/dev/null | openssl x509 -noout -serial"
    before, pin = world.root.ask(serial), world.served_pin()
    world.root.ask("systemctl start anicca-server-renew")
    same(world.root.ask(serial), before, "serial number")
    # One that ends in ten days, in place of that.
    world.root.ask("cd /etc/anicca-receiver/authority && sed -i.kept 's/^server_days=90/server_days=10/' /usr/lib/anicca-server/certificates && "
                   "sh /usr/lib/anicca-server/certificates extend . server-1 && cp server-1.crt ../tls/current/server.crt && "
                   "mv /usr/lib/anicca-server/certificates.kept /usr/lib/anicca-server/certificates && systemctl reload nginx")
    expect("NOT OK  the certificate is valid for two weeks more" in world.root.inside("anicca-server check")[1], "not noticed")
    world.root.ask("systemctl start anicca-server-renew")
    time.sleep(1)
    expect(world.root.ask(serial) != before and world.served_pin() == pin, "not renewed, or with another key")
    world.root.ask("anicca-server check")


@proof
def the_next_key_is_one_that_devices_know_already(world):
    first, second = world.pins()
    status, printed = world.root.inside("anicca-server new-key")
    expect(status == 1 and "60 days" in printed, printed)
    world.root.ask("touch -d '61 days ago' /etc/anicca-receiver/authority/server-2.key")
    for tenths in range(1, 12, 2):
        world.root.inside(f"timeout --signal=KILL {tenths / 10} anicca-server new-key")
        # nginx takes the new one a moment after it was told to.
        expect(any(world.served_pin() in world.pins() or time.sleep(1) for _ in range(10)),
               "the key that is served is not one that devices are told of")
    # It goes on where it was killed, and refuses where it was not.
    status, printed = world.root.inside("anicca-server new-key")
    expect(status == 0 or "60 days" in printed, printed)
    time.sleep(1)
    same(world.served_pin(), second, "the pin that is served")
    expect(world.pins()[0] == second and world.pins()[1] not in (first, second), f"{world.pins()}")
    tokens = world.tokens("token", grant_type="refresh_token", refresh_token=world.refresh)
    world.token = tokens["access_token"]
    same(tokens["pinned_key"].split(";"), world.pins(), "what devices are told")
    pins = world.pins()
    status, printed = world.root.inside("sleep 1; touch /etc/anicca-receiver/server.env; anicca-server new-key")
    expect(status == 1 and "60 days" in printed and world.pins() == pins, printed)
    world.root.ask("began=$(systemctl show --timestamp=unix --property=ActiveEnterTimestamp --value anicca-receiver@2); "
                   "test ${began#@} -ge $(stat -c %Y /etc/anicca-receiver/server.env)")
    world.root.ask("anicca-server check")


@proof
def another_name_keeps_the_key_and_an_address_is_a_name_too(world):
    pins = world.pins()
    for name in ("2001:db8::7", "other.example.org", NAME):
        world.root.ask(f"anicca-server setup --name {name} --name {NAME}")
        same(world.pins(), pins, "pins")
    time.sleep(1)
    expect(world.served_pin() == pins[0], "another key is served")


@proof
def a_policy_that_is_damaged_is_noticed_and_stops_nothing(world):
    world.root.ask("anicca-server policy apply /root/policy.json && echo garbage >/etc/anicca-receiver/policy.json")
    world.root.ask("systemctl restart anicca-receiver@1 anicca-receiver@2")
    same(world.deliver("2026-11-20", "11111111-1111-4111-8111-111111111111"), "200", "status")
    status, printed = world.root.inside("anicca-server check")
    expect(status == 1 and "NOT OK  the policy of nudges can be read" in printed, printed)
    world.root.ask("anicca-server policy off && anicca-server check")


@proof
def a_backup_is_complete_and_comes_back(world):
    world.root.ask("anicca-server backup /root/study.backup")
    same(world.root.ask("stat -c '%a %U' /root/study.backup"), "600 root\n", "backup")
    same(world.root.inside("anicca-server backup /root/study.backup")[0], 1, "over another one")
    same(world.deliver("2026-11-21", "22222222-2222-4222-8222-222222222222"), "200", "status")
    same(world.rows(), 2, "records")
    printed = world.root.ask("anicca-server restore /root/study.backup")
    same(world.rows(), 1, "records after it was restored")
    kept = re.search(r"is now named (anicca-before-\S+);", printed)[1]
    same(world.root.ask(f"runuser -u postgres -- psql -Atc 'SELECT count(*) FROM daily_record' {kept}"), "2\n", "what was there")
    same(world.deliver("2026-11-21", "22222222-2222-4222-8222-222222222222"), "200", "the device's next attempt")
    same(world.rows(), 2, "records")


@proof
def a_file_that_is_no_backup_changes_nothing(world):
    world.root.ask("head -c 3000 /root/study.backup >/root/half; head -c 9999 /dev/urandom >/root/noise")
    for file in ("/root/half", "/root/noise", "/root/missing"):
        status, printed = world.root.inside(f"anicca-server restore {file}")
        expect(status == 1, printed)
    same(world.rows(), 2, "records")
    world.root.ask("anicca-server check")


@proof
def the_database_of_a_moment_comes_back_from_the_archive(world):
    world.root.ask("anicca-server archive /srv/archive")
    same(world.deliver("2026-11-22", "33333333-3333-4333-8333-333333333333"), "200", "status")
    time.sleep(2)
    moment = world.root.ask("date -u '+%F %T'").strip()
    time.sleep(2)
    same(world.deliver("2026-11-23", "44444444-4444-4444-8444-444444444444"), "200", "status")
    same(world.rows(), 4, "records")
    for wrong in ("tomorrow-ish", "1999-01-01"):
        status, printed = world.root.inside(f"anicca-server restore --until '{wrong}' /srv/archive")
        expect(status == 1, printed)
        same(world.rows(), 4, f"records after {wrong}")
    world.root.ask("anicca-server check")
    # One that PostgreSQL cannot write to leaves the one there is.
    expect(world.root.inside("anicca-server archive /root/no")[0] == 1, "an archive in a directory of root")
    world.root.ask("anicca-server check")
    world.root.ask(f"anicca-server restore --until '{moment}' /srv/archive")
    same(world.rows(), 3, "records")
    same(world.deliver("2026-11-23", "44444444-4444-4444-8444-444444444444"), "200", "the device's next attempt")


@proof
def the_last_change_comes_back_from_an_archive_too(world):
    world.root.ask("anicca-server archive /srv/second")
    same(world.deliver("2026-11-24", "55555555-5555-4555-8555-555555555555"), "200", "status")
    for tenths in range(2, 42, 5):
        world.root.inside(f"timeout --signal=KILL {tenths / 10} anicca-server restore --until latest /srv/second")
    world.root.ask("anicca-server restore --until latest /srv/second")
    same(world.rows(), 5, "records")


@proof
def an_archive_with_a_gap_is_refused_and_everything_stays(world):
    world.root.ask("anicca-server archive /srv/third")
    for number in range(3):
        same(world.deliver(f"2026-10-0{number + 1}", f"66666666-6666-4666-8666-66666666666{number}"), "200", "status")
        world.root.ask("runuser -u postgres -- psql -qc 'SELECT pg_switch_wal()' && sleep 1")
    world.root.ask("cd /srv/third/wal && mv $(ls | grep -Ex '[0-9A-F]{24}' | tail -n 2 | head -n 1) /root/")
    status, printed = world.root.inside("anicca-server restore --until latest /srv/third")
    expect(status == 1 and "missing or damaged" in printed, printed)
    same(world.rows(), 8, "records")
    world.root.ask("anicca-server check")


@proof
def everything_is_back_after_a_boot(world):
    world.root.ask("anicca-server check")
    world.root.ask("systemctl stop anicca-receiver.target nginx postgresql && systemctl start multi-user.target && systemctl default")
    world.wait_until_it_is_well()


@proof
def an_upgrade_brings_the_tables_up_to_date_and_loses_no_request(world):
    world.root.ask(f"sh -c 'while [ ! -e /tmp/stop ]; do {CURL}/mobile/daily_metrics --output /dev/null --write-out \"%{{http_code}}\\n\" "
                   "--header \"Content-Type: application/json\" --data {} >>/tmp/statuses; done' >/dev/null 2>&1 & echo")
    world.root.ask(f"dpkg --install {' '.join(world.files)} 2>&1")
    world.root.ask("touch /tmp/stop")
    statuses = world.root.ask("cat /tmp/statuses").split()
    expect(set(statuses) == {"401"} and len(statuses) > 5, f"{ {status: statuses.count(status) for status in set(statuses)} }")
    world.root.ask("anicca-server check")


@proof
def a_second_machine_takes_over_and_the_first_one_comes_back(world):
    first = world.root
    with BootedRoot(first.suite, "server", SERVER) as second:
        files = [second.receive(first.file(file)) for file in world.files]
        second.download(files)
        second.boot()
        second.ask(f"apt-get --yes --no-install-recommends -qq install {' '.join(files)} 2>&1")
        first.connect("10.17.0.1", second, "10.17.0.2")
        for wrong in ("10.17.0.2.", "2001:db8:1", ":", "study.example.org"):
            status, printed = first.inside(f"anicca-server standby offer {wrong} /root/wrong.tar")
            expect(status == 1 and "is no IP address" in printed, printed)
        follow(first, "10.17.0.1", second, "10.17.0.2")
        world.wait_until_it_is_well()
        expect("a standby and serves no device" in second.ask("anicca-server check"), "the second machine does not say what it is")
        same(second.inside("anicca-server enroll P099")[0], 1, "a device enrolled at a standby")
        expect("4000" in second.ask("anicca-server table days"), "a copy that cannot be read")

        # Nothing is acknowledged that only one machine has.
        second.ask("systemctl stop postgresql 'postgresql@*'")
        same(world.deliver("2026-09-01", "77777777-7777-4777-8777-777777777777"), "503", "without the second machine")
        status, printed = first.inside("anicca-server check")
        expect(status == 1 and "NOT OK  the standby has each change before it is acknowledged" in printed, printed)
        for command in ("enroll P020", "setup", "upgrade"):
            status, printed = first.inside(f"anicca-server {command}")
            expect(status == 1 and "the standby is away" in printed, f"{command}: {printed}")
        # Nor while it copies the database anew: that copy has the log too, and is none yet.
        first.slow_down()
        second.ask("timeout --signal=KILL 25 anicca-server standby follow 10.17.0.1 /root/standby.tar >/dev/null 2>&1 & echo")
        first.ask("until runuser -u postgres -- psql -Atc 'SELECT state FROM pg_stat_replication' | grep -q streaming; do sleep 0.2; done", limit=20)
        first.ask("runuser -u postgres -- psql -qc 'SELECT pg_switch_wal()'")
        same(world.deliver("2026-09-01", "77777777-7777-4777-8777-777777777777"), "503", "while the second machine copies")
        first.slow_down("del")
        time.sleep(10)
        second.ask("systemctl start postgresql")
        world.wait_until_it_is_well()
        same(world.deliver("2026-09-01", "77777777-7777-4777-8777-777777777777"), "200", "with it again")

        # Also while nobody knows yet that it is away.
        first.unplug()
        status, printed = first.inside("anicca-server enroll P020", limit=60)
        expect(status == 1 and "the standby is away" in printed, printed)
        first.plug_in()
        world.wait_until_it_is_well()

        for before in ("true", "systemctl restart 'postgresql@*' &"):
            first.ask(before)
            status, printed = second.inside("anicca-server promote")
            expect(status == 1 and "the first machine is there" in printed, printed)
        world.wait_until_it_is_well()
        pins, rows = world.pins(), world.rows()
        first.ask("systemctl disable postgresql nginx 2>&1; systemctl kill --signal=KILL 'postgresql@*' nginx; "
                  "systemctl stop postgresql 'postgresql@*' nginx")
        second.ask("timeout --signal=KILL 2 anicca-server promote; true")
        printed = second.ask("anicca-server promote")
        expect("is the server now" in printed and "NOT OK" not in printed, printed)
        # The first one comes back, and its answers wait for ever.
        first.ask("systemctl start postgresql")
        status, printed = first.inside("anicca-server check")
        expect(status == 1 and "NOT OK  the standby was not promoted: 10.17.0.2 serves devices" in printed, printed)
        status, printed = first.inside("anicca-server standby off")
        expect(status == 1 and "10.17.0.2 serves devices, so it was promoted" in printed, printed)
        first.ask("systemctl stop postgresql 'postgresql@*'")
        with world.served_by(second):
            same((world.rows(), world.pins(), world.served_pin()), (rows, pins, pins[0]), "what the second machine has")
            same(world.deliver("2026-09-02", "88888888-8888-4888-8888-888888888888"), "200", "from the second machine")

        first.ask("systemctl enable --now postgresql nginx 2>&1")
        status, printed = first.inside("anicca-server standby follow 10.17.0.2 /root/second.tar")
        expect(status == 1 and "cannot be read" in printed, printed)
        follow(second, "10.17.0.2", first, "10.17.0.1")
        second.ask("systemctl disable postgresql nginx 2>&1 && systemctl stop postgresql 'postgresql@*' nginx")
        # One of each start that came that far before it was killed.
        same(set(first.ask("stat -c '%a' /etc/anicca-receiver.before-*.tar").split()), {"600"}, "the settings from before")
        first.ask("anicca-server promote")
        same(world.rows(), rows + 1, "records of both")
        first.ask("anicca-server check")


def follow(server, address, copy, its_address):
    """`copy` becomes the standby of `server`, as docs/fleet.md has it."""
    server.ask(f"rm -f /root/standby.tar; anicca-server standby offer {its_address} /root/standby.tar")
    same(server.ask("stat -c '%a %U' /root/standby.tar"), "600 root\n", "the file for the second machine")
    file = copy.receive(server.file("/root/standby.tar"))
    copy.ask(f"head -c 3000 {file} >/root/half.tar")
    status, printed = copy.inside(f"anicca-server standby follow {address} /root/half.tar")
    expect(status == 1 and "or is damaged" in printed, printed)
    for tenths in (3, 9, 20):
        copy.inside(f"timeout --signal=KILL {tenths / 10} anicca-server standby follow {address} {file}")
    copy.ask(f"anicca-server standby follow {address} {file}")
    server.ask("anicca-server standby on")


@proof
def a_certificate_of_another_authority_is_linked_and_not_pinned(world):
    world.root.ask("cd /root && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -out other.crt -days 60 "
                   f"-subj /CN=other -addext subjectAltName=DNS:{NAME} 2>/dev/null && cp other.crt /usr/local/share/ca-certificates/ && update-ca-certificates")
    status, printed = world.root.inside("anicca-server setup --certificate /root/other.crt --key /etc/anicca-receiver/tls/server.key")
    expect(status == 1 and "is not the key of" in printed, printed)
    world.root.ask("anicca-server setup --certificate /root/other.crt --key /root/other.key")
    same(world.pins(), [""], "pins")
    expect(world.root.inside("anicca-server new-key")[0] == 1, "a new key for another authority's certificate")


@proof
def a_purge_leaves_nginx_working_and_the_database_there(world):
    world.root.ask("apt-get --yes -qq purge anicca-server 2>&1")
    world.root.ask("nginx -t -q")
    same(world.root.ask("systemctl list-units --plain --no-legend 'anicca*'"), "", "units")
    same(world.root.inside("ls -d /etc/anicca-receiver /etc/nginx/anicca /usr/share/anicca-server")[0], 2, "left")
    same(world.root.ask("runuser -u postgres -- psql -Atc \"SELECT count(*) FROM pg_database WHERE datname = 'anicca'\""), "1\n", "databases")


def test(packages):
    """Returns how many proofs failed."""
    suite = "trixie" if "+deb13" in packages[0].version else "bookworm"
    print(f"{packages[0].file.name}, in {suite}:", flush=True)
    with BootedRoot(suite, "server", SERVER) as root:
        world = World(root, packages)
        root.download(world.files)
        root.boot()
        failures = run_proofs(world)
    print(f"{packages[0].file.name}: {len(PROOFS)} proofs, {failures} failed", flush=True)
    return failures


def main(files):
    if not files or files[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 64
    if os.geteuid() != 0 or not shutil.which("systemd-nspawn"):
        print("test-server: SKIPPED: it takes root and systemd-nspawn (apt-get install systemd-container)")
        return 77
    here = subprocess.run(["dpkg", "--print-architecture"], check=True, text=True, capture_output=True).stdout.strip()
    every = [Package(pathlib.Path(file)) for file in files]
    receivers = {package.version: package for package in every
                 if (package.field("Package"), package.field("Architecture")) == ("anicca-receiver", here)}
    servers = [package for package in every if package.field("Package") == "anicca-server" and package.version in receivers]
    if not servers:
        print("test-server: no anicca-server with its anicca-receiver among them: make deb makes both", file=sys.stderr)
        return 64
    return 1 if any([test([server, receivers[server.version]]) for server in servers]) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
