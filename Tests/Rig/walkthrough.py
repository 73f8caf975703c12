"""The commands and the configuration that a page tells its reader to type, in the order of the page."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Iterator, NamedTuple

PROJECT = Path(__file__).resolve().parents[2]

#: The first words of what is typed into a shell.
COMMANDS = {"sudo", "anicca", "anicca-lab", "apt", "dpkg", "i2cdetect", "journalctl", "ls", "make", "man", "scp", "systemctl", "timedatectl"}

#: Stands for what differs from reader to reader, and so cannot be typed as it is: PATH, DATE.
PLACEHOLDER = re.compile(r"(?<![A-Z_])[A-Z]{3,}(?![A-Z_=])|…")

#: A line that stands for lines of output that are left out.
CUT = "…"


class Step(NamedTuple):
    """What is typed: a line of a shell, or lines of a configuration."""

    text: str
    #: Where the page has it, and whether in a block or in a sentence.
    place: str
    is_block: bool
    #: The record of its block, if any.
    record: str = ""

    @property
    def is_configuration(self) -> bool:
        return self.text.startswith("[")


class Block(NamedTuple):
    """A block of code."""

    #: The number of its first line.
    line: int
    text: str
    #: What the line before its fence says of the output in it; None without one.
    origin: str | None

    @property
    def record(self) -> str:
        """The name of the record that it shows, if any."""
        return self.origin if self.origin and re.fullmatch(r"[a-z0-9-]+", self.origin) else ""

    @property
    def shows_output(self) -> bool:
        """Whether it has more than what is typed: no command, or lines without the prompt that others have."""
        prompts = [line.startswith("$ ") for line in self.text.splitlines() if line]
        return not typed(self.text) or any(prompts) and not all(prompts)


def read(page: str) -> str:
    return (PROJECT / page).read_text(encoding="utf-8")


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page."""
    lines = text.splitlines()
    for number, is_block, part in _parts(text):
        if is_block:
            # The fence is before the block, and the mark before the fence.
            mark = re.fullmatch(r"<!-- output (.*) -->", lines[number - 3]) if number > 2 else None
            yield Block(number, part, mark[1] if mark else None)


def steps(page: str) -> list[Step]:
    """All of them. Blocks of code count, and code in a sentence; not the first column of a table, which quotes what a program says."""
    found = []
    whole = read(page)
    records = {block.line: block.record for block in blocks(whole)}
    for number, is_block, text in _parts(whole):
        place = f"{page}:{number}"
        if is_block:
            found += [Step(line, place, True, records[number]) for line in typed(text)]
        else:
            found += [Step(code, place, False) for code in re.findall(r"`([^`]+)`", _without_quotes(text))
                      if " " in code and code.split()[0] in COMMANDS and not PLACEHOLDER.search(code)]
    return found


def _parts(text: str) -> Iterator[tuple[int, bool, str]]:
    """Blocks of code without their fences, and the paragraphs and table rows around them, with the number of their first line."""
    prose: list[str] = []
    block: list[str] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith("```"):
            if block is None:
                block = []
            else:
                yield number - len(block), True, textwrap.dedent("\n".join(block))
                block = None
        elif block is not None:
            block.append(line)
            continue
        elif line and not line.startswith("|"):
            prose.append(line)
            continue
        # Code may go on in the next line, and so a paragraph is one part.
        if prose:
            yield number - len(prose), False, " ".join(prose)
            prose = []
        if line.startswith("|"):
            yield number, False, line
    if prose:
        yield number - len(prose) + 1, False, " ".join(prose)


def typed(text: str) -> list[str]:
    """What is typed of a block: the lines with a prompt where there are some, all lines of commands, or a configuration as one."""
    lines = [line for line in text.splitlines() if line.strip()]
    if any(line.startswith("$ ") for line in lines):
        return [line[2:] for line in lines if line.startswith("$ ")]
    if lines[0].startswith("["):
        return [text]
    if lines[0].split()[0] not in COMMANDS:
        return []
    return [re.sub(r"\s{2,}#.*", "", line) for line in lines]


def is_cut_of(shown: str, printed: str) -> bool:
    """Whether the lines that are shown are those that were printed, but for the cuts."""
    groups: list[list[str]] = [[]]
    for line in _lines(shown):
        if line == CUT:
            groups.append([])
        else:
            groups[-1].append(line)
    rest = _lines(printed)
    *middle, last = groups[1:] or [[]]
    if rest[:len(groups[0])] != groups[0]:
        return False
    rest = rest[len(groups[0]):]
    if len(groups) == 1:
        return not rest
    for group in middle:
        end = next((n + len(group) for n in range(len(rest)) if rest[n:n + len(group)] == group), None)
        if end is None:
            return False
        rest = rest[end:]
    return rest[max(0, len(rest) - len(last)):] == last


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _without_quotes(part: str) -> str:
    return part.split("|", 2)[2] if part.startswith("|") else part
