#!/usr/bin/env python3
"""Compares the times in bed of simulated nights with the reference rule of sleep_reference.py.

Usage: sleep_nights.py DIR [--check SHARE] [--worst N]

Reads what `anicca-lab nights DIR` writes. DIR/nights.csv has a row per night:
  night,seed,bed_s,up_s,start_s,end_s,asleep_min,true_asleep_min
in seconds from noon: when the wearer lay down and got up, and the agent's estimate, empty where it found no sleep.
DIR/NIGHT.bin has the mean acceleration of every 5 s from noon to noon: triples of little-endian 16-bit integers in
quarters of a milli-g; -32768 where there are no data.

Exit status: 1 with --check, if fewer nights than that share have both edges within 5 min of the reference; 65
(EX_DATAERR) when a file is broken.
"""

import argparse
import csv
import pathlib
import sys
from dataclasses import dataclass

import numpy as np

import sleep_reference

COLUMNS = "night,seed,bed_s,up_s,start_s,end_s,asleep_min,true_asleep_min".split(",")
EPOCHS = 24 * 3600 // sleep_reference.EPOCH
NO_DATA = -32768
CLOSE = 5 * 60  # seconds


class BrokenFile(Exception):
    pass


@dataclass
class Comparison:
    """Times in seconds from noon; None where nothing was found."""

    night: str
    seed: str
    true: tuple
    agent: tuple
    reference: tuple
    asleep: float       # minutes by the agent; None where it says nothing
    true_asleep: float  # minutes

    @property
    def differences(self):
        """The agent's edges less the reference's; infinite where only one found a night, 0 where neither did."""
        if self.agent is None or self.reference is None:
            return (0, 0) if self.agent is self.reference else (np.inf, np.inf)
        return tuple(agent - reference for agent, reference in zip(self.agent, self.reference))

    @property
    def worst(self):
        return max(abs(difference) for difference in self.differences)

    @property
    def is_close(self):
        return self.worst <= CLOSE


def main():
    options = parse()
    try:
        nights = [compare(options.folder, row) for row in rows(options.folder / "nights.csv")]
        if not nights:
            raise BrokenFile(f"{options.folder / 'nights.csv'}: no nights")
    except (BrokenFile, OSError) as error:
        print(f"sleep_nights: {error}", file=sys.stderr)
        return 65
    print(report(nights, options.worst))
    share = np.mean([night.is_close for night in nights])
    if options.check is not None and share < options.check:
        print(f"sleep_nights: {share:.1%} of the nights are close, fewer than {options.check:.1%}", file=sys.stderr)
        return 1
    return 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--check", type=float, metavar="SHARE")
    parser.add_argument("--worst", type=int, default=10, metavar="N", help="how many nights to list (10)")
    return parser.parse_args()


def rows(path):
    with open(path, newline="") as file:
        table = csv.DictReader(file)
        if table.fieldnames != COLUMNS:
            raise BrokenFile(f"{path}:1: the columns must be {','.join(COLUMNS)}")
        for row in table:
            yield f"{path}:{table.line_num}", row


def compare(folder, placed_row):
    place, row = placed_row
    try:
        agent = times(row["start_s"], row["end_s"])
        return Comparison(
            row["night"], row["seed"], times(row["bed_s"], row["up_s"]), agent, reference(folder, row["night"]),
            float(row["asleep_min"]) if row["asleep_min"] else None, float(row["true_asleep_min"] or 0))
    except (TypeError, ValueError) as error:
        raise BrokenFile(f"{place}: {error}") from None


def times(start, end):
    return (float(start), float(end)) if start and end else None


def reference(folder, name):
    in_bed = sleep_reference.find(samples(folder / f"{name}.bin")).in_bed
    return None if in_bed is None else (in_bed.start, in_bed.end)


def samples(path):
    """(epochs, 3) in g; NaN without data."""
    counts = np.fromfile(path, "<i2")
    if len(counts) != 3 * EPOCHS or path.stat().st_size != 6 * EPOCHS:
        raise BrokenFile(f"{path}: {path.stat().st_size} bytes instead of {6 * EPOCHS}")
    counts = counts.reshape(-1, 3)
    return np.where((counts == NO_DATA).any(axis=1, keepdims=True), np.nan, counts / 4000)


def report(nights, worst):
    neither = sum(night.agent is None and night.reference is None for night in nights)
    missed = sum(night.agent is None and night.reference is not None for night in nights)
    made_up = sum(night.agent is not None and night.reference is None for night in nights)
    close = sum(night.is_close for night in nights)
    lines = [
        f"{len(nights)} nights; both edges within {CLOSE // 60} min of the reference: {close / len(nights):.1%}",
        f"no sleep found: by both in {neither}, only by the agent in {missed}, only by the reference in {made_up}", "",
        "minutes                          median  95th percentile of the size"]
    for name, pairs in (
            ("agent - reference", [(night.agent, night.reference) for night in nights]),
            ("agent - truth", [(night.agent, night.true) for night in nights]),
            ("reference - truth", [(night.reference, night.true) for night in nights])):
        both = np.array([np.subtract(a, b) for a, b in pairs if a is not None and b is not None]) / 60
        for edge, label in enumerate(("start", "end")):
            if len(both):
                lines.append(f"{name + ', ' + label:32} {np.median(both[:, edge]):6.1f}"
                             f"  {np.percentile(np.abs(both[:, edge]), 95):10.1f}")
    errors = np.array([night.asleep - night.true_asleep for night in nights if night.asleep is not None])
    if len(errors):
        lines.append(f"{'asleep: agent - truth':32} {np.median(errors):6.1f}"
                     f"  {np.percentile(np.abs(errors), 95):10.1f}   mean {errors.mean():.1f}")
    far = sorted((night for night in nights if night.worst > 0), key=lambda night: -night.worst)[:worst]
    if far:
        lines += ["", "the nights that differ most, in hours after noon: truth, agent, reference"]
        lines += [f"  night {night.night}, seed {night.seed}: {shown(night.true)}, {shown(night.agent)},"
                  f" {shown(night.reference)}" for night in far]
    return "\n".join(lines)


def shown(span):
    return "none" if span is None else f"{span[0] / 3600:.2f} to {span[1] / 3600:.2f}"


if __name__ == "__main__":
    sys.exit(main())
