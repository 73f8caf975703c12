"""measure.py PROGRAMS DIRECTORY: what the daemon costs with and without the Swift runtime, as a table.

PROGRAMS are those of the release, DIRECTORY is that of scripts/embedded-daemon.sh. Instructions are those of valgrind's cachegrind.
The virtual hour takes no time; aniccad itself is looked at after eight seconds.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HOUR = 60
FIGURES = {"Rss": "RSS", "Pss": "PSS", "Private_Dirty": "private dirty"}
ANICCA_READS = (["audit", "--verify"], ["why", "2025-01-13"])


def environment():
    """With the settings of malloc(3) that the daemon's unit gives it."""
    unit = (ROOT / "deploy/systemd/aniccad.service").read_text(encoding="utf-8")
    return os.environ | dict(re.findall(r"^Environment=(GLIBC_TUNABLES)=(.*)$", unit, re.MULTILINE))


def memory(pid):
    """RSS, PSS and private dirty memory of a process, in kB (proc_pid_smaps_rollup(5))."""
    lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()[1:]
    figures = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return {name: figures[key] for key, name in FIGURES.items()}


def owner(name, permissions):
    """Whose a mapping is."""
    base = pathlib.Path(name).name
    if re.match(r"aniccad(-\w+\.\w+)?$", base):
        return "the program's data" if "w" in permissions else "the program's relocations"
    if base.startswith(("ledger.sqlite", "aniccad.state")):
        return "the store's shared files"
    library = re.match(r"(lib\w+|ld)[-.]", base)
    return library.group(1) if library else {"": "anonymous", "[heap]": "heap", "[stack]": "stack"}.get(name, name)


def dirty_by_mapping(pid):
    """Private dirty memory by owner, in kB."""
    dirty, who = collections.Counter(), ""
    for line in pathlib.Path(f"/proc/{pid}/smaps").read_text(encoding="utf-8").splitlines():
        head = re.match(r"[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ \S+\s*(.*)", line)
        if head:
            who = owner(head.group(2), head.group(1))
        elif line.startswith("Private_Dirty"):
            dirty[who] += int(line.split()[1])
    return dirty


def stripped(program, option):
    copy = program.with_name(f"{program.name}.{option.strip('-')}")
    subprocess.run(["objcopy", option, program, copy], check=True)
    return copy


def life(program):
    """Memory after the first commit and after a virtual hour, and the last line that the program says."""
    with tempfile.TemporaryDirectory() as store:
        daemon = subprocess.Popen(
            [program, "--store", store, "--windows", str(HOUR), "--virtual", "--stops"], stderr=subprocess.PIPE, text=True,
            env=environment())
        figures = []
        for _ in range(2):
            _, status = os.waitpid(daemon.pid, os.WUNTRACED)
            assert os.WIFSTOPPED(status), f"{program} ended early: {daemon.stderr.read()}"
            figures.append((memory(daemon.pid), dirty_by_mapping(daemon.pid)))
            os.kill(daemon.pid, 18)
        said = daemon.communicate(timeout=60)[1].strip()
        assert daemon.returncode == 0, said
        return figures, said


def instructions(program, *words):
    with tempfile.TemporaryDirectory() as store:
        done = subprocess.run(
            ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program, "--store", store,
             "--virtual", *words], check=True, stderr=subprocess.PIPE, text=True, env=environment())
        return int(re.search(r"I\s+refs:\s+([\d,]+)", done.stderr).group(1).replace(",", ""))


def costs(program):
    """Instructions of a start, of a window with all that comes with it, of its judgement alone, and of a commit of the state."""
    start = instructions(program, "--windows", "1")
    hour = instructions(program, "--windows", str(HOUR))
    day = instructions(program, "--windows", str(3 * HOUR))
    judged = instructions(program, "--windows", "1", "--judgements", "500")
    committed = instructions(program, "--windows", "1", "--commits", "100")
    return {"start": start, "window": (day - hour) // (2 * HOUR), "judgement": (judged - start) // 500,
            "commit": (committed - start) // 100}


def what_anicca_reads(programs, program):
    """What anicca says about a store of seven hours of the program."""
    with tempfile.TemporaryDirectory() as store:
        subprocess.run([program, "--store", store, "--windows", str(7 * HOUR), "--virtual"], check=True, stderr=subprocess.DEVNULL)
        config = pathlib.Path(store) / "anicca.conf"
        config.write_text(f"[store]\ndirectory = {store}\nkey-file = {store}/key\n[run]\nbell-directory = {store}\n", encoding="utf-8")
        said = [subprocess.run([programs / "anicca", *words, "--config", config], check=True, stdout=subprocess.PIPE, text=True).stdout
                for words in ANICCA_READS]
        # The hash of the trail has the time of the start in it, and the key.
        said[0] = re.sub(r"head [0-9a-f]+", "head …", said[0])
        return said


def waiting(program):
    """The daemon with everything off, as scripts/bench.py has it."""
    with tempfile.TemporaryDirectory() as directory:
        config = pathlib.Path(directory) / "anicca.conf"
        config.write_text(
            f"[store]\ndirectory = {directory}\nkey-file = {directory}/key\n[run]\nbell-directory = {directory}\n", encoding="utf-8")
        daemon = subprocess.Popen(
            [program, "--config", config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
        time.sleep(8)
        figures = memory(daemon.pid), dirty_by_mapping(daemon.pid)
        daemon.terminate()
        assert daemon.wait(timeout=20) == 0, f"{program} did not end cleanly"
        return figures


def main():
    programs, directory = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    builds = [directory / "aniccad-embedded", directory / "aniccad-ordinary"]
    for build in builds + [directory / "aniccad-whole", programs / "aniccad"]:
        link = directory / f"{build.name}-release" if build.parent == programs else build
        subprocess.run(["objcopy", "--strip-all", build, f"{link}.stripped"], check=True)
        print(f"{build.name:18} {os.path.getsize(f'{link}.stripped'):>12,} bytes, stripped")
    os.sync()  # Pages of a freshly linked program would count as dirty.
    for build in builds:
        figures, said = life(pathlib.Path(f"{build}.stripped"))
        for when, (total, dirty) in zip(("first commit", "an hour"), figures):
            print(f"{build.name:18} {when:12} " + ", ".join(f"{name} {kb} kB" for name, kb in total.items()))
            print("    " + ", ".join(f"{who} {kb}" for who, kb in dirty.most_common() if kb))
        print(f"    {said}")
    for path in (programs / "aniccad", directory / "aniccad-whole.stripped"):
        total, dirty = waiting(path)
        print(f"{path.stem:18} {'waiting':12} " + ", ".join(f"{name} {kb} kB" for name, kb in total.items()))
        print("    " + ", ".join(f"{who} {kb}" for who, kb in dirty.most_common() if kb))
    for build in builds:
        figures = costs(stripped(build, "--strip-debug"))
        print(f"{build.name:18} instructions " + ", ".join(f"{name} {count:,}" for name, count in figures.items()))
    first, second = (what_anicca_reads(programs, build) for build in builds)
    print(f"anicca reads {'the same of both stores' if first == second else 'something else of one store than of the other'}:")
    print("    " + "\n    ".join(first[0].splitlines() + first[1].splitlines()[:4]))
    assert first == second


main()
