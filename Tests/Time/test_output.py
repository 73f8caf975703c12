"""What README.md and docs/field-guide.md show of a day of a simulated wearer is what the programs print: docs/figures/output.

ANICCA_WRITE_PAGES=1 writes these files (make output-pages); without it the programs must print what the files hold.
"""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from harness import PROGRAMS, PROJECT
from harness.travel import Travel, fence
from harness.world import World, at

RECORDS = PROJECT / "docs/figures/output"


class OutputTests(unittest.TestCase):
    maxDiff = None

    def hold(self, name, printed, varies="(?!)"):
        """Holds what was printed to its record, but for what matches `varies`; or makes the record."""
        file = RECORDS / f"{name}.txt"
        if os.environ.get("ANICCA_WRITE_PAGES"):
            file.write_text(printed, encoding="utf-8")
        recorded, printed = (re.sub(varies, "*", text) for text in (file.read_text(encoding="utf-8"), printed))
        self.assertEqual(recorded, printed, f"make output-pages writes {file.relative_to(PROJECT)}")

    def test_every_kind_of_data_together_matches_its_life(self):
        # A life with a day at a desk soon after the night, in which checks of the pulse have windows of their own.
        subprocess.run([PROGRAMS / "anicca-lab", "demo", "--all", "--seed", "6", "--days", "4"], stdout=subprocess.DEVNULL, check=True)

    def test_the_demo(self):
        self.hold("demo", subprocess.run([PROGRAMS / "anicca-lab", "demo"], stdout=subprocess.PIPE, text=True, check=True).stdout)

    def test_the_first_days_record(self):
        # A day ends for whoever follows the guide on the day after.
        with World(first_day="2026-11-20", days=2) as world:
            world.boot(at("2026-11-20T00:00:10"))
            world.start()
            world.turn("motion", "on")
            world.turn("steps", "on")
            world.live_until(at("2026-11-21T08:00:00"))

            def session(*words):
                return f"$ sudo anicca {' '.join(words)}\n{world.run('anicca', *words)}"

            self.hold("days-queued", session("days"))
            self.hold("why", session("why", "2026-11-20"))
            self.hold("upload", world.run("anicca", "upload"))
            self.hold("days-delivered", session("days"))
            self.hold("received", "".join(
                f"POST {path}\n{json.dumps(body, separators=(',', ':'))}\n"
                for path, bodies in (("/nudge/trigger", world.events()), ("/mobile/daily_metrics", world.records().values()))
                for body in bodies))

    def test_a_day_with_visits(self):
        travel = Travel()
        with tempfile.TemporaryDirectory(prefix="anicca-output-") as directory:
            travel.meet(directory)
            self.addCleanup(travel.gpsd.end)
            with World(first_day="2026-11-20", days=2, config=travel.config(fence("home"))) as world:
                travel.device = world
                world.boot(at("2026-11-20T00:00:10"))
                world.start()
                world.turn("steps", "on")
                travel.agree("y")
                for leaves, start, end in (("20T07:55", 0, 1500), ("20T16:45", 1500, 0), ("21T07:40", 0, 1500)):
                    travel.go_on(at(f"2026-11-{leaves}:00") - world.true)
                    travel.walk(start, end)
                # A visit begins and ends with a report of the gpsd, which answers in real time: a minute more or less.
                self.hold("days-visits", f"$ sudo anicca days\n{world.run('anicca', 'days')}", varies=r"\d\d:\d\d")

    def test_a_configuration_with_and_without_mistakes(self):
        with tempfile.TemporaryDirectory(prefix="anicca-output-") as directory:
            place = pathlib.Path(directory)
            (place / "anicca.conf").touch()
            (place / "anicca.conf.d").mkdir()

            def session(mine):
                (place / "anicca.conf.d/mine.conf").write_text(mine, encoding="utf-8")
                ended = subprocess.run(
                    [PROGRAMS / "anicca", "validate-config", "--config", place / "anicca.conf"],
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
                return "$ anicca validate-config\n" + ended.stdout.replace(directory, "/etc/anicca")

            wired = "[imu]\ninterrupt-chip = /dev/gpiochip0\ninterrupt-line = 17\n\n[steps]\nline = 27\nedge = falling\nbias = pull-up\n"
            self.hold("configuration-valid", session(wired))
            self.hold("configuration-mistaken", session("[steps]\nlin = 27\nedge = down\n"))


if __name__ == "__main__":
    unittest.main()
