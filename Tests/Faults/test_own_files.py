"""Something else lies in the place of a file of the agent: a link, a FIFO, a directory, a device, a huge file, or the file with another
mode or owner.

Nothing hangs, nothing grows, what is wrong is told with its path, and nothing is lost once the file is as it was.
"""

import os
import re
import stat
import subprocess
import unittest

from harness import PROGRAMS, world
from harness.device import DAYS, Device, anchor, run
from harness.scenario import MIDNIGHT, NIGHT
from harness.server import Server
from harness.world import DAY, HOUR
from test_damage import Life, check_true, missing, whole
from test_server import truth
from trials import FaultTest

#: Where the daemon and the uploader do not go on without it.
STORE = ("ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm")
NEEDED = (*STORE, "key", "anchor")
LOCKS = {"daemon.lock": "aniccad.lock", "upload.lock": "upload.lock"}
PLACES = (*NEEDED, *LOCKS, "aniccad.state", "upload", "daemon", "upload.retry", "calibration")
IN_RUN = ("aniccad.state", "upload", "daemon", "upload.retry")
HUGE = 1 << 40
STRANGER = 4711
GROWTH = 8 << 20
#: What begins with the content of the file, and differs in its mode or owner.
SAME_FILE = ("mode 0644", "another owner")
THINGS = {
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to nothing": lambda path: path.symlink_to("/nowhere/at/all"),
    "a FIFO": lambda path: os.mkfifo(path, 0o600),
    "a directory": lambda path: path.mkdir(mode=0o700),
    "a device": lambda path: os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5)),
    "a huge file": lambda path: make_huge(path),
    "mode 0644": lambda path: path.chmod(0o644),
    "another owner": lambda path: os.chown(path, STRANGER, STRANGER)}
REFUSALS = {
    "a link to a device": "symbolic link|not a regular file", "a link to nothing": "symbolic link|not a regular file",
    "a FIFO": "FIFO|not a regular file", "a directory": "directory|not a regular file", "a device": "device|not a regular file",
    "a huge file": "more than [0-9]+ bytes|has [0-9]+ bytes", "mode 0644": "chmod 0?600", "another owner": f"belongs to user {STRANGER}"}


def make_huge(path):
    path.touch(mode=0o600)
    os.truncate(path, HUGE)


def place(device, name):
    if name == "anchor":
        return anchor(device.directory) / "ledger.sqlite"
    return (device.run_directory if name in IN_RUN else device.directory) / LOCKS.get(name, name)


def taken(directory):
    """The bytes of the card that a directory takes, whatever the lengths of its files."""
    return sum(os.lstat(os.path.join(folder, name)).st_blocks * 512 for folder, _, names in os.walk(directory) for name in names)


class Replaced:
    """The thing lies in the place of the file. Use it with `with`; at the end everything is as it was."""

    def __init__(self, device, name, thing):
        self.path, self.thing = place(device, name), thing
        self.kept = device.place / "kept"

    def __enter__(self):
        self.was_there = self.path.exists()
        if self.thing in SAME_FILE:
            self.path.touch(mode=0o600)
            self.before = self.path.stat()
        elif self.was_there:
            self.path.rename(self.kept)
        THINGS[self.thing](self.path)
        return self

    def __exit__(self, *failure):
        if self.thing in SAME_FILE and self.was_there and self.path.exists():
            self.path.chmod(stat.S_IMODE(self.before.st_mode))
            os.chown(self.path, self.before.st_uid, self.before.st_gid)
            return
        if self.path.is_dir() and not self.path.is_symlink():
            self.path.rmdir()
        else:
            self.path.unlink(missing_ok=True)
        if self.kept.exists():
            self.kept.rename(self.path)


def words(life, *command):
    ended = run([PROGRAMS / "anicca", *command, "--config", life.device.config], life.device.environment())
    ended.check()
    return ended


def use(life):
    """What people and timers do meanwhile; returns how the uploader and `status` ended."""
    uploaded = life.device.upload()
    asked = [words(life, *command) for command in (("status",), ("why",), ("doctor",), ("audit", "--verify"))]
    return uploaded, asked[0], uploaded.err + "".join(ended.out + ended.err for ended in asked)


