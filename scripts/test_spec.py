"""The specification of the project is the one that it was built by, where that lies beside the checkout."""

import pathlib
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent
OURS = PROJECT / "docs/SPEC.md"
GIVEN = PROJECT.parent / "shared/SPEC.md"


class SpecTest(unittest.TestCase):
    @unittest.skipUnless(GIVEN.exists(), f"there is no {GIVEN} to compare {OURS.name} with")
    def test_our_copy_is_whole(self):
        self.assertEqual(GIVEN.read_text(encoding="utf-8"), OURS.read_text(encoding="utf-8"), "copy it to docs/SPEC.md")


if __name__ == "__main__":
    unittest.main()
