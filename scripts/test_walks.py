"""The check of the walks finds what it is for."""

import importlib.util
import pathlib
import unittest

SPEC = importlib.util.spec_from_file_location("walks", pathlib.Path(__file__).with_name("check-walks.py"))
walks = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(walks)

FILES = {"A.swift": "func begin() { go() }", "B.swift": "func go() {}", "C.swift": "func rest() {}"}


def page(steps, most=2):
    other = "".join(f"### Walk {n} (1 files at most)\n1. `A.swift`: `begin`\n" for n in (2, 3, 4))
    return f"## Four walks\n### Walk 1 ({most} files at most)\n{steps}{other}## Next\n9. `No.swift`: `no`\n"


def found(text):
    return [fault for _, fault in walks.faults(text, FILES.get)]


class WalksTest(unittest.TestCase):
    def test_a_walk_that_holds(self):
        self.assertEqual(found(page("1. `A.swift`: `begin`\n2. `B.swift`: `go`\n")), [])

    def test_a_file_or_a_name_that_is_not_there(self):
        self.assertEqual(found(page("1. `X.swift`: `begin`\n")), ["X.swift does not exist"])
        self.assertEqual(found(page("1. `A.swift`: `gone`\n")), ["A.swift has no gone"])

    def test_a_name_that_nothing_before_uses(self):
        text = page("1. `A.swift`: `begin`\n2. `C.swift`: `rest`\n")
        self.assertEqual(found(text), ["no file before C.swift in the walk uses rest"])

    def test_a_walk_that_is_too_long_or_empty(self):
        steps = "1. `A.swift`: `begin`\n2. `B.swift`: `go`\n"
        self.assertEqual(found(page(steps, 1)), ["2 files, of 1 at most, of which 25 are allowed"])
        self.assertEqual(found(page("", 30)), ["0 files, of 30 at most, of which 25 are allowed"])

    def test_a_step_out_of_order_or_form(self):
        self.assertEqual(len(found(page("2. `A.swift`: `begin`\n"))), 2, "and the walk is empty")

    def test_a_walk_that_is_missing(self):
        self.assertEqual(found("## Four walks\n"), ["there are 4 walks, not 0"])


if __name__ == "__main__":
    unittest.main()
