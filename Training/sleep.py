#!/usr/bin/env python3
"""Trains the scorer of sleep and wake by movement; writes SleepConstants.swift and golden-sleep.json.

Usage: sleep.py --recordings DIR [--out DIR] [--tried]

Prints how well it does on people that it has not seen, each night scored by a model of the other people, and on the
nights that it was made from. With --tried also how variants of it do, each evaluated in the same way; they are recorded with RECORD=1.
"""

import os

# Sums in another order differ in their last digit: one thread, before numpy starts.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import csv
import gzip
import pathlib
import sys
from dataclasses import dataclass

import numpy as np

import sleep_export
import sleep_features
from sleep_features import EPOCH

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import record  # noqa: E402  pylint: disable=wrong-import-position

INPUTS = ["Training/requirements.txt", "Training/sleep.py", "Training/sleep_features.py", "Training/sleep_export.py"]

# The share of the true sleep of the training nights that is to be called sleep. At 93 % four points more of the wake are
# found, and the night comes out 6 min shorter still.
AIM = 0.9425
RIDGE = 20.0  # of the standardised weights; between 1 and 100 the scores hardly move


@dataclass
class Night:
    name: str
    person: str
    counts: np.ndarray  # (epochs); NaN where unknown
    asleep: np.ndarray  # (epochs), by polysomnography
    known: np.ndarray   # (epochs), whether there is a row


@dataclass
class Scorer:
    """Asleep where features · weights + bias > 0."""

    weights: np.ndarray
    bias: float

    def scores(self, features):
        return features @ self.weights + self.bias


def main():
    options = parse()
    nights = read(options.recordings)
    if not nights:
        print(f"sleep: {options.recordings} lists no recordings of the class `sleep`", file=sys.stderr)
        return 66  # EX_NOINPUT
    examples = [sleep_features.compute(night.counts) for night in nights]
    people = len({night.person for night in nights})
    print(f"{len(nights)} nights of {people} people, {sum(night.known.sum() for night in nights)} epochs of {EPOCH} s")
    scorer = shipped(nights, examples)
    blind = held_out(nights, examples)
    rows = [HEADER, row("each person left out", nights, blind),
            row("as shipped, on the nights that it was made from", nights, [scorer.scores(features) > 0 for features in examples])]
    show(rows)
    print(by_person(nights, blind))
    if options.tried:
        variants = [HEADER, *(row(name, nights, verdicts) for name, verdicts in tried(nights, examples))]
        show(variants)
        awake = 1 - sum(night.asleep.sum() for night in nights) / sum(night.known.sum() for night in nights)
        record.keep("sleep", "make train", INPUTS, {
            "nights": len(nights), "people": people, "epochs": int(sum(night.known.sum() for night in nights)), "awake": float(awake),
            "scorer": rows, "variants": variants})
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "SleepConstants.swift").write_text(sleep_export.swift(scorer, len(nights), people))
        (options.out / "golden-sleep.json").write_text(sleep_export.golden_text(sleep_export.golden(scorer)))
    return 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recordings", required=True, type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--tried", action="store_true")
    return parser.parse_args()


def read(folder):
    """The nights that the index lists, in its order: `<dataset>/<rec>.csv.gz` of `t_s,count,...,psg`."""
    with open(folder / "index.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["class"] == "sleep"]
    return [night(folder / row["dataset"] / f"{row['rec']}.csv.gz", row["rec"], row["subject"]) for row in rows]


def night(path, name, person):
    with gzip.open(path, "rt", newline="") as file:
        rows = [(float(row["t_s"]), float(row["count"]), int(row["psg"])) for row in csv.DictReader(file)]
    times, counts, stages = (np.array(column) for column in zip(*rows))
    places = np.round((times - times[0]) / EPOCH).astype(int)
    if (np.diff(places) <= 0).any():
        raise ValueError(f"{path}: two rows in {EPOCH} s, or time runs backwards")
    result = Night(name, person, *(np.full(places[-1] + 1, nothing) for nothing in (np.nan, False, False)))
    result.counts[places], result.asleep[places], result.known[places] = counts, stages > 0, True
    return result


def train(nights, examples):
    """Logistic regression with a ridge, by Newton's method."""
    features = np.concatenate([x[night.known] for night, x in zip(nights, examples)])
    truth = np.concatenate([night.asleep[night.known] for night in nights])
    centre, spread = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-9)
    inputs = np.column_stack([(features - centre) / spread, np.ones(len(features))])
    ridge = np.diag([RIDGE] * features.shape[1] + [0.0])
    weights = np.zeros(inputs.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-inputs @ weights))
        slope = inputs.T @ (likely - truth) + ridge @ weights
        step = np.linalg.solve((inputs * (likely * (1 - likely))[:, None]).T @ inputs + ridge, slope)
        weights -= step
        if np.abs(step).max() < 1e-10:
            break
    plain = weights[:-1] / spread
    return Scorer(plain, float(weights[-1] - plain @ centre))


def left_out(nights, examples):
    """The scores of each night by a scorer of the other people."""
    scores = []
    for night, features in zip(nights, examples):
        others = [i for i, other in enumerate(nights) if other.person != night.person]
        scores.append(train([nights[i] for i in others], [examples[i] for i in others]).scores(features))
    return scores


def threshold(nights, examples, aim):
    """The score that `aim` of the true sleep lies above, in nights whose scorer has not seen the person."""
    scores = left_out(nights, examples)
    asleep = np.concatenate([x[night.known & night.asleep] for night, x in zip(nights, scores)])
    return np.quantile(asleep, 1 - aim)


