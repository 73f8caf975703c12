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

    def test_the_page_has_every_promise_and_no_other(self):
        found = reliability.check(reliability.promises(), reliability.PAGE.read_text(encoding="utf-8"))
        self.assertEqual([wrong for wrong in found if not wrong.startswith("does not hold")], [])

    def test_a_page(self):
        page = reliability.page(WORDS, [RESULT, {**RESULT, "fault": "dates", "failures": 2, "whole": True, "notes": {}}])
        self.assertIn("| Certificates are verified | pins (3 runs) | 10 | 0 | abc (sample, seed 1) |\n", page)
        self.assertIn("| Certificates are verified | dates | 10 | **2** | abc (whole) |\n", page)
        self.assertIn("| Memory is flat | – | 0 | not measured | – |\n", page)

    def test_what_is_wrong_with_a_page(self):
        page = reliability.page(WORDS, [{**RESULT, "failures": 1}])
        self.assertEqual(len(list(reliability.check(WORDS, page))), 2, "a failure, and what was not measured")
        self.assertIn("not on the page: x", list(reliability.check({**WORDS, "y": "x"}, page)))
        self.assertIn("no promise: Memory is flat", list(reliability.check({"tls": WORDS["tls"]}, page)))


if __name__ == "__main__":
    unittest.main()
