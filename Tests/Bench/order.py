#!/usr/bin/env python3
"""Writes deploy/link/order.txt: the functions that aniccad runs, first those of its days and then those of its start and its reload.

The linker lays them out in this order (ld.lld(1), --symbol-ordering-file), so that the pages of code that stay in memory are few. A name that
is not there any more is skipped, so an old list costs memory and nothing else. `make link-order` runs this.
"""

import pathlib
import sys
import tempfile

from figures import allow, dump, profiled, Profile
from shipped import BEGIN
from harness import PROJECT
from harness.world import DAY, HOUR

HEADER = "# Functions in the order that aniccad is linked in: written by `make link-order` (Tests/Bench/order.py).\n"


def main():
    with tempfile.TemporaryDirectory(prefix="anicca-order-") as directory:
        out = pathlib.Path(directory) / "profile"
        with profiled(out) as device:
            device.boot(BEGIN)
            device.start()
            allow(device)
            device.live(HOUR)
            device.reload()
            dump(device)
            device.live(2 * DAY)
            dump(device)
        start, days = (Profile(out.with_name(f"{out.name}.{part}")) for part in (1, 2))
    names = days.functions_of("aniccad")
    seldom = start.functions_of("aniccad")
    lines = list(dict.fromkeys(names + seldom))
    (PROJECT / "deploy/link/order.txt").write_text(HEADER + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"order: {len(names)} functions of the days, {len(lines) - len(names)} more of a start and a reload")


if __name__ == "__main__":
    sys.exit(main())
