"""What changes the state of the process is found in shared modules, and in no program."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("lint-process.py")


class ProcessLintTest(unittest.TestCase):
    def lint(self, file, text):
        with tempfile.TemporaryDirectory() as root:
            path = pathlib.Path(root, file)
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, SCRIPT, "--root", root], stdout=subprocess.PIPE, text=True, check=False)

    def test_each_call_is_found_with_its_line(self):
        for call in ("umask(0o77)", 'chdir("/")', 'setenv("TZ", zone, 1)', "tzset()", "signal(SIGPIPE, SIG_IGN)", "Glibc.signal(number) { _ in }",
                     "setrlimit(resource, &low)", "prctl(PR_SET_DUMPABLE, 0)"):
            ended = self.lint("Sources/Delivery/Sinks/A.swift", f"import Glibc\n    {call}\n")
            self.assertEqual(ended.returncode, 1, call)
            self.assertIn("Sources/Delivery/Sinks/A.swift:2: ", ended.stdout)

    def test_programs_comments_and_other_names_are_not(self):
        for file, text in (
                ("Sources/Programs/anicca/A.swift", "umask(0o77)"), ("Sources/Delivery/Sinks/A.swift", "// umask(0o77) is not called"),
                ("Sources/Delivery/Sinks/A.swift", "public func signal() {}"), ("Sources/Delivery/Sinks/A.swift", "if hasEvents { signal() }"),
                ("Sources/Delivery/Sinks/A.swift", "journal.signal(.upload)")):
            ended = self.lint(file, text)
            self.assertEqual(ended.returncode, 0, ended.stdout)


if __name__ == "__main__":
    unittest.main()
