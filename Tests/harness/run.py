"""Runs modules of tests as processes of their own, several at a time.

    python3 Tests/harness/run.py Time Gpsd                              all modules of these directories of Tests
    python3 Tests/harness/run.py Faults.test_server                     one module; its output is shown as it comes
    python3 Tests/harness/run.py Faults.test_server.ServerTest.test_x   one test

A module has its directory as the working directory, Tests in PYTHONPATH, and a TMPDIR of its own. The output of a module that fails is
shown whole when it ends. A file or process that a module leaves behind is a failure of it. The longest module begins first:
.build/test-times.json keeps how long each took. JOBS=N runs N at a time, otherwise two for each core, as most of them wait.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
TIMES = TESTS.parent / ".build/test-times.json"
# Seconds in which what a module started has to be gone.
GRACE = 5


def modules(names):
    """The directory of each module and what unittest is to load of it."""
    for name in names:
        suite, _, rest = name.strip("/").partition(".")
        directory = TESTS / suite
        found = [rest] if rest else sorted(path.stem for path in directory.glob("test_*.py"))
        if not found or not (directory / f"{found[0].partition('.')[0]}.py").exists():
            sys.exit(f"{name}: no such tests in {TESTS}")
        for module in found:
            yield directory, module


def left_behind(session, directory):
    """The processes of a session, which have a moment to end, and the files of a directory."""
    deadline = time.monotonic() + GRACE
    while (alive := processes(session)) and time.monotonic() < deadline:
        time.sleep(0.05)
    for number, name in alive:
        os.kill(number, signal.SIGKILL)
        yield f"process {name}"
    yield from (path.name for path in directory.iterdir())


def processes(session):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, rest = path.read_text(errors="replace").rpartition(")")
        except OSError:
            continue
        state, _, _, of = rest.split()[:4]
        if int(of) == session and state != "Z":
            found.append((int(path.parent.name), head.partition("(")[2]))
    return found


class Module:
    """A module's process, and what came of it."""

    def __init__(self, directory, module, is_shown):
        self.directory, self.module, self.is_shown = directory, module, is_shown
        self.name = f"{directory.name}.{module}"
        self.process = None
        self.output = ""
        self.seconds = 0.0
        self.result = {"tests": 0, "failed": 1, "skipped": [], "cpu": 0.0}
        self.is_cancelled = self.is_reported = False

    def run(self):
        if self.is_cancelled:
            return self
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="anicca-tests-", ignore_cleanup_errors=True) as scratch, tempfile.TemporaryFile() as output:
            own, result = pathlib.Path(scratch, "tmp"), pathlib.Path(scratch, "result")
            os.chmod(scratch, 0o755)
            own.mkdir()
            own.chmod(0o1777)  # PostgreSQL runs as a user of its own.
            shown = None if self.is_shown else output
            self.process = subprocess.Popen(
                [sys.executable, "-m", "harness.run", "--result", result, self.module], cwd=self.directory, stdin=subprocess.DEVNULL,
                stdout=shown, stderr=shown and subprocess.STDOUT, start_new_session=True,
                env={**os.environ, "PYTHONPATH": str(TESTS), "TMPDIR": str(own)})
            self.process.wait()
            if result.exists():
                self.result = json.loads(result.read_text(encoding="utf-8"))
            left = "".join(f"left behind: {name}\n" for name in left_behind(self.process.pid, own))
            output.seek(0)
            self.output = output.read().decode(errors="replace") + left
            if left or (self.process.returncode and not self.result["failed"]):
                self.result["failed"] += 1
        self.seconds = time.monotonic() - began
        return self

    def end(self, sign):
        self.is_cancelled = True
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, sign)


