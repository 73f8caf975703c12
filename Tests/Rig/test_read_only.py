"""A card that fails: the kernel protects it, so all of the root file system can only be read, and the units as they are installed go on."""

from __future__ import annotations

import unittest

from sensing import RESTART, SensingProof


class ReadOnlyProofs(SensingProof):
    settings = SensingProof.settings + "\n[store]\ncommit-interval = 1s"

    def tearDown(self) -> None:
        self.guest.output("mount -o remount,rw /")

    def protect_the_card(self) -> None:
        """As the kernel does after an error, whoever has files open to write (sysrq, "u")."""
        self.guest.output("sync; echo u >/proc/sysrq-trigger; until findmnt -no OPTIONS / | grep -qw ro; do sleep 0.1; done")
        self.assertNotEqual(0, self.guest.run("touch /var/lib/anicca/probe").returncode)

    def test_a_daemon_that_is_restarted_on_it_senses_and_loses_nothing(self) -> None:
        self.turn("steps", on=True)
        stored = self.walk(20)
        self.wait_for_pulses(stored)
        self.protect_the_card()
        self.guest.output(RESTART)
        self.eventually(self.line_is_held, "the daemon has the step line again")
        self.assertEqual(stored, self.counts().pulses, "what is stored is shown")
        held = self.walk(20)
        refused = self.anicca("toggle steps off")
        self.assertEqual(75, refused.returncode, refused.stdout + refused.stderr)
        self.assertIn("read-only", refused.stderr)
        self.assertEqual("running", self.guest.output("systemctl show aniccad --property=SubState --value").strip())
        self.guest.output("mount -o remount,rw /")
        self.wait_for_pulses(stored + held)
        self.assertNotIn("incompleteDays", self.status()["delivery"])


if __name__ == "__main__":
    unittest.main()
