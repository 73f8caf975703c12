"""stage.py SOURCES DIRECTORY: puts the modules that aniccad is made of into DIRECTORY, as Embedded Swift takes them.

Three changes are mechanical and made here; the others, which would be work, are in sources.patch. What a microcontroller
leaves out stays in: this is a board with Linux.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

MODULES = [
    "Core/Quantities", "Core/Timekeeping", "Core/Signal", "Core/DutyCycle", "Core/Schedule", "Core/SettingKeys", "Domains", "Consent",
    "Ports", "Chips", "Adapters/Files", "Adapters/Program", "Adapters/Journaling", "Adapters/Config", "Adapters/Systemd",
    "Adapters/Lending", "Adapters/Inbox", "Adapters/Gpsd", "Adapters/LinuxBus", "Adapters/Vault", "Adapters/Ledger",
    "Services/Permissions", "Services/Sensing", "Services/Agent", "Laboratory/SimulatedBus", "Programs/aniccad",
]
SETTINGS = re.compile(r"\bSetting(Keys|Section|Key|Agreement)\b")
KEY_PATH = r"\\(\.[a-zA-Z0-9.]+)"


def without_settings(text):
    """Without the parts under `#if` at the margin that describe keys of the configuration: their key paths do not compile."""
    def kept(block):
        return "" if SETTINGS.search(block[0]) else block[0]
    return re.sub(r"^#if !MICROCONTROLLER\n.*?^#endif\n", kept, text, flags=re.MULTILINE | re.DOTALL)


def with_closures(text):
    """Key paths that stand for functions, as closures."""
    text = re.sub(rf"\({KEY_PATH}\)", r"({ $0\1 })", text)
    return re.sub(rf"\b(where|by|read|format): {KEY_PATH}", r"\1: { $0\2 }", text)


def main():
    sources, directory = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    counts = {"files": 0, "lines": 0, "files with key paths": 0}
    for module in MODULES:
        shutil.copytree(sources / module, directory / module)
    # A program begins otherwise here: Daemon/Main.swift.
    (directory / "Programs/aniccad/main.swift").unlink()
    for path in sorted(directory.rglob("*.swift")):
        text = path.read_text(encoding="utf-8").replace("hasFeature(Embedded)", "MICROCONTROLLER")
        plain = with_closures(without_settings(text))
        counts["files"] += 1
        counts["lines"] += text.count("\n")
        counts["files with key paths"] += plain != without_settings(text)
        path.write_text(plain, encoding="utf-8")
    patch = pathlib.Path(__file__).resolve().parent / "sources.patch"
    # Apart from the repository that the directory may lie in.
    done = subprocess.run(
        ["git", "apply", "-p1", patch], cwd=directory, env=os.environ | {"GIT_CEILING_DIRECTORIES": str(directory.parent)}, check=False)
    if done.returncode != 0:
        sys.exit(f"{patch} does not fit the sources any more: see what git apply says above, and make it anew")
    print(", ".join(f"{count} {name}" for name, count in counts.items()))


main()
