#!/usr/bin/env python3
"""Proves that the package behaves as Debian's users expect: the whole life of an installation in a throw-away Debian.

Usage: test-deb.py DEB...

Each anicca-edge among them that this machine can run is installed into the Debian that it was built for, 12 or 13, with
the anicca-edge-lab and anicca-receiver of its version beside it. Those of another architecture are compared with the one of their version.
One line for each proof.
Exit status: 0 all hold, 1 one does not, 64 wrong arguments, 77 skipped, for the reason that it prints.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from testing.package import CONFIG, Package
from testing.proofs import PROOFS, Skipped, expect, proof, run_proofs, same
from testing.throwaway_root import ThrowawayRoot

RETRY = "/usr/lib/anicca-edge/anicca-retry"
HOOKS = ["/usr/lib/NetworkManager/dispatcher.d/90-anicca", "/usr/lib/networkd-dispatcher/routable.d/90-anicca",
         "/etc/network/if-up.d/anicca"]
PROGRAMS = ["/usr/bin/anicca", "/usr/bin/anicca-upload", "/usr/bin/aniccad"]
OTHERS = ["anicca-edge-lab", "anicca-receiver"]
DROP_IN = "/etc/anicca/anicca.conf.d/mine.conf"
STATE = "/var/lib/anicca"
CREDENTIAL = "/etc/credstore.encrypted/anicca.key"
ACCOUNT = "/etc/credstore.encrypted/anicca.account"
QUIETLY = "-o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold"


class World:
    """The state that the proofs share: the root, the package, and newer ones in the root."""

    def __init__(self, root, package, laboratory, receiver, foreign, scratch):
        self.root, self.package, self.foreign = root, package, foreign
        self.version = package.version
        self.this, self.laboratory, self.receiver = (root.receive(each.file) for each in (package, laboratory, receiver))
        self.others = (laboratory, receiver)
        self.newer = root.receive(package.made_up(self.version + "+newer", scratch))
        self.newest = root.receive(package.made_up(self.version + "+newest", scratch))

    def apt(self, arguments):
        return self.root.output(f"apt-get --yes --no-install-recommends -qq {arguments} 2>&1")

    def go_back(self):
        self.apt(f"install --allow-downgrades {QUIETLY} {self.this}")

    def state_and_configuration(self):
        return self.root.tree(STATE), self.root.tree("/etc/anicca")


# A first installation


@proof
def lintian_has_no_errors(world):
    if not shutil.which("lintian"):
        raise Skipped("lintian is not installed")
    for package in (world.package, *world.others):
        ended = subprocess.run(["lintian", "--fail-on", "error", package.file], text=True, capture_output=True)
        expect(ended.returncode == 0, ended.stdout)


def installed_version(world):
    return world.root.output("dpkg-query -W -f '${Version}' anicca-edge")


@proof
def apt_resolves_its_dependencies_from_the_mirror(world):
    world.root.output("apt-get update -qq 2>&1")
    printed = world.apt(f"install {world.this}")
    same(installed_version(world), world.version, "installed version")
    complaints = [line for line in printed.splitlines() if re.search(r"(?i)error|fail|not found|unknown", line)]
    same(complaints, [], "complaints in a system that is not running")


@proof
def dpkg_finds_every_file_as_it_was_packed(world):
    same(world.root.output("dpkg --verify anicca-edge"), "", "differences")


@proof
def files_belong_to_root_and_only_root_can_write_them(world):
    paths = world.root.output("dpkg-query --listfiles anicca-edge").split()
    for path in filter(lambda path: path != "/.", paths):
        mode, user, group, _ = world.root.tree(path)[path]
        expect((user, group) == ("root", "root"), f"{path} belongs to {user}:{group}")
        expect(mode[0] == "l" or (mode[5] == mode[8] == "-" and "s" not in mode.lower()), f"{path} has mode {mode}")


@proof
def user_and_groups_are_there(world):
    user = world.root.output("getent passwd anicca").strip().split(":")
    same(user[5:], [STATE, "/usr/sbin/nologin"], "home and shell")
    same(set(world.root.output("id -nG anicca").split()), {"anicca", "i2c", "gpio", "anicca-companion"}, "groups")
    expect(int(user[2]) < 1000, "not a system user")


@proof
def state_is_for_the_user_alone(world):
    same(world.root.tree(STATE), {STATE: ("drwx------", "anicca", "anicca", None)}, "state")


@proof
def pairing_makes_the_inbox_which_takes_reports_of_its_group_and_shows_none(world):
    expect(not world.root.file("/var/lib/anicca-companion/inbox").exists(), "an inbox before a phone is paired")
    world.root.output("anicca companion pair nobody")
    expect("anicca-companion" in world.root.output("id -nG nobody").split(), "the bridge is not in the group")
    same(
        world.root.output("stat -c '%a %U %G' /var/lib/anicca-companion/inbox"), "3730 anicca anicca-companion\n", "inbox")


@proof
def no_service_runs_as_root(world):
    services = sorted(world.root.file("/usr/lib/systemd/system").glob("anicca*.service"))
    users = {"anicca-gpsd.service": "DynamicUser=yes", "anicca-network.service": "User=anicca", "anicca-upload.service": "User=anicca", "aniccad.service": "User=anicca"}
    same([file.name for file in services], list(users), "services")
    for file in services:
        text = file.read_text()
        expect(f"\n{users[file.name]}\n" in text, f"{file.name} has no {users[file.name]}")
        privileged = re.findall(r"(?m)^Exec\w+=[-@:]*[+!].*", text)
        expect(set(privileged) <= {f"ExecStopPost=+{RETRY}"}, f"{file.name} runs with privileges: {privileged}")


@proof
def whoever_looks_after_the_network_calls_the_same_service(world):
    dhcpcd = "sh -c '. /usr/lib/dhcpcd/dhcpcd-hooks/70-anicca; echo goes on >>/tmp/called'"
    stub = "mkdir -p /tmp/stubs; printf '#!/bin/sh\necho $0 \"$@\" >>/tmp/called\n' >/tmp/stubs/systemctl; chmod 755 /tmp/stubs/systemctl; "
    ring = "/tmp/stubs/systemctl start --quiet --no-block anicca-network.service\n"
    for call, said in ((f"{HOOKS[0]} wlan0 up", ring), (f"{HOOKS[0]} wlan0 dhcp4-change", ring), (f"{HOOKS[0]} lo up", ""),
                       (f"{HOOKS[0]} wlan0 down", ""), (f"env CONNECTIVITY_STATE=NONE {HOOKS[0]} '' connectivity-change", ""),
                       (f"env IFACE=eth0 {HOOKS[1]}", ring), (f"env IFACE=eth0 {HOOKS[2]}", ring), (f"env IFACE=lo {HOOKS[2]}", ""),
                       (f"env if_up=true reason=BOUND6 {dhcpcd}", ring + "goes on\n"), (f"env if_up=false reason=BOUND {dhcpcd}", "goes on\n"),
                       (f"env if_up=true reason=RENEW {dhcpcd}", "goes on\n")):
        world.root.output(stub + f": >/tmp/called; export PATH=/tmp/stubs:$PATH; {call}")
        same(world.root.file("/tmp/called").read_text(), said, call)
    world.root.output("rm -r /tmp/stubs /tmp/called")
    same(world.root.output("readlink -f /usr/lib/systemd/system/systemd-networkd.service.wants/anicca-network.path"),
         "/usr/lib/systemd/system/anicca-network.path\n", "what networkd starts")


@proof
def what_root_runs_is_roots_and_believes_digits_alone(world):
    for path in (RETRY, *HOOKS):
        same(world.root.output(f"stat -c '%a %U' {path}"), "755 root\n", path)
    stub = "mkdir -p /tmp/stubs; for name in systemctl systemd-run; do " \
        "printf '#!/bin/sh\\necho $0 \"$@\" >>/tmp/called\\n' >/tmp/stubs/$name; chmod 755 /tmp/stubs/$name; done; mkdir -p /run/anicca; "
    for note, wait in (("37", "37s"), ("0", "1s"), ("99999999999999999999", "900s"), ("7; reboot", "900s"), ("$(id)", "900s"),
                       ("999999", "86400s"), ("", "900s"), ("-5", "900s")):
        world.root.output(stub + f"rm -f /tmp/called; printf %s '{note}' >/run/anicca/upload.retry;"
                          f" PATH=/tmp/stubs:$PATH SERVICE_RESULT=exit-code {RETRY}")
        expect(f"--on-active={wait} " in world.root.file("/tmp/called").read_text(), f"{note!r} does not wait {wait}")
    world.root.output(f"rm -f /tmp/called; PATH=/tmp/stubs:$PATH SERVICE_RESULT=success {RETRY}")
    expect("systemd-run" not in world.root.file("/tmp/called").read_text(), "a run that leaves nothing is repeated")
    # What takes the place of the note at the moment when it is read.
    for thing in ("ln -s /root/number", "mkfifo"):
        world.root.output(
            f"echo 37 >/root/number; printf '#!/bin/sh\\nrm /run/anicca/upload.retry; {thing} /run/anicca/upload.retry\\n"
            "exec /usr/bin/head \"$@\"' >/tmp/stubs/head; chmod 755 /tmp/stubs/head; rm -f /tmp/called; chown anicca /run/anicca;"
            f" touch /run/anicca/upload.retry; PATH=/tmp/stubs:$PATH SERVICE_RESULT=exit-code timeout 20 {RETRY}")
        expect("--on-active=900s " in world.root.file("/tmp/called").read_text(), f"{thing} is followed, or waited for")
    world.root.output("rm -r /tmp/stubs /run/anicca/upload.retry /root/number")


@proof
def daemon_timer_and_bell_are_enabled_and_the_uploader_only_by_them(world):
    units = "aniccad.service anicca-upload.timer anicca-upload.path anicca-upload.service"
    printed = world.root.run(f"systemctl is-enabled {units}")[1]
    same(printed.split(), ["enabled", "enabled", "enabled", "static"], units)


@proof
def access_to_gpsd_is_off_until_it_is_turned_on(world):
    units = "anicca-gpsd.socket anicca-gpsd.service"
    same(world.root.run(f"systemctl is-enabled {units}")[1].split(), ["disabled", "static"], units)
    world.root.output("systemctl enable anicca-gpsd.socket")
    same(world.root.run(f"systemctl is-enabled {units}")[1].split(), ["enabled", "static"], units)


@proof
def programs_run_and_say_the_version_of_the_package(world):
    for program in PROGRAMS:
        said = world.root.output(f"{program} --version").split()[-1]
        same(said, re.sub(r"[+~].*", "", world.version), program)
    world.root.output("anicca validate-config")


@proof
def a_page_links_what_the_package_has(world):
    folder = world.root.path / "usr/share/doc/anicca-edge"
    pages = sorted(folder.glob("*.md"))
    expect({"field-guide.md", "CHANGELOG.md"} < {page.name for page in pages}, f"{pages}")
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
            expect(target.startswith("https://") or (folder / target).is_file(), f"{page.name} links {target}")


@proof
def shells_complete_the_command(world):
    printed = world.root.output(
        "bash -c '. /usr/share/bash-completion/bash_completion && __load_completion anicca && complete -p anicca'")
    expect("anicca" in printed, printed)


@proof
def laboratory_comes_beside_it_lives_a_day_and_goes_again(world):
    wearable = set(world.root.output("dpkg-query --listfiles anicca-edge").split())
    world.apt(f"install {world.receiver} {world.laboratory}")
    world.root.output("runuser -u anicca -- anicca-lab demo --days 1")
    laboratory = set(world.root.output("dpkg-query --listfiles anicca-edge-lab anicca-receiver").split())
    shared = [path for path in sorted(wearable & laboratory) if not world.root.file(path).is_dir()]
    same(shared, [], "files of both packages")
    world.apt("purge anicca-edge-lab anicca-receiver")
    same(world.root.output("ls /usr/bin | grep anicca").split(), ["anicca", "anicca-upload", "aniccad"], "programs")


@proof
def journal_knows_the_messages(world):
    expect("Anicca has started" in world.root.output("journalctl --list-catalog"), "not in the catalogue")


@proof
def no_key_is_made_in_a_system_that_is_not_running(world):
    same(world.root.tree(CREDENTIAL), {}, "credential")


@proof
def daemon_starts_as_its_user_and_makes_key_and_store(world):
    world.root.output(
        "runuser -u anicca -- timeout 60 aniccad >/tmp/aniccad.log 2>&1 & daemon=$!\n"
        "until grep -q '(started)' /tmp/aniccad.log || ! kill -0 $daemon; do sleep 0.1; done\n"
        "kill $daemon; wait $daemon; cat /tmp/aniccad.log; rm /tmp/aniccad.log; true")
    owners = {entry[1] for entry in world.root.tree(STATE).values()}
    same(owners, {"anicca"}, "owners of the state")
    same(world.root.file(STATE + "/key").stat().st_size, 32, "length of the key")


@proof
def commands_of_root_leave_nothing_in_the_state_that_is_not_the_users(world):
    world.root.output("anicca permissions && anicca days && { anicca toggle motion on --agree; anicca status; true; }")
    entries = world.root.tree(STATE) | world.root.tree("/run/anicca")
    same({entry[1] for entry in entries.values()}, {"anicca"}, "owners")


# Upgrades


@proof
def upgrade_keeps_state_and_drop_ins_and_takes_a_new_default_configuration(world):
    world.root.file(DROP_IN).write_text("[steps]\nline = 17\n")
    before = world.root.tree(STATE)
    world.apt(f"install {world.newer}")
    same(world.root.tree(STATE), before, "state")
    same(world.root.file(DROP_IN).read_text(), "[steps]\nline = 17\n", "drop-in")
    expect("+newer." in world.root.file(CONFIG).read_text(), "the old default stayed")


def change_config(world, mark):
    world.root.file(CONFIG).write_text(f"# {mark}\n[steps]\nline = 27\n")


@proof
def upgrade_asks_about_a_changed_configuration(world):
    change_config(world, "asked")
    status, printed = world.root.run(f"dpkg --install {world.newest}", answer="N\n")
    expect(status == 0 and "What would you like to do about it" in printed, printed)
    expect("# asked" in world.root.file(CONFIG).read_text(), "'N' did not keep it")
    expect("+newest." in world.root.file(CONFIG + ".dpkg-dist").read_text(), "the new one is not beside it")


@proof
def upgrade_without_anybody_to_ask_stops_and_changes_nothing(world):
    world.go_back()
    change_config(world, "alone")
    status, printed = world.root.run(f"apt-get --yes -qq install {world.newest} </dev/null")
    expect(status != 0 and "conffile" in printed, printed)
    expect("# alone" in world.root.file(CONFIG).read_text(), "the configuration was replaced")
    world.root.output("dpkg --force-confdef --force-confold --configure --pending")
    expect("# alone" in world.root.file(CONFIG).read_text(), "--force-confold replaced the configuration")


@proof
def force_confnew_takes_the_new_and_keeps_the_old_beside_it(world):
    world.go_back()
    change_config(world, "old")
    world.apt(f"install -o Dpkg::Options::=--force-confnew {world.newest}")
    expect("+newest." in world.root.file(CONFIG).read_text(), "not replaced")
    expect("# old" in world.root.file(CONFIG + ".dpkg-old").read_text(), "the old one is lost")


@proof
def downgrade_keeps_state_and_configuration(world):
    change_config(world, "mine")
    before = world.root.tree(STATE)
    world.go_back()
    same(installed_version(world), world.version, "installed version")
    same(world.root.tree(STATE), before, "state")
    expect("# mine" in world.root.file(CONFIG).read_text(), "the configuration was replaced")


@proof
def what_an_administrator_disabled_stays_disabled(world):
    world.root.output("systemctl disable anicca-upload.timer 2>&1")
    world.apt(f"install {QUIETLY} {world.newest}")
    printed = world.root.run("systemctl is-enabled anicca-upload.timer aniccad.service")[1]
    same(printed.split(), ["disabled", "enabled"], "units")
    world.root.output("systemctl enable anicca-upload.timer 2>&1")
    world.go_back()


# Removal


@proof
def removal_leaves_configuration_and_state_alone(world):
    before = world.state_and_configuration()
    world.root.file("/run/anicca").mkdir(exist_ok=True)
    world.apt("remove anicca-edge")
    same(world.state_and_configuration(), before, "state and configuration")
    same(world.root.tree("/run/anicca"), {}, "runtime directory")
    left = [path for path in PROGRAMS if world.root.tree(path)]
    same(left, [], "programs that are left")
    expect("Anicca has started" not in world.root.output("journalctl --list-catalog"), "still in the catalogue")


@proof
def installation_after_removal_goes_on_where_it_was(world):
    before = world.state_and_configuration()
    world.apt(f"install {world.this}")
    same(world.state_and_configuration(), before, "state and configuration")


@proof
def purge_deletes_everything_but_the_user_and_the_groups(world):
    number = world.root.output("id -u anicca")
    world.apt("purge anicca-edge")
    left = world.root.output("find / -xdev -name '*anicca*' -not -path '/root/*' -not -path '/proc/*'")
    same(left, "", "left behind")
    same(world.root.output("id -u anicca"), number, "number of the user")
    world.root.output("getent group i2c gpio")


# The credential, in a root that looks as if systemd ran in it


def pretend_that_systemd_runs(world):
    world.root.file("/run/systemd/system").mkdir(parents=True, exist_ok=True)


def stored_key(world):
    return world.root.output(f"systemd-creds decrypt --name=anicca.key {CREDENTIAL} - | sha256sum")


@proof
def first_installation_makes_the_key_a_credential(world):
    pretend_that_systemd_runs(world)
    world.apt(f"install {world.this}")
    same(world.root.tree(CREDENTIAL)[CREDENTIAL][:3], ("-rw-------", "root", "root"), "credential")
    length = world.root.output(f"systemd-creds decrypt --name=anicca.key {CREDENTIAL} - | wc -c").strip()
    same(length, "32", "length of the key")
    same(list(world.root.tree("/etc/credstore.encrypted")), ["/etc/credstore.encrypted", CREDENTIAL], "credentials")


@proof
def nothing_replaces_that_key_but_a_purge(world):
    key, sealed = stored_key(world), world.root.tree(CREDENTIAL)
    for step in ["install --reinstall {0.this}", "install {0.newer}", "install --allow-downgrades {0.this}",
                 "remove anicca-edge", "install {0.this}"]:
        world.apt(step.format(world))
        same(world.root.tree(CREDENTIAL), sealed, f"credential after {step.format(world)}")
    same(stored_key(world), key, "key")
    world.apt("purge anicca-edge")
    same(world.root.tree(CREDENTIAL), {}, "credential after the purge")


@proof
def a_purge_takes_the_account_and_what_the_configuration_names_elsewhere(world):
    """And leaves what only lies beside it, or is not the agent's."""
    world.apt(f"install {world.this}")
    world.root.output("anicca sign-in --user-id 2d1a8f5e-8a1b-4f54-9c32-0123456789ab", answer="token\n")
    expect(world.root.tree(ACCOUNT), "nobody is signed in")
    elsewhere = "/srv/the wearer's"
    world.root.file(CONFIG).write_text(f"[store]\ndirectory = {elsewhere}/store ; on the big card\nkey-file={elsewhere}/my.key\n")
    world.root.file(DROP_IN).write_text(
        f"[companion]\ninbox = {elsewhere}/inbox\n[account]\ntoken-file : {elsewhere}/token\n[mqtt]\nuser = me\npassword-file = {elsewhere}/password\n"
        f"client-certificate = {elsewhere}/link.pem\nclient-key = {elsewhere}/host.pem\n[server]\nclient-certificate = /\nclient-key = /\n")
    quoted = f'"{elsewhere}"'
    world.root.output(
        f"mkdir -p {quoted}/store; cd {quoted}; chmod 755 .; touch token password store/notes host.pem; chown -R anicca . && chown root host.pem;"
        f" ln -s {quoted}/store/notes link.pem; mkdir store-anchor; chown anicca store-anchor; chmod 600 token password")
    world.root.output(
        "cd /; runuser -u anicca -- timeout 60 aniccad >/tmp/aniccad.log 2>&1 & daemon=$!\n"
        "until grep -q '(started)' /tmp/aniccad.log || ! kill -0 $daemon; do sleep 0.1; done\n"
        "kill $daemon; wait $daemon; cat /tmp/aniccad.log; rm /tmp/aniccad.log; true")
    world.root.output(f"anicca companion pair; cd {quoted}; cp token store/ledger.sqlite.damaged-1; chown anicca store/ledger.sqlite.damaged-1; "
                      "anicca companion report --type sns --minutes 5")
    before = set(world.root.tree(elsewhere))
    expect({f"{elsewhere}/store/ledger.sqlite", f"{elsewhere}/store-anchor/ledger.sqlite"} <= before, f"no store among {before}")
    world.apt("purge anicca-edge")
    same(sorted(world.root.tree(elsewhere)),
         sorted([elsewhere, *(f"{elsewhere}/{name}" for name in ("host.pem", "link.pem", "store", "store/notes"))]), "left elsewhere")
    same(world.root.output("find / -xdev -name '*anicca*' -not -path '/root/*' -not -path '/proc/*'"), "", "left behind")
    world.root.output(f"rm -r {quoted}")


