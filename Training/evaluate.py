#!/usr/bin/env python3
"""Judges every recording with a model that has not seen its dataset, or its wearer, and prints the tables.

Leaving a person out means an eighth of the people at a time.

Usage: evaluate.py --recordings DIR --models DIR [--seed N]
       DIR of models is what `train.py --held-out` wrote: OUT/held-out. Nothing is trained.
"""

import argparse
import csv
import pathlib
import sys

import numpy as np

import examples
import recordings
from model import AUTOMOTIVE, CLASSES, RUNNING, STATIONARY, UNKNOWN, WALKING, Filter, Model

# How a window may be judged: alone; with those before it, 5.12 s apart; with those before it, one in 60 s.
MODES = {
    "window alone": lambda likely, origin: likely,
    "every 5.12 s": lambda likely, origin: Filter(temper=0.7).run(likely, origin),
    "one in 60 s": lambda likely, origin: Filter(temper=1.0).run(likely, origin, every=12),
}
# Confidence is called high above the threshold at which this share was right in the other datasets.
AIM = 0.985


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recordings", required=True, type=pathlib.Path)
    parser.add_argument("--models", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = recordings.read(options.recordings)
    seen = examples.collect(found, options.seed, [0])
    for field in ("dataset", "person"):
        likely = held_out(found, seen, options.models, field)
        judged = {mode: run(likely, seen.recordings) for mode, run in MODES.items()}
        report(f"Leave one {field} out", judged, seen)
        fates(judged["every 5.12 s"], seen)


def held_out(found, seen, folder, field):
    """Probabilities of every window by the model that has not seen its recording."""
    with open(folder / f"by-{field}.csv", newline="") as file:
        model_of = {row["recording"]: row["model"] for row in csv.DictReader(file)}
    missing = [recording.name for recording in found if recording.name not in model_of]
    if missing:
        raise SystemExit(f"{folder}/by-{field}.csv: no model for {missing[0]}; run train.py --held-out again")
    names = np.array([model_of[recording.name] for recording in found])[seen.recordings]
    likely = np.empty((len(names), len(CLASSES)))
    for name in np.unique(names):
        likely[names == name] = Model.read(folder / name).probabilities(seen.features[names == name])
    return likely


def report(title, judged, seen):
    columns = [measures(likely, seen) for likely in judged.values()]
    print(f"\n## {title}: {len(seen.classes)} windows\n")
    print("| |", " | ".join(judged), "|")
    print("|---" * (len(judged) + 1) + "|")
    for name in columns[0]:
        print(f"| {name} |", " | ".join(f"{column[name]:.3f}" for column in columns), "|")


def measures(likely, seen):
    truth, verdict = seen.classes, likely.argmax(axis=1)
    four = truth != UNKNOWN
    high_four, high_all = high(likely, seen, four), high(likely, seen, np.ones_like(four))
    return {
        "macro-F1, four classes": f1(truth[four], verdict[four]),
        "the same, datasets weighing equally": f1(truth[four], verdict[four], equal(seen)[four]),
        "the same, other activities counted as false": f1(truth, verdict),
        "stationary or walking: the likelier of the two": balanced(truth, likely, two_way=True),
        "stationary or walking: any other verdict is wrong": balanced(truth, likely, two_way=False),
        "automotive, by window": (verdict[truth == AUTOMOTIVE] == AUTOMOTIVE).mean(),
        "automotive, majority by recording": majority(seen.recordings, truth, verdict, AUTOMOTIVE),
        "high, share of four-class windows": high_four[0], "high, right among those": high_four[1],
        "high, share of all windows": high_all[0], "high, right among all": high_all[1],
        "threshold of high (four classes)": threshold(likely, truth, four),
        "threshold of high (all windows)": threshold(likely, truth, np.ones_like(four)),
    }


def f1(truth, verdict, weights=None):
    """The mean over the four classes."""
    weights = np.ones(len(truth)) if weights is None else weights
    scores = []
    for one in range(UNKNOWN):
        right = weights[(truth == one) & (verdict == one)].sum()
        scores.append(2 * right / max(weights[truth == one].sum() + weights[verdict == one].sum(), 1e-9))
    return np.mean(scores)


def equal(seen):
    """Weights with which every dataset counts alike within a class; below 20 windows it does not count."""
    weights = np.zeros(len(seen.classes))
    for one in range(UNKNOWN):
        for dataset in np.unique(seen.datasets):
            member = (seen.classes == one) & (seen.datasets == dataset)
            weights[member] = 1 / member.sum() if member.sum() >= 20 else 0
    return weights


def balanced(truth, likely, two_way):
    if two_way:
        verdict = np.where(likely[:, WALKING] + likely[:, RUNNING] > likely[:, STATIONARY], WALKING, STATIONARY)
    else:
        verdict = likely.argmax(axis=1)
    return np.mean([(verdict[truth == one] == one).mean() for one in (STATIONARY, WALKING)])


def majority(origin, truth, verdict, one):
    members = np.unique(origin[truth == one])
    counts = [np.bincount(verdict[origin == member], minlength=len(CLASSES)) for member in members]
    return np.mean([count.argmax() == one for count in counts])


def threshold(likely, truth, mask):
    """The least confidence above which the share AIM was right; above 1 where there is none."""
    confidence, right = likely[mask].max(axis=1), likely[mask].argmax(axis=1) == truth[mask]
    order = np.argsort(-confidence, kind="stable")
    enough = np.flatnonzero(np.cumsum(right[order]) / np.arange(1, len(order) + 1) >= AIM)
    return confidence[order][enough[-1]] if len(enough) else 2.0


def high(likely, seen, mask):
    """The share of windows called high, and how many of those are right; a dataset's threshold is the others'."""
    called = np.zeros(len(mask), bool)
    for dataset in np.unique(seen.datasets[mask]):
        inside = seen.datasets == dataset
        called |= mask & inside & (likely.max(axis=1) >= threshold(likely, seen.classes, mask & ~inside))
    right = likely.argmax(axis=1) == seen.classes
    return called[mask].mean(), right[called].mean() if called.any() else float("nan")


def fates(likely, seen):
    """What each kind of activity in each dataset was called, in shares of its windows (filtered, every 5.12 s)."""
    print("\n| truth | kind, dataset | windows |", " | ".join(CLASSES), "|")
    print("|---|---|---" + "|---" * len(CLASSES) + "|")
    verdict = likely.argmax(axis=1)
    for truth, kind, dataset in sorted(set(zip(seen.classes, seen.kinds, seen.datasets))):
        member = (seen.classes == truth) & (seen.kinds == kind) & (seen.datasets == dataset)
        shares = np.bincount(verdict[member], minlength=len(CLASSES)) / member.sum()
        print(f"| {CLASSES[truth]} | {kind}, {dataset} | {member.sum()} |", " | ".join(f"{x:.2f}" for x in shares), "|")


if __name__ == "__main__":
    sys.exit(main())
