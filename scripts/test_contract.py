"""The pages of the contract with a server, docs/openapi.yaml and docs/server.md, name the same statuses, fields and events."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
YAML = (ROOT / "docs/openapi.yaml").read_text(encoding="utf-8")
PAGE = (ROOT / "docs/server.md").read_text(encoding="utf-8")


def part(name):
    """The schema of a name, which ends where the next one begins."""
    return re.search(rf"^    {name}:\n(.*?)(?=^    \w|\Z)", YAML, re.MULTILINE | re.DOTALL)[1]


def fields(name):
    members = re.split(r"^      properties:(?: &\w+)?\n", part(name), maxsplit=1, flags=re.MULTILINE)[1]
    return set(re.findall(r"^        (\w+):$", members, re.MULTILINE))


def erasable(member):
    """What an erasure can name, in the order of the alphabet."""
    return sorted(re.search(rf"^        {member}:\n.*?enum: \[(.*?)\]", part("Erasure"), re.MULTILINE | re.DOTALL)[1].split(", "))


def rows(title):
    """The first cells of the table under a title."""
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)[1]
    return [cell for line in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for cell in re.findall(r"`(.*?)`", line)]


class ContractTest(unittest.TestCase):
    def test_the_statuses_are_the_same(self):
        stated = set(re.findall(r'^        "(\d\w\w)":(?: &\w+)?$', YAML, re.MULTILINE))
        self.assertGreater(len(stated), 10)
        self.assertEqual(sorted(rows("What a status means")), sorted(stated))

    def test_the_fields_of_a_record_are_the_same(self):
        self.assertIn("steps", fields("DailyRecord"))
        self.assertEqual(set(rows("The daily record")), fields("DailyRecord"))

    def test_the_events_are_the_same(self):
        stated = re.findall(r"const: (\w+)", YAML)
        for names in re.findall(r"eventType:\n +enum: \[(.*?)\]", YAML):
            stated += names.split(", ")
        self.assertEqual(len(stated), 5)
        self.assertEqual(sorted(rows("Events")), sorted(stated))
        self.assertEqual(erasable("events"), sorted(stated))

    def test_what_can_be_erased_is_what_is_sent(self):
        # Coverage is deleted with the figures of its record, and cannot be named.
        self.assertEqual(erasable("figures"), sorted(fields("DailyRecord") - {"userId", "date", "coverage"}))
        self.assertEqual(set(rows("Erasure")) - fields("DailyRecord"), {"until", "figures", "events"})

    def test_the_ranges_are_the_same(self):
        for name, least, most in re.findall(r"(\w+):\n +type: integer\n +minimum: (\d+)\n +maximum: (\d+)", YAML):
            self.assertRegex(PAGE, rf"`{name}`.*\b{least} to {int(most):,}", name)


if __name__ == "__main__":
    unittest.main()