@proof
def no_credential_is_made_where_a_store_or_a_key_may_be(world):
    cases = [(STATE + "/ledger.sqlite", "a store"), (STATE + "/key", "k" * 32),
             (DROP_IN, "[storage]\ndirectory = /srv/anicca\n")]
    for path, content in cases:
        file = world.root.file(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        world.apt(f"install {world.this}")
        same(world.root.tree(CREDENTIAL), {}, f"credential in spite of {path}")
        same(file.read_text(), content, path)
        world.apt("purge anicca-edge")


@proof
def an_earlier_credential_is_not_replaced(world):
    file = world.root.file(CREDENTIAL)
    file.parent.mkdir(exist_ok=True)
    file.write_text("an earlier key")
    world.apt(f"install {world.this}")
    same(file.read_text(), "an earlier key", "credential")
    world.apt("purge anicca-edge")


# Other architectures


@proof
def packages_for_other_architectures_have_the_same_but_for_the_programs(world):
    if not world.foreign:
        raise Skipped("there is none; make deb-arm64 makes it")
    here = world.package.contents(PROGRAMS)
    for other in world.foreign:
        there = other.contents(PROGRAMS)
        different = sorted(path for path in here.keys() | there.keys() if here.get(path) != there.get(path))
        same(different, [], f"different files in {other.file.name}")
        for part in ["postinst", "prerm", "postrm", "conffiles"]:
            expect(world.package.script(part) == other.script(part), f"{part} of {other.file.name} differs")


def why_skipped():
    missing = [tool for tool in ["mmdebstrap", "zstd", "dpkg-deb"] if not shutil.which(tool)]
    if os.geteuid() != 0:
        return "must be run as root"
    return f"missing: {' '.join(missing)}" if missing else None


def test(package, others, foreign):
    """Returns how many proofs failed."""
    print(f"{package.file.name}, in {package.suite}:", flush=True)
    with ThrowawayRoot(package.suite) as root, tempfile.TemporaryDirectory() as scratch:
        failures = run_proofs(World(root, package, *others, foreign, pathlib.Path(scratch)))
    print(f"{package.file.name}: {len(PROOFS)} proofs, {failures} failed", flush=True)
    return failures


def main(files):
    if not files or files[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 64
    reason = why_skipped()
    if reason:
        print(f"test-deb: SKIPPED: {reason}")
        return 77
    here = subprocess.run(["dpkg", "--print-architecture"], check=True, text=True, capture_output=True).stdout.strip()
    every = [Package(pathlib.Path(file)) for file in files]
    packages = [package for package in every if package.field("Package") == "anicca-edge"]
    others = {(package.field("Package"), package.field("Architecture"), package.version): package for package in every}
    native = [package for package in packages if package.field("Architecture") == here]
    foreign = [package for package in packages if package.field("Architecture") != here]
    if not native:
        print(f"test-deb: SKIPPED: no package for {here} among {' '.join(files)}")
        return 77
    missing = [f"{name} {package.version}" for package in native for name in OTHERS if (name, here, package.version) not in others]
    if missing:
        print(f"test-deb: {', '.join(missing)} is not among them: make deb makes it", file=sys.stderr)
        return 64
    failures = [test(package, [others[name, here, package.version] for name in OTHERS],
                     [other for other in foreign if other.version == package.version]) for package in native]
    return 1 if any(failures) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
