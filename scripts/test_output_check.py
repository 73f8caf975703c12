"""The check of printed output finds what it is for."""

import unittest

import output_check

RECORD = {"days": "$ anicca days\ndate        steps\n2026-11-19    100\n2026-11-20    200\n\nend\n"}


def page(shown, mark="<!-- output days -->\n"):
    return f"A sentence.\n\n{mark}```\n{shown}```\n"


def found(text):
    return [fault for _, fault in output_check.faults(text, RECORD.get)]


class OutputCheckTest(unittest.TestCase):
    def test_the_whole_or_a_cut_of_it(self):
        self.assertEqual(found(page(RECORD["days"])), [])
        self.assertEqual(found(page("$ anicca days\n…\n2026-11-20    200\n…\n")), [])
        self.assertEqual(found(page("…\nend\n")), [])

    def test_a_line_that_was_not_printed_or_is_left_out_unsaid(self):
        differs = ["it differs from docs/figures/output/days.txt"]
        self.assertEqual(found(page("$ anicca days\n…\n2026-11-20    201\n…\n")), differs)
        self.assertEqual(found(page("$ anicca days\n2026-11-20    200\n…\n")), differs)
        self.assertEqual(found(page("$ anicca days\ndate        steps\n")), differs, "its end is missing")
        self.assertEqual(found(page("date        steps\n…\n")), differs, "its beginning is missing")
        self.assertEqual(found(page("…\n2026-11-20    200\n…\n2026-11-19    100\n…\n")), differs, "in another order")
        self.assertEqual(found(page("…\nend\n…\nend\n")), differs, "printed once")

    def test_output_without_an_origin(self):
        self.assertEqual(len(found(page("date  steps\n", mark=""))), 1)
        self.assertEqual(len(found(page("$ anicca days\ndate  steps\n", mark=""))), 1)
        self.assertEqual(found(page("$ anicca days\n$ anicca status\n", mark="")), [], "nothing is printed")
        self.assertEqual(found(page("sudo anicca days\n", mark="")), [])
        self.assertEqual(found(page("[imu]\n", mark="")), [])

    def test_no_origin_has_a_reason(self):
        self.assertEqual(found(page("a drawing\n", mark="<!-- output none: a drawing -->\n")), [])
        self.assertEqual(len(found(page("a drawing\n", mark="<!-- output none -->\n"))), 1)

    def test_a_record_that_is_not_there(self):
        self.assertEqual(found(page("more\n", mark="<!-- output more -->\n")), ["there is no docs/figures/output/more.txt"])


if __name__ == "__main__":
    unittest.main()
