"""What a night remembers."""

import contextlib
import io
import pathlib
import tempfile
import types
import unittest
from unittest import mock

import checks
import record
import steady


class SteadyTests(unittest.TestCase):
    def test_it_counts_the_runs_of_the_present_sources(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(steady, "FOLDER", pathlib.Path(folder)), \
                mock.patch.object(record, "digest", lambda _: "a"):
            (pathlib.Path(folder) / "a.json").write_text('[{"run": 1, "status": 0}, {"run": 2, "status": 0}]', encoding="utf-8")
            self.assertEqual(list(steady.Steady(5).numbers), [3, 4, 5])


class NightTests(unittest.TestCase):
    def night(self, kept, sources="a"):
        for name, value in (("read", lambda _: kept), ("digest", lambda _: self.sources), ("write", self.write)):
            patch = mock.patch.object(record, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.sources, self.written = sources, None
        return checks.Night()

    def write(self, _name, _command, _inputs, figures):
        self.written = figures

    @staticmethod
    def run_of(name, result="passed"):
        return types.SimpleNamespace(check=types.SimpleNamespace(name=name), result=result, seconds=12.4)

    @staticmethod
    def record_of(sources):
        return {"inputs": {"hash": sources, "paths": []}, "figures": {"seconds": {"bench": 200}}}

    def test_it_goes_on_with_the_same_sources(self):
        night = self.night(self.record_of("a"))
        night.add(self.run_of("soak"))
        self.assertEqual(self.written["seconds"], {"bench": 200, "soak": 12})
        self.assertNotIn("soak", self.written["waiting"].split())
        self.assertIn("fuzz", self.written["waiting"].split())

    def test_minutes_and_names_of_pieces_go_together(self):
        self.night(None)
        with mock.patch("sys.argv", ["checks.py", "night", "--minutes", "0", "fuzz"]), contextlib.redirect_stdout(io.StringIO()) as told:
            checks.main()
        self.assertIn("NOT RUN fuzz", told.getvalue())
        self.assertNotIn("NOT RUN soak", told.getvalue())

    def test_other_sources_have_passed_nothing(self):
        self.assertEqual(self.night(self.record_of("b")).passed, {})
        self.assertEqual(self.night(None).passed, {})

    def test_a_failure_and_sources_that_change_meanwhile_are_not_recorded(self):
        night = self.night(None)
        night.add(self.run_of("soak", "FAILED"))
        self.sources = "b"
        night.add(self.run_of("bench"))
        self.assertIsNone(self.written)


if __name__ == "__main__":
    unittest.main()
