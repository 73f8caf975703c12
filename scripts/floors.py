"""Holds the flights counted on simulated days against limits: days with stairs, and days with lifts alone.

Usage: floors.py ANICCA_LAB DAYS
"""

import concurrent.futures
import json
import subprocess
import sys

import record
from demands import Demands

INPUTS = [*record.PROGRAMS, "scripts/demands.py", "scripts/floors.py"]
CONDITIONS = {"stairs, and lifts": [], "… with a step sensor": ["--step-sensor"], "… with an LSM6DSO, which counts steps": ["--imu", "lsm6dso"],
              "lifts alone": ["--no-stairs"]}
# Where no flight may be counted, and where the air may pass for one.
NEVER = ("downstairs", "lift", "escalator", "car", "train")
SOMETIMES = ("hill", "outdoors", "indoors")
# The target is none. What is counted is a slow lift of one storey in which the wearer turns round.
MOST_WRONG = 0.01
HEADER = ["", "days", "right within one", "climbed", "counted", "in lifts and vehicles", "on hills", "in wind, on the flat", "indoors"]


def main(lab, days):
    def run(options):
        output = subprocess.run([lab, "floors", "--json", "--days", days, *options], check=True, capture_output=True, text=True)
        return json.loads(output.stdout)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        rows = dict(zip(CONDITIONS, pool.map(run, CONDITIONS.values())))
    demand = Demands()
    for title, row in rows.items():
        right, wrong = row["rightWithinOne"] / row["days"], sum(row[part] for part in NEVER)
        demand(right >= 0.95, f"{title}: right within one flight on {right:.1%} of {row['days']} days")
        demand(wrong <= MOST_WRONG * row["days"], f"{title}: {wrong} flights counted downstairs, in lifts and in vehicles")
    record.keep("floors", f"make floors DAYS={days}", INPUTS, {
        "days": int(days), "flights": [HEADER, *(cells(title, row) for title, row in rows.items())]})
    return demand.status


def cells(title, row):
    right = f"{row['rightWithinOne'] / row['days']:.1%}".replace("%", " %")
    return [title, f"{row['days']:,}", right, f"{row['climbed']:,}", f"{row['counted']:,}", sum(row[part] for part in NEVER),
            *(row[part] for part in SOMETIMES)]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
