"""What sudo opens of the files that a command line names: nothing that its caller cannot open."""

import os
import pathlib
import pwd
import threading
import unittest

from harness import PROGRAMS
from harness.device import Device, anchor, run
from trials import FaultTest

CALLER = pwd.getpwnam("nobody")
OWNER = pwd.getpwnam("daemon")
SECRET = "a-line-that-only-root-may-read"


def give(path, user):
    for name in (path, *path.rglob("*")):
        os.chown(name, user.pw_uid, user.pw_gid)


@unittest.skipIf(os.geteuid() != 0, "needs root")
class SudoTest(FaultTest):
    """An account that may call anicca with sudo, and nothing else, on a board where the store belongs to a service."""

    def setUp(self):
        super().setUp()
        self.device = self.enterContext(Device("http://127.0.0.1:1"))
        self.place = self.device.place
        self.place.chmod(0o755)
        # The configuration lies beside the store here, and others may read it.
        self.device.directory.chmod(0o711)
        pathlib.Path(self.device.config).chmod(0o644)
        for directory in (self.device.directory, anchor(self.device.directory)):
            give(directory, OWNER)

    def directory(self, name, mode=0o755):
        path = self.place / name
        path.mkdir()
        path.chmod(mode)
        return path

    def sudo(self, *words, config=None):
        ended = run(
            [PROGRAMS / "anicca", *words, "--config", config or self.device.config],
            self.device.environment(SUDO_UID=str(CALLER.pw_uid), SUDO_GID=str(CALLER.pw_gid), SUDO_USER=CALLER.pw_name))
        ended.check()
        return ended

    def test_what_the_caller_cannot_write_is_not_written(self):
        roots = self.directory("roots")
        (roots / "motd").write_text("welcome")
        for words in (("export", roots / "mine"), ("report", "--html", roots / "zy.sh"), ("report", "--force", "--html", roots / "motd"),
                      ("record", "--label", "walking", "--agree", roots / "walk.csv")):
            with self.subTest(words[0]):
                self.assertEqual(73, self.sudo(*words).code)
                self.assertEqual({"motd": "welcome"}, {path.name: path.read_text() for path in roots.iterdir()})

    def test_what_the_caller_can_write_becomes_the_callers(self):
        own = self.directory("own", 0o700)
        give(own, CALLER)
        for words in (("export", own / "mine"), ("report", "--html", own / "page.html")):
            ended = self.sudo(*words)
            self.assertEqual(0, ended.code, ended)
        made = {path: path.lstat() for path in own.rglob("*")}
        self.assertGreater(len(made), 5)
        self.assertEqual({(CALLER.pw_uid, CALLER.pw_gid, 0)}, {(of.st_uid, of.st_gid, of.st_mode & 0o077) for of in made.values()})

    def test_a_configuration_that_the_caller_cannot_read_is_not_read(self):
        secret = self.place / "secret"
        secret.write_text(f"{SECRET}\n")
        secret.chmod(0o600)
        for command in ("validate-config", "doctor", "status"):
            ended = self.sudo(command, config=secret)
            self.assertNotEqual(0, ended.code)
            self.assertNotIn(SECRET, ended.out + ended.err)
            self.assertIn("permission denied", ended.out + ended.err)

    def test_a_link_in_the_place_of_an_unfinished_export_costs_no_other_file(self):
        open_to_all, victim = self.directory("open", 0o777), self.directory("victim")
        give(victim, CALLER)
        names = ("days.json", "manifest.json", "trail.json")
        for trial in range(20):
            for name in names:
                (victim / name).write_text("precious")
            mine = open_to_all / f"mine-{trial}"
            mine.mkdir()
            give(mine, CALLER)
            ended = threading.Event()
            other = threading.Thread(target=self.swap, args=(open_to_all, victim, ended))
            other.start()
            code = self.sudo("export", mine).code
            ended.set()
            other.join()
            self.assertEqual(["precious"] * len(names), [(victim / name).read_text() for name in names])
            if code == 73:
                return
        self.fail("no export was caught unfinished")

    @staticmethod
    def swap(folder, victim, ended):
        while not ended.is_set():
            for draft in folder.glob(".*.part-*"):
                try:
                    draft.rename(folder / f"stolen-{draft.name}")
                    draft.symlink_to(victim)
                    return
                except OSError:
                    pass


if __name__ == "__main__":
    unittest.main()
