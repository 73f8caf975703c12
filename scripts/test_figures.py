"""Marks in documents, and the records that they are filled in from."""

import contextlib
import io
import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import figures
import record

RECORD = {
    "name": "bench", "command": "make bench", "date": "2026-01-02", "commit": "abc1234",
    "machine": {"cpu": "Z80", "cores": 1, "os": "CP/M", "swift": "6.0"}, "inputs": {"hash": "", "paths": []},
    "figures": {
        "wakeups": 2784, "card": 766_976, "share": 0.0657, "charge": 1.0386, "word": "none", "limits": {"wakeups": 3000},
        "chips": [["chip", "wake-ups"], ["`a|b`", 12345]]}}


def filled(text):
    return figures.filled(text, {"bench": RECORD}.get)


def mark(key, shown="", close="<!--=-->"):
    return f"<!--= {key} -->{shown}{close}"


class MarkTests(unittest.TestCase):
    def shown(self, key):
        text, _ = filled(mark(key, "x"))
        return text.removeprefix(f"<!--= {key} -->").removesuffix("<!--=-->")

    def test_formats(self):
        for key, shown in {
                "bench.wakeups": "2,784", "bench.charge": "1.0386", "bench.charge 2": "1.04", "bench.share %1": "6.6", "bench.share %": "7",
                "bench.card kB": "767", "bench.card MB1": "0.8", "bench.word": "none", "bench.limits.wakeups": "3,000"}.items():
            self.assertEqual(self.shown(key), shown, key)

    def test_a_table_stands_in_lines_of_its_own(self):
        self.assertEqual(self.shown("table bench.chips"), "\n| chip | wake-ups |\n| --- | ---: |\n| `a\\|b` | 12,345 |\n")

    def test_the_origin_of_a_record(self):
        self.assertEqual(self.shown("bench"), "`make bench` on 2026-01-02 at abc1234, on 1 cores of Z80 with CP/M and Swift 6.0")

    def test_a_document_as_its_records_have_it(self):
        text = f"a\n{mark('bench.wakeups', '2,784')} and {mark('bench.word', 'none')}"
        self.assertEqual(filled(text), (text, []))

    def test_a_value_that_differs_is_told_with_its_line(self):
        text, wrong = filled(f"a\nb {mark('bench.wakeups', '2,800')} c")
        self.assertEqual(text, f"a\nb {mark('bench.wakeups', '2,784')} c")
        self.assertEqual(wrong, [(2, "bench.wakeups differs from its record: 2,784, and here 2,800")])

    def test_a_mark_that_cannot_be_filled_in_stays_and_is_told(self):
        for key, reason in {
                "lines.all": "lines.all: no record docs/figures/lines.json", "bench.sleep": "bench.sleep: no such figure in docs/figures/bench.json",
                "bench.limits.x": "bench.limits.x: no such figure in docs/figures/bench.json", "bench.chips": "bench.chips is no number",
                "bench.word 1": "bench.word is no number", "bench.card GB": "bench.card has no format GB",
                "table bench.card": "bench.card is no table"}.items():
            text, wrong = filled(mark(key, "7"))
            self.assertEqual((text, wrong), (mark(key, "7"), [(1, reason)]))

    def test_a_mark_without_its_other_end_is_told(self):
        for text in (mark("bench.card", "1", ""), "7<!--=-->", mark("bench.card", "1", "") + mark("bench.word", "none"), "<!--=bench.card-->1"):
            self.assertIn("a mark without its other end", [reason for _, reason in filled(text)[1]], text)


class RecordTests(unittest.TestCase):
    """In a repository of their own."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="anicca-record-")
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        for patched in (
                mock.patch.object(record, "ROOT", self.root),
                mock.patch.dict(os.environ, {**clean, "GIT_CONFIG_GLOBAL": "/dev/null", "RECORD": "1"}, clear=True)):
            patched.start()
            self.addCleanup(patched.stop)
        (self.root / "Sources").mkdir()
        for name in ("Sources/a.swift", "b.py"):
            self.write(name, "1")
        record.git("init", "--quiet")
        record.git("add", ".")
        record.git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=a")

    def write(self, name, text):
        (self.root / name).write_text(text, encoding="utf-8")

    def kept(self, inputs=("Sources",)):
        with contextlib.redirect_stderr(io.StringIO()):
            record.keep("bench", "make bench", list(inputs), {"wakeups": 1})
        return record.read("bench")

    def test_a_record_says_what_was_measured(self):
        found = self.kept()
        self.assertEqual(found["figures"], {"wakeups": 1})
        self.assertEqual(found["commit"], record.git("rev-parse", "--short=7", "HEAD").strip())
        self.assertEqual(set(found["machine"]), {"cpu", "cores", "os", "swift"})
        self.assertEqual(list(figures.stale([found])), [])

    def test_nothing_is_written_unasked(self):
        del os.environ["RECORD"]
        self.assertIsNone(self.kept())

    def test_a_record_is_stale_once_an_input_changes_and_by_nothing_else(self):
        found = self.kept()
        self.write("b.py", "2")
        self.assertEqual(list(figures.stale([found])), [])
        self.write("Sources/a.swift", "2")
        self.assertEqual(list(figures.stale([found])), [f"bench: its inputs have changed since {found['commit']}"])

    def test_comments_of_swift_make_no_record_stale(self):
        found = self.kept()
        self.write("Sources/a.swift", "/// One.\n\n1\n    // The end.\n")
        self.assertTrue(record.is_current(found))
        self.write("Sources/a.swift", "// swift-tools-version:6.0\n1")
        self.assertFalse(record.is_current(found))

    def test_an_input_that_is_gone_has_changed(self):
        found = self.kept(["Sources", "b.py"])
        (self.root / "b.py").unlink()
        self.assertFalse(record.is_current(found))

    def test_a_commit_says_that_inputs_differ_from_it(self):
        self.write("b.py", "2")
        self.assertNotIn("dirty", self.kept()["commit"])
        self.write("Sources/a.swift", "2")
        self.assertTrue(self.kept()["commit"].endswith("-dirty"))

    def test_a_commit_that_does_not_exist_is_told(self):
        found = self.kept() | {"commit": "0123456"}
        self.assertEqual(list(figures.stale([found])), ["bench: there is no commit 0123456"])

    def test_inputs_that_are_no_files_are_refused(self):
        with self.assertRaises(subprocess.CalledProcessError):
            self.kept(["Sources", "Soures"])


if __name__ == "__main__":
    unittest.main()
