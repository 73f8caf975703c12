#!/usr/bin/env python3
"""Holds simulated nights to what docs/sleep.md promises of the sampling, and the edges of the time in bed to the reference rule.

Usage: nights.py PROGRAM PYTHON NIGHTS
PROGRAM is anicca-lab, PYTHON has the packages of the training. NIGHTS nights are held against the reference rule, a tenth of them are
sampled in every way.
Exit status: 0 as promised, 1 not.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

# The most that the estimate may lose against samples without a gap, in thousandths of kappa, with room for few nights.
KAPPA_LOSS = 50
# The most wake-ups that sleep may add from noon to noon, by chip; docs/sleep.md says why some need more.
ADDED_WAKE_UPS = {"mpu6050": 1200, "mpu6500": 2700, "lis3dh": 1000, "adxl345": 800, "lsm6dso": 1500, "lsm6ds3trc": 1400}
# The least share of nights of which both edges are within five minutes of the reference rule's.
# With room for few nights: 0.936 of 500.
CLOSE_EDGES = 0.85


def main():
    program, python, nights = sys.argv[1], sys.argv[2], int(sys.argv[3])
    rows = compare(program, max(nights // 10, 5))
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
            [python, pathlib.Path(__file__).parent.parent / "Training/sleep_nights.py", directory, "--check", str(CLOSE_EDGES)])
        if edges.returncode != 0:
            failures.append("the edges of the time in bed differ from the reference rule's")
    for failure in failures:
        print(f"nights: {failure}", file=sys.stderr)
    return 1 if failures else 0


def compare(program, nights):
    lines = subprocess.run([program, "nights", "--nights", str(nights), "--json"], check=True, capture_output=True, text=True)
    return {row["sampling"]: row for row in map(json.loads, lines.stdout.splitlines())}


if __name__ == "__main__":
    sys.exit(main())
