"""Holds heart rates from recorded pulse signals against limits, where there are recordings.

Usage: heart.py ANICCA_LAB RECORDINGS
"""

import json
import os
import subprocess
import sys

import record
from demands import Demands

INPUTS = ["Package.swift", "Sources/Core/Quantities", "Sources/Signal/PulseEvidence.swift", "Sources/Signal/PulseRate.swift",
          "Sources/Signal/PulseWindow.swift", "Sources/Signal/Sine.swift", "Sources/Signal/Float+Logarithm.swift",
          "Sources/Laboratory/Recordings", "Sources/Programs/anicca-lab/Heart.swift", "Sources/Programs/anicca-lab/HeartScores.swift",
          "scripts/demands.py", "scripts/heart.py"]
SIGNALS = {"first": "first signal", "second": "second signal", "better": "the better of both"}
PARTS = {"rest": "first and last 30 s", "calm": "of them, with little movement", "motion": "in motion"}
HEADER = ["signal", "part", "windows", "kept", "mean absolute error, 1/min", "wrong", "of them rejected"]


def main(lab, folder):
    if not os.path.isdir(folder):
        print(f"skipped: heart rates, for there is no folder {folder}")
        return 0
    output = subprocess.run([lab, "heart", "--json", folder], check=True, capture_output=True, text=True).stdout
    rows = [json.loads(line) for line in output.splitlines()]
    total = {(row["signal"], row["part"]): row for row in rows if "recording" not in row}
    table = [HEADER, *(cells(total[signal, part]) for signal in SIGNALS for part in PARTS)]
    print("\n".join("\t".join(map(str, row)) for row in table))
    calm, motion = total["better", "calm"], total["better", "motion"]
    kept, rejected = calm["kept"] / calm["windows"], 1 - motion["wrongKept"] / motion["wrong"]
    demand = Demands()
    demand(kept >= 0.7, f"calm: {kept:.1%} kept")
    demand(calm["meanAbsoluteError"] <= 3, f"calm: mean absolute error {calm['meanAbsoluteError']:.1f}")
    demand(rejected >= 0.95, f"in motion: {rejected:.1%} of wrong rates rejected")
    record.keep("heart", "make heart", INPUTS, {
        "recordings": len({row["recording"] for row in rows if "recording" in row}), "windows": table, "kept": kept, "rejected": rejected,
        "error": calm["meanAbsoluteError"]})
    return demand.status


def cells(row):
    error = f"{row['meanAbsoluteError']:.1f}" if row["kept"] else "–"
    rejected = f"{1 - row['wrongKept'] / row['wrong']:.1%}".replace("%", " %") if row["wrong"] else "–"
    kept = f"{row['kept'] / row['windows']:.1%}".replace("%", " %") if row["windows"] else "–"
    return [SIGNALS[row["signal"]], PARTS[row["part"]], row["windows"], kept, error, row["wrong"], rejected]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