def check_refusal(name, thing, path, codes, said):
    """Where the file is needed, no program goes on without it, and each says what, where and what to do."""
    assert all(code in (69, 73, 77) for code in codes), f"codes {codes}: {said[-600:]}"
    assert str(path) in said and re.search(REFUSALS[thing], said), f"not told: {said[-600:]}"
    assert "damaged" not in said and "read-only" not in said, f"something else is told: {said[-600:]}"


class OwnFilesTest(FaultTest):
    suite = "damage"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        world.PATIENCE = 40
        whole()
        truth()

    def check_whole(self, life):
        check_true(life.server)
        assert not missing(life.server), f"did not arrive: {missing(life.server)[:4]}"
        aside = [path.name for path in life.device.directory.iterdir() if ".damaged-" in path.name or path.name.endswith(".copy")]
        assert not aside, f"the store was given up: {aside}"
        verified = words(life, "audit", "--verify")
        assert verified.code == 0, f"consent is not believed any more: {verified}"

    def live_on(self, life):
        life.live_until(MIDNIGHT + (DAYS + 1) * DAY + NIGHT)
        life.upload()
        self.check_whole(life)

    def while_off(self, life, name, thing):
        device = life.device
        before = taken(device.place)
        with Replaced(device, name, thing) as replaced:
            device.log_path.write_bytes(b"")
            try:
                device.start()
            except AssertionError:
                life.note_end()
            codes, log = life.codes, device.log
            uploaded, status, said = use(life)
            if name in NEEDED:
                check_refusal(name, thing, replaced.path, [*codes, uploaded.code, status.code], log)
                check_refusal(name, thing, replaced.path, [*codes, uploaded.code, status.code], said)
                assert codes and 75 not in codes, "the daemon ran without it"
            elif name in LOCKS and thing not in (*SAME_FILE, "a huge file"):
                told = log if name == "daemon.lock" else said
                assert str(replaced.path) in told and re.search(REFUSALS[thing], told), f"not told: {told[-600:]}"
            elif name == "aniccad.state":
                assert not codes and str(replaced.path) in log, f"not told: {codes} {log[-600:]}"
            assert taken(device.place) < before + GROWTH, "it grew"
            device.shut_down()
        life.start()
        self.live_on(life)

    def while_running(self, life, name, thing):
        device = life.device
        life.start()
        noon = MIDNIGHT + DAYS * DAY + 12 * HOUR
        life.live_until(noon)
        before = taken(device.place)
        with Replaced(device, name, thing):
            device.live_until(noon + 2 * HOUR)
            use(life)
            assert taken(device.place) < before + GROWTH, "it grew"
        self.live_on(life)

    def test_whatever_lies_in_the_place_of_a_file_costs_nothing(self):
        cases = [(f"{name} {thing} off", name, thing, self.while_off) for name in PLACES for thing in THINGS]
        cases += [(f"{name} {thing} running", name, thing, self.while_running) for name in STORE for thing in THINGS]
        with self.trials("noticed", "something else in the place of a file, or a file with another mode or owner") as trials:
            for case, name, thing, live in self.sample(cases, 40):
                if os.geteuid() != 0 and thing in ("a device", "another owner"):
                    trials.note("not made, for want of root")
                    continue
                with trials.one(case), Server() as server, Device(server.address) as device:
                    live(Life(server, device), name, thing)

    @unittest.skipUnless(os.geteuid() == 0, "only root runs programs as another user")
    def test_modes_that_keep_the_agent_out_are_no_damage(self):
        with self.trials("noticed", "a file of the store that its own user may not write") as trials:
            for name in STORE[:2]:
                for mode in (0o400, 0o200, 0o000):
                    with trials.one(f"{name} {mode:04o}"), Server() as server, Device(server.address, begins="cut") as device:
                        path = place(device, name)
                        subprocess.run(["chown", "-R", f"{STRANGER}:{STRANGER}", device.place], check=True)
                        path.chmod(mode)
                        for program, code in (("aniccad", 77), ("anicca-upload", 77)):
                            ended = run(
                                ["setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups", PROGRAMS / program,
                                 "--config", device.config], device.environment())
                            ended.check()
                            check_refusal(name, "mode 0644", path, [code], ended.err + " chmod 600")
                            assert ended.code == code, f"{program}: {ended}"
                            assert "permission denied" in ended.err, f"{program}: {ended}"
                        path.chmod(0o600)
                        subprocess.run(["chown", "-R", "0:0", device.place], check=True)
                        life = Life(server, device)
                        life.start()
                        self.live_on(life)


if __name__ == "__main__":
    unittest.main()
