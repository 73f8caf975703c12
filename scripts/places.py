"""Holds what is told of places against limits: simulated days at rest and with trips, and real tracks where there are any.

Usage: places.py ANICCA_LAB DAYS [TRACKS]
"""

import json
import os
import subprocess
import sys

import record
from demands import Demands

INPUTS = [*record.PROGRAMS, "scripts/demands.py", "scripts/places.py"]
HEADER = ["", "mode", "crossings", "missed", "false", "later than 60 s after it was certain", "visits", "F1 of visits", "receiver, minutes a day"]


def run(lab, *arguments):
    output = subprocess.run([lab, "places", "--json", *arguments], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def main(lab, days, tracks=None):
    demand = Demands()
    rest, trips = run(lab, "--days", days, "--rest"), run(lab, "--days", days)
    figures = {
        "days": int(days), "rest_conditions": len(rest), "rest_wrong": sum(row["wrong"] for row in rest), "rest": [HEADER, *map(cells, rest)],
        "trips": [HEADER, *map(cells, trips)]}
    for row in rest:
        name = f"at rest, {row['mode']}, {row['sky']} sky, {'with' if row['imu'] else 'without'} IMU"
        demand(row["wrong"] == 0, f"{name}: {row['wrong']} false crossings in {row['days']} days")
    for row in trips:
        if row["sky"] != "open":
            continue
        name = f"with trips, {row['mode']}, {'with' if row['imu'] else 'without'} IMU"
        crossings = row["crossings"]
        demand(row["missed"] + row["wrong"] <= 0.02 * crossings,
               f"{name}: {row['missed']} missed and {row['wrong']} false of {crossings} crossings")
        demand(row["late"] <= 0.08 * crossings, f"{name}: {row['late']} told later than 60 s after they were certain")
        if row["mode"] != "geofence":
            demand(row["f1"] >= 0.95, f"{name}: F1 of visits {row['f1']:.3f}")
        if row["imu"] and row["mode"] == "visit":
            demand(row["receiverMinutesPerDay"] <= 20, f"{name}: receiver on {row['receiverMinutesPerDay']:.1f} min a day")
    if tracks and os.path.isdir(tracks):
        row = figures["tracks"] = run(lab, "--tracks", tracks)[0]
        demand(row["found"] >= 0.95 * row["stays"], f"tracks: {row['found']} of {row['stays']} stays are in a visit")
        demand(row["wrong"] <= 0.05 * row["visits"], f"tracks: {row['wrong']} of {row['visits']} visits on the move")
    else:
        print(f"skipped: the real tracks, for there is no folder {tracks}")
    record.keep("places", f"make places DAYS={days}", INPUTS, figures)
    sys.exit(demand.status)


def cells(row):
    name = f"{row['sky']} sky, {'with' if row['imu'] else 'without'} IMU"
    f1 = f"{row['f1']:.3f}" if row["f1"] else "–"
    return [name, f"`{row['mode']}`", row["crossings"], row["missed"], row["wrong"], row["late"], row["visits"], f1,
            f"{row['receiverMinutesPerDay']:.1f}"]


main(*sys.argv[1:])