def run_one(name, result):
    """Runs a module in this process, and writes down what came of it."""
    tests = unittest.defaultTestLoader.loadTestsFromName(name)
    ran = unittest.TextTestRunner(verbosity=2).run(tests)
    failed = {getattr(test, "test_case", test).id() for test, _ in ran.failures + ran.errors}
    failed |= {test.id() for test in ran.unexpectedSuccesses}
    if not ran.testsRun and not ran.skipped and not failed:
        failed = {"no tests"}
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    result.write_text(json.dumps({
        "tests": ran.testsRun, "failed": len(failed), "skipped": [(str(test), reason) for test, reason in ran.skipped],
        "cpu": sum(use.ru_utime + use.ru_stime for use in used)}), encoding="utf-8")
    return not failed


def run_all(every, jobs):
    """Runs modules, the longest first; whatever ends this, they have ended before."""
    times = json.loads(TIMES.read_text(encoding="utf-8")) if TIMES.exists() else {}
    every.sort(key=lambda module: -times.get(module.name, float("inf")))
    with concurrent.futures.ThreadPoolExecutor(jobs) as threads:
        try:
            for ended in concurrent.futures.as_completed([threads.submit(module.run) for module in every]):
                report(ended.result())
        finally:
            for sign, patience in ((signal.SIGTERM, 20), (signal.SIGKILL, 0)):
                for module in every:
                    module.end(sign)
                deadline = time.monotonic() + patience
                while any(module.process and module.process.poll() is None for module in every) and time.monotonic() < deadline:
                    time.sleep(0.05)
    times |= {module.name: round(module.seconds, 1) for module in every if not module.result["failed"]}
    TIMES.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=TIMES.parent, delete=False, encoding="utf-8") as file:
        json.dump(times, file, indent=1, sort_keys=True)
    os.replace(file.name, TIMES)


def report(module):
    module.is_reported = True
    failed = module.result["failed"]
    print(f"{'FAILED' if failed else 'ok'}: {module.name}, {module.seconds:.0f} s", flush=True)
    if failed:
        print(f"{'-' * 30} {module.name}\n{module.output}{'-' * 30} end of {module.name}", flush=True)


def summarise(every, seconds):
    print(f"\n{'module':<40} {'tests':>6} {'skipped':>8} {'seconds':>8} {'CPU s':>8}")
    for module in sorted(every, key=lambda module: -module.seconds):
        result = module.result
        print(f"{module.name:<40} {result['tests']:>6} {len(result['skipped']):>8} {module.seconds:>8.1f} {result['cpu']:>8.1f}"
              + ("  FAILED" if result["failed"] else ""))
    cpu = sum(module.result["cpu"] for module in every)
    print(f"{'all':<40} {sum(module.result['tests'] for module in every):>6} {'':>8} {seconds:>8.1f} {cpu:>8.1f}")
    for module in every:
        for test, reason in module.result["skipped"]:
            print(f"skipped: {test}: {reason}")
    failed = sum(module.result["failed"] for module in every)
    skipped = sum(len(module.result["skipped"]) for module in every)
    passed = sum(max(0, module.result["tests"] - module.result["failed"] - len(module.result["skipped"])) for module in every)
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return failed == 0


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("names", nargs="+", metavar="SUITE[.MODULE[.CLASS[.TEST]]]")
    words.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS") or 2 * len(os.sched_getaffinity(0))))
    words.add_argument("--result", type=pathlib.Path, help=argparse.SUPPRESS)
    chosen = words.parse_args()
    if chosen.result:
        sys.exit(not run_one(chosen.names[0], chosen.result))
    if "ANICCA_PROGRAMS" in os.environ:
        os.environ["ANICCA_PROGRAMS"] = os.path.abspath(os.environ["ANICCA_PROGRAMS"])
    found = list(modules(chosen.names))
    every = [Module(directory, module, len(found) == 1) for directory, module in found]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    began = time.monotonic()
    try:
        run_all(every, chosen.jobs)
    except BaseException:
        for module in every:
            if module.process and not module.is_reported:
                report(module)
        raise
    sys.exit(not summarise(every, time.monotonic() - began))


if __name__ == "__main__":
    main()