def shipped(nights, examples, aim=AIM):
    scorer = train(nights, examples)
    # Four decimals: the rest turns on the processor's rounding.
    return Scorer(np.round(scorer.weights, 4), round(scorer.bias - threshold(nights, examples, aim), 4))


def held_out(nights, examples, aim=AIM, judged=None):
    """The verdicts on each night, or on other features of it, by a scorer of the other people, whose threshold comes
    from them too."""
    verdicts = []
    for night, features in zip(nights, judged or examples):
        others = [i for i, other in enumerate(nights) if other.person != night.person]
        scorer = shipped([nights[i] for i in others], [examples[i] for i in others], aim)
        verdicts.append(scorer.scores(features) > 0)
    return verdicts


HEADER = ["", "sensitivity (sleep)", "specificity (wake)", "κ", "total sleep: bias, min", "limits of agreement, min"]


def show(rows):
    print("\n" + "\n".join("  ".join(f"{cell:<{47 if column == 0 else len(HEADER[column])}}" for column, cell in enumerate(cells)) for cells in rows))


def row(name, nights, verdicts):
    said = np.concatenate([x[night.known] for night, x in zip(nights, verdicts)])
    truth = np.concatenate([night.asleep[night.known] for night in nights])
    errors = np.array([error(night, x) for night, x in zip(nights, verdicts)])
    reach = 1.96 * errors.std(ddof=1)
    return [name, f"{100 * said[truth].mean():.1f} %", f"{100 * (1 - said[~truth].mean()):.1f} %", f"{kappa(said, truth):.3f}",
            f"{errors.mean():+.1f}", f"{errors.mean() - reach:+.0f} to {errors.mean() + reach:+.0f}"]


def error(night, verdict):
    """Minutes of sleep too many."""
    return (verdict[night.known].sum() - night.asleep.sum()) * EPOCH / 60


def kappa(said, truth):
    agreed = (said == truth).mean()
    chance = said.mean() * truth.mean() + (1 - said.mean()) * (1 - truth.mean())
    return (agreed - chance) / (1 - chance)


def by_person(nights, verdicts):
    lines = ["", "each person left out             sensitivity  specificity  minutes asleep: true  said"]
    for night, verdict in zip(nights, verdicts):
        truth, said = night.asleep[night.known], verdict[night.known]
        lines.append(f"{night.person:32} {said[truth].mean():11.3f}  {1 - said[~truth].mean():11.3f}"
                     f"  {truth.sum() * EPOCH / 60:20.1f}  {said.sum() * EPOCH / 60:.1f}")
    return "\n".join(lines)


def tried(nights, examples):
    """Variants: their names and verdicts."""
    compute = sleep_features.compute
    yield "at 93 %", held_out(nights, examples, 0.93)
    for bits in (5, 4, 3):
        coarse = [compute(quantised(night.counts, bits)) for night in nights]
        yield f"counts of {bits} bits", held_out(nights, coarse)
    yield "rescored (Webster 1982)", [rescored(x) for x in held_out(nights, examples, AIM + 0.005)]
    for number, name in enumerate(sleep_features.NAMES):
        yield f"without {name}", held_out(nights, [np.delete(x, number, axis=1) for x in examples])
    clock = [np.column_stack([x, *(np.exp(-np.arange(len(x)) / 2 / minutes) for minutes in (10, 30, 90))])
             for x in examples]
    yield "with the time since the start", held_out(nights, clock)
    yield "told by no mean", held_out(nights, [compute(night.counts, unit=2.0) for night in nights])
    tenths = [np.nanquantile(night.counts, 0.9) / 2 for night in nights]
    yield "told by the 90th percentile", held_out(
        nights, [compute(night.counts, unit) for night, unit in zip(nights, tenths)])
    # Sensors that the training has not seen.
    for name, seen in {
            "a sensor blind below 5": lambda counts: 5 * np.floor(counts / 5),
            "one that sees 15 % of the epochs": lambda counts: strongest(counts, 0.15),
            "one that sees 7 % of the epochs": lambda counts: strongest(counts, 0.07),
            "one that clips at 20": lambda counts: np.minimum(counts, 20),
    }.items():
        yield name, held_out(nights, examples, judged=[compute(seen(night.counts)) for night in nights])


def strongest(counts, share):
    """Only the strongest counts; 0 elsewhere."""
    return np.where(counts < np.nanquantile(counts, 1 - share), 0, counts)


def quantised(counts, bits, smallest=0.1, greatest=100.0):
    """As a device may keep them: steps even in log2(1 + count / smallest)."""
    steps = 2**bits - 1
    scale = steps / np.log2(1 + greatest / smallest)
    return smallest * (2 ** (np.round(np.minimum(np.log2(1 + counts / smallest) * scale, steps)) / scale) - 1)


def rescored(verdict):
    """The rules of Webster et al. 1982 (Sleep 5:389) that turn sleep after and between long wake into wake."""
    result = verdict.copy()
    minute = 60 // EPOCH
    for wake, sleep in ((4, 1), (10, 3), (15, 4)):
        awake = 0
        for i, asleep in enumerate(verdict):
            if asleep and awake >= wake * minute:
                result[i:i + sleep * minute] = False
            awake = 0 if asleep else awake + 1
    edges = np.flatnonzero(np.diff(np.concatenate([[2], result.astype(int), [2]])))
    lengths = np.diff(edges) / minute
    for i in range(1, len(lengths) - 1):
        if result[edges[i]] and any(
                lengths[i] <= sleep and min(lengths[i - 1], lengths[i + 1]) >= wake
                for sleep, wake in ((6, 10), (10, 20))):
            result[edges[i]:edges[i + 1]] = False
    return result


if __name__ == "__main__":
    sys.exit(main())
