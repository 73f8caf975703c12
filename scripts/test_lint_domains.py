"""What is declared for one domain is found where it is named outside of its places, and nowhere else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("lint-domains.py")
DECLARED = """public struct PoolSettings: DomainSettings {}

extension Figure {
    public static let lengths = Figure(id: 9)
}
"""


class DomainLintTest(unittest.TestCase):
    def lint(self, file, text):
        with tempfile.TemporaryDirectory() as root:
            for place, content in (("Sources/Domains/Pool/Pool.swift", DECLARED), (file, text)):
                path = pathlib.Path(root, place)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            return subprocess.run([sys.executable, SCRIPT, "--root", root], stdout=subprocess.PIPE, text=True, check=False)

    def test_types_and_values_of_a_domain_are_found_with_their_line(self):
        for line in ("settings[PoolSettings.self]", "quarter.amount(of: .lengths)", "if figure == Figure.lengths {}", "[.lengths]"):
            ended = self.lint("Sources/Agent/A.swift", f"import Domains\n    {line}\n")
            self.assertEqual(ended.returncode, 1, line)
            self.assertIn("Sources/Agent/A.swift:2: ", ended.stdout)

    def test_its_places_members_of_others_comments_and_texts_are_not(self):
        for file, text in (
                ("Sources/Domains/Pool/B.swift", "let all = [Figure.lengths]"), ("Sources/Programs/anicca/Pages/Pool.swift", "[.lengths]"),
                ("Sources/Agent/A.swift", "pool.lengths += 1"), ("Sources/Agent/A.swift", "// .lengths is not named"),
                ("Sources/Agent/A.swift", 'print(".lengths")'), ("Sources/Agent/A.swift", "walk().lengths")):
            ended = self.lint(file, text)
            self.assertEqual(ended.returncode, 0, ended.stdout)

    def test_a_collector_has_a_default_for_the_inputs_of_other_domains(self):
        for default, status in (("        default: []\n", 0), ("        case .woke: []\n", 1), ("        case .a: switch b { default: [] }\n", 1)):
            text = ("struct C: Collector {\n    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {\n"
                    f"        switch input {{\n        case .window: []\n{default}        }}\n    }}\n}}\n")
            ended = self.lint("Sources/Domains/Pool/PoolCollector.swift", text)
            self.assertEqual(ended.returncode, status, ended.stdout)
            self.assertEqual("PoolCollector.swift:3: " in ended.stdout, status == 1)


if __name__ == "__main__":
    unittest.main()
