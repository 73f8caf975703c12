#!/usr/bin/env python3
"""Holds simulated nights to what docs/sleep.md promises of the sampling, and the edges of the time in bed to the reference rule.

Usage: nights.py PROGRAM PYTHON NIGHTS
PROGRAM is anicca-lab, PYTHON has the packages of the training. NIGHTS nights are held against the reference rule, a tenth of them are
sampled in every way.
Exit status: 0 as promised, 1 not.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import record

INPUTS = [*record.PROGRAMS, "scripts/nights.py", "Training/sleep_nights.py", "Training/sleep_reference.py"]
# The most that the estimate may lose against samples without a gap, in thousandths of kappa, with room for few nights.
KAPPA_LOSS = 50
# The most wake-ups that sleep may add from noon to noon, by chip. A FIFO that lasts less needs more (docs/chips.md).
ADDED_WAKE_UPS = {
    "mpu6050": 1200, "mpu6500": 2700, "lis3dh": 1000, "adxl345": 800, "lsm6dso": 1500, "lsm6ds3trc": 1400, "bma400": 6500}
# The least share of nights of which both edges are within five minutes of the reference rule's.
# With room for few nights: 0.936 of 500.
CLOSE_EDGES = 0.85


def main():
    program, python, nights = sys.argv[1], sys.argv[2], int(sys.argv[3])
    sampled = max(nights // 10, 5)
    rows = compare(program, sampled)
    failures = []
    for chip, most in ADDED_WAKE_UPS.items():
        row, without = rows[f"daemon, {chip}"], rows[f"daemon, {chip}, no sleep"]
        loss = rows["25 Hz without a gap"]["kappaPermille"] - row["kappaPermille"]
        added = row["wakeUps"] - without["wakeUps"]
        print(f"{chip}: loses {loss / 1000:.3f} of kappa, adds {added} wake-ups and "
              f"{(row['chargeMicroampereHours'] - without['chargeMicroampereHours']) / 1000:.2f} mAh a day")
        if loss > KAPPA_LOSS:
            failures.append(f"{chip} loses more than {KAPPA_LOSS / 1000} of kappa")
        if added > most:
            failures.append(f"{chip} adds more than {most} wake-ups")
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([program, "nights", "--nights", str(nights), "--out", directory], check=True)
        edges = subprocess.run(
            [python, pathlib.Path(__file__).parent.parent / "Training/sleep_nights.py", directory, "--check", str(CLOSE_EDGES)],
            stdout=subprocess.PIPE, text=True)
        print(edges.stdout, end="")
        if edges.returncode != 0:
            failures.append("the edges of the time in bed differ from the reference rule's")
    close = re.search(r"of the reference: (\S+)%", edges.stdout)
    record.keep("nights", f"make nights NIGHTS={nights}", INPUTS, {
        "nights": nights, "sampled": sampled, "close_edges": float(close[1]) / 100, "sampling": table(rows)})
    for failure in failures:
        print(f"nights: {failure}", file=sys.stderr)
    return 1 if failures else 0


def compare(program, nights):
    lines = subprocess.run([program, "nights", "--nights", str(nights), "--json"], check=True, capture_output=True, text=True)
    return {row["sampling"]: row for row in map(json.loads, lines.stdout.splitlines())}


def table(rows):
    """Ways of sampling; of the daemon also what sleep adds from noon to noon."""
    cells = [["sampling", "κ", "edges off by, median, min", "sleep too long by, min", "wake-ups without sleep", "with", "charge without, mAh", "with"]]
    for name, row in rows.items():
        if name.endswith("no sleep"):
            continue
        cost = ["–"] * 4
        without = rows.get(f"{name}, no sleep")
        if without:
            cost = [without["wakeUps"], row["wakeUps"], *(f"{one['chargeMicroampereHours'] / 1000:.2f}" for one in (without, row))]
        edges = f"{row['edgeMedianSeconds'] / 60:.1f}" if "edgeMedianSeconds" in row else "–"
        cells.append([name, f"{row['kappaPermille'] / 1000:.3f}", edges, f"{row['asleepBiasSeconds'] / 60:.0f}", *cost])
    return cells


if __name__ == "__main__":
    sys.exit(main())
