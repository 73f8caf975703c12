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

import confidence
import examples
import recordings
from model import AUTOMOTIVE, CLASSES, RUNNING, STATIONARY, UNKNOWN, WALKING, Filter, Model

# How windows follow each other in which mode: the filter, if any, and how many windows apart.
MODES = {
    "window alone": (None, 1),
    "every 5.12 s": (Filter.apart(5.12), 1),
    "one in 60 s": (Filter.apart(60), 12),
}


def main():
    options, found, seen = begin(__doc__)
    for field in ("dataset", "person"):
        likely = held_out(found, seen, options.models, field)
        judged = {mode: Judged(likely, seen, *how) for mode, how in MODES.items()}
        report(f"Leave one {field} out", judged, seen)
        trust(judged["every 5.12 s"], seen)
        fates(judged["every 5.12 s"].likely, seen)


def begin(description):
    """The start of a study: the options of its command line, the recordings, and their windows as they are."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--recordings", required=True, type=pathlib.Path)
    parser.add_argument("--models", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = recordings.read(options.recordings)
    return options, found, examples.collect(found, options.seed, [0])


class Judged:
    """The judgement of every window: the probability of each class, the class held, and whether confidence is high."""

    def __init__(self, likely, seen, rule, every):
        self.likely = rule.run(likely, seen.recordings, every) if rule else likely
        self.held = confidence.held(self.likely, seen.recordings, every)
        self.high = confidence.high(self.likely, seen.recordings, every)


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
    columns = [measures(one, seen) for one in judged.values()]
    print(f"\n## {title}: {len(seen.classes)} windows\n")
    print("| |", " | ".join(judged), "|")
    print("|---" * (len(judged) + 1) + "|")
    for name in columns[0]:
        print(f"| {name} |", " | ".join(f"{column[name]:.3f}" for column in columns), "|")


def measures(judged, seen):
    likely, truth, verdict = judged.likely, seen.classes, judged.likely.argmax(axis=1)
    four = truth != UNKNOWN
    high, right = judged.high, verdict == truth
    return {
        "macro-F1, four classes": f1(truth[four], verdict[four]),
        "the same, datasets weighing equally": f1(truth[four], verdict[four], equal(seen)[four]),
        "the same, other activities counted as false": f1(truth, verdict),
        "stationary or walking: the likelier of the two": balanced(truth, likely, two_way=True),
        "stationary or walking: any other verdict is wrong": balanced(truth, likely, two_way=False),
        "automotive, by window": (verdict[truth == AUTOMOTIVE] == AUTOMOTIVE).mean(),
        "automotive, majority by recording": majority(seen.recordings, truth, verdict, AUTOMOTIVE),
        "macro-F1, four classes, low confidence held": f1(truth[four], judged.held[four]),
        "the same held, other activities counted as false": f1(truth, judged.held),
        "automotive, majority by recording, held": majority(seen.recordings, truth, judged.held, AUTOMOTIVE),
        "high, share of four-class windows": high[four].mean(),
        "high, right among those": share(right[high & four]),
        "high, share of all windows": high.mean(),
        "high, right among all": share(right[high]),
    }


def share(right):
    return right.mean() if len(right) else float("nan")


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


def trust(judged, seen):
    """The share of windows of high confidence and how many of those are right, by dataset and by verdict."""
    verdict = judged.likely.argmax(axis=1)
    groups = [(name, seen.datasets == name) for name in np.unique(seen.datasets)]
    groups += [(f"called {name}", verdict == number) for number, name in enumerate(CLASSES)]
    print("\n| every 5.12 s | high, four classes | right | high, all windows | right |\n|---|---|---|---|---|")
    for name, member in groups:
        cells = []
        for among in (member & (seen.classes != UNKNOWN), member):
            cells += [share(judged.high[among]), share((verdict == seen.classes)[among & judged.high])]
        print(f"| {name} |", " | ".join(f"{x:.3f}" for x in cells), "|")


def fates(likely, seen):
    """The classes given to each kind of activity in each dataset, in shares of its windows (filtered, every 5.12 s)."""
    print("\n| truth | kind, dataset | windows |", " | ".join(CLASSES), "|")
    print("|---|---|---" + "|---" * len(CLASSES) + "|")
    verdict = likely.argmax(axis=1)
    for truth, kind, dataset in sorted(set(zip(seen.classes, seen.kinds, seen.datasets))):
        member = (seen.classes == truth) & (seen.kinds == kind) & (seen.datasets == dataset)
        shares = np.bincount(verdict[member], minlength=len(CLASSES)) / member.sum()
        print(f"| {CLASSES[truth]} | {kind}, {dataset} | {member.sum()} |", " | ".join(f"{x:.2f}" for x in shares), "|")


if __name__ == "__main__":
    sys.exit(main())
