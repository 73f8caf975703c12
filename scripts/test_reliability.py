"""The promises of the reliability page have suites, and the suites try promises that stand on the page."""

import importlib.util
import pathlib
import re
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SPEC = importlib.util.spec_from_file_location("reliability", HERE / "reliability.py")
reliability = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(reliability)

RESULT = {"suite": "server", "promise": "tls", "fault": "pins", "tried": 10, "failures": 0, "whole": False, "seed": 1, "commit": "abc",
          "notes": {"runs": 3}}
WORDS = {"tls": "Certificates are verified", "flat": "Memory is flat"}


def tried():
    """The names of promises in the suites."""
    text = "".join(path.read_text(encoding="utf-8") for path in (HERE.parent / "Tests/Faults").glob("test_*.py"))
    calls = re.findall(r"""(?:trials|several|each|try_all)\(\s*(\(?(?:"[\w-]+"(?:, )?)+)""", text)
    return {name for call in calls for name in re.findall(r'"([\w-]+)"', call)}


class ReliabilityTest(unittest.TestCase):
    def test_every_promise_has_a_suite(self):
        self.assertEqual(set(reliability.promises()) - tried(), set())

    def test_every_suite_tries_a_promise(self):
        self.assertEqual(tried() - set(reliability.promises()), set())

    def test_the_record_has_every_promise_and_no_other(self):
        made = reliability.record.read("reliability")
        if made is None:
            self.skipTest("make reliability RECORD=1 was not run yet")
        found = reliability.check(reliability.promises(), made["figures"]["promises"])
        self.assertEqual([wrong for wrong in found if not wrong.startswith("does not hold")], [])

    def test_a_table(self):
        made = reliability.figures(WORDS, [RESULT, {**RESULT, "fault": "whole", "failures": 2, "whole": True, "notes": {}}])
        self.assertEqual(made["promises"][1:], [
            ["Certificates are verified", "pins (3 runs)", 10, 0, "sample, seed 1"], ["Certificates are verified", "whole", 10, 2, "whole"],
            ["Memory is flat", "–", 0, "not measured", "–"]])
        self.assertEqual((made["tried"], made["failed"]), (20, 2))

    def test_what_is_wrong_with_a_table(self):
        table = reliability.figures(WORDS, [{**RESULT, "failures": 1}])["promises"]
        self.assertEqual(len(list(reliability.check(WORDS, table))), 2, "a failure, and what was not measured")
        self.assertIn("not measured: x", list(reliability.check({**WORDS, "y": "x"}, table)))
        self.assertIn("no promise: Memory is flat", list(reliability.check({"tls": WORDS["tls"]}, table)))

    def test_results_of_two_commits_are_refused(self):
        self.assertEqual(reliability.commit([RESULT, RESULT]), "abc")
        with self.assertRaisesRegex(SystemExit, "of 2 commits, not of one .abc, def."):
            reliability.commit([RESULT, {**RESULT, "commit": "def"}])


if __name__ == "__main__":
    unittest.main()
