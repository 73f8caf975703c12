#!/usr/bin/env python3
"""Trains the activity classifier and writes ActivityConstants.swift and golden.json.

Usage: train.py --recordings DIR --out DIR [--seed N] [--unknown-weight W] [--held-out]

With --held-out it also writes, for evaluate.py, a model for every dataset that has not seen that dataset, and
models for eighths of the people that have not seen those people.
"""

import os

# Sums in another order differ in their last digit, and training makes that grow: one thread, before numpy starts.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import csv
import pathlib
import sys
from dataclasses import dataclass

import numpy as np

import examples
import export
import model
import recordings
import windows

FOLDS = 8


@dataclass
class Dataset:
    name: str
    recordings: int
    people: int
    windows: int


@dataclass
class Provenance:
    """The recordings and settings that the model was made from."""

    datasets: list
    copies: int
    seed: int
    unknown_weight: float


def main():
    options = parse()
    found = recordings.read(options.recordings)
    seen = examples.collect(found, options.seed, range(1, windows.COPIES + 1))
    train = lambda part: model.train(
        part.features, part.classes, part.datasets, options.seed, options.unknown_weight)
    options.out.mkdir(parents=True, exist_ok=True)
    trained = train(seen)
    origin = provenance(found, seen, options)
    (options.out / "ActivityConstants.swift").write_text(export.swift(trained, origin))
    (options.out / "golden.json").write_text(export.golden_text(export.golden(trained, options.seed)))
    if options.held_out:
        datasets = sorted({recording.dataset for recording in found})
        hold_out(found, seen, train, options.out / "held-out", "dataset", [{name} for name in datasets])
        hold_out(found, seen, train, options.out / "held-out", "person", eighths(found, options.seed))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recordings", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unknown-weight", type=float, default=1.0)
    parser.add_argument("--held-out", action="store_true")
    return parser.parse_args()


def provenance(found, seen, options):
    datasets = []
    for name in sorted({recording.dataset for recording in found}):
        members = [recording for recording in found if recording.dataset == name]
        people = {recording.person for recording in members}
        datasets.append(Dataset(name, len(members), len(people), int((seen.datasets == name).sum())))
    return Provenance(datasets, windows.COPIES, options.seed, options.unknown_weight)


def eighths(found, seed):
    """The people, shuffled and dealt into as many groups as there are folds."""
    people = sorted({recording.person for recording in found})
    np.random.default_rng(seed).shuffle(people)
    return [group for group in (set(people[fold::FOLDS]) for fold in range(FOLDS)) if group]


def hold_out(found, seen, train, folder, field, groups):
    """Writes a model per group that has not seen it, and `by-<field>.csv`: which model to judge a recording with."""
    folder.mkdir(parents=True, exist_ok=True)
    of_window = np.array([getattr(recording, field) for recording in found])[seen.recordings]
    with open(folder / f"by-{field}.csv", "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["recording", "model"])
        for number, group in enumerate(groups):
            name = f"{field}-{number}.json"
            train(seen.where(~np.isin(of_window, list(group)))).write(folder / name)
            table.writerows([recording.name, name] for recording in found if getattr(recording, field) in group)


if __name__ == "__main__":
    sys.exit(main())
