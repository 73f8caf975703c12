#!/usr/bin/env python3
"""Puts together recordings of a household: short walks between other things, by people whom a model has not seen.

Usage: household.py --recordings DIR --models DIR --out DIR [--seed N]
       DIR of models is what `train.py --held-out` wrote: OUT/held-out. It gets household.csv, the table of models for
       `anicca-lab evaluate --held-out`; OUT gets index.csv and the recordings.

Every recording lasts about ten minutes: 15 to 60 s of something else, then 5 to 20 s of a walk, and so on.
  wrist  a wearer of wisdm2019_watch: what the hands do, sitting, standing; walks and stairs. Nobody counted their steps:
         their times are made up, evenly spaced at the pace of the whole walk, the strongest frequency from 1.4 to 2.5 Hz
         of the acceleration's length.
  body   walks with the time of every step, by a wearer of oxford_steps_opt, weallwalk or ipol_gait; sitting and standing
         of people of the same eighth.
Parts are faded into each other within half a second. Real housework has more steps that belong to no rhythm.
"""

import argparse
import csv
import gzip
import pathlib
import sys

import numpy as np

import recordings
import windows
from features import RATE
from model import STATIONARY

WALKS = {"wrist": {"wisdm2019_watch"}, "body": {"oxford_steps_opt", "weallwalk", "ipol_gait"}}
BETWEEN = {"wrist": {"wisdm2019_watch"}, "body": {"motionsense", "hapt"}}
# By class: what lies between walks, of a recording with one label; balls and clapping are no housework.
IDLE = ("stationary", "other")
SPORTS = ("ball", "clapping", "catch")
LENGTH = 600
FADE = int(0.5 * RATE)


def main():
    options = parse()
    found = recordings.read(options.recordings)
    model_of = table(options.models / "by-person.csv", "recording", "model")
    label_of = table(options.recordings / "index.csv", "rec", "label")
    rows = []
    for place in WALKS:
        folder = options.out / f"household_{place}"
        folder.mkdir(parents=True, exist_ok=True)
        for person in sorted({one.person for one in found if one.dataset in WALKS[place]}):
            walks = [one for one in found if one.person == person and one.dataset in WALKS[place]
                     and one.kind in windows.ON_FOOT]
            if not walks:
                continue
            model = model_of[walks[0].name]
            between = [one for one in found if one.dataset in BETWEEN[place] and is_idle(one, label_of)
                       and model_of[one.name] == model and (place == "body" or one.person == person)]
            rng = np.random.default_rng([options.seed, len(rows)])
            name = f"{place}_{person}"
            samples, labels, steps = compose(walks, between, rng)
            write(folder / name, samples, labels, steps)
            rows.append([name, person, place, len(steps), model])
    index(options, rows)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("recordings", "models", "out"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def table(path, key, value):
    with open(path, newline="") as file:
        return {row[key]: row[value] for row in csv.DictReader(file)}


def is_idle(recording, label_of):
    """Whether it may lie between two walks; of a mixed one only the parts at rest do."""
    mixed_rest = recording.kind == recordings.PER_SAMPLE and recording.dataset == "hapt"
    return mixed_rest or recording.kind in IDLE and not any(word in label_of[recording.name] for word in SPORTS)


def compose(walks, between, rng):
    """-> samples at 25 Hz in g, the label of each, the times of the steps in s."""
    samples, labels, steps = np.zeros((0, 3)), [], []
    while len(samples) < LENGTH * RATE:
        for choice, shortest, longest in ((between, 15, 60), (walks, 5, 20)):
            source = choice[rng.integers(len(choice))]
            part, times = piece(source, rng.uniform(shortest, longest), rng)
            begin = max(len(samples) - FADE, 0) / RATE
            steps += [begin + time for time in times]
            samples = faded(samples, part)
            label = "stationary" if source.kind == recordings.PER_SAMPLE else source.kind
            labels += [label] * (len(samples) - len(labels))
    return samples, labels, steps


def piece(recording, lasting, rng):
    """So many seconds of the recording, or what it has: samples, and the times of the steps from its beginning on."""
    begin, samples = even(recording)
    count = min(int(lasting * RATE), len(samples))
    first = rng.integers(0, len(samples) - count + 1)
    low = begin + first / RATE
    times = step_times(recording, begin, samples)
    return samples[first:first + count], [time - low for time in times if low <= time < low + count / RATE]


def even(recording):
    """When the longest stretch without a gap begins, and its samples at 25 Hz; of a mixed recording that at rest, which may be
    none."""
    low, high = max(windows.segments(recording.time), key=lambda ends: ends[1] - ends[0])
    time, samples = windows.resample(recording.time[low:high], recording.samples[low:high])
    if recording.kind == recordings.PER_SAMPLE:
        rest = (recording.classes_at(time) == STATIONARY).astype(int)
        cuts = np.flatnonzero(np.diff(np.r_[0, rest, 0]))
        first, last = max(zip(cuts[::2], cuts[1::2]), key=lambda ends: ends[1] - ends[0], default=(0, 0))
        return time[first], samples[first:last]
    return time[0], samples


def step_times(recording, begin, samples):
    path = recording.path.with_name(f"{recording.name}.steps.csv")
    if path.exists():
        return [int(time) / 1000 for time in table(path, "t_ms", "t_ms")]
    if recording.kind not in windows.ON_FOOT:
        return []
    return begin + np.arange(0, len(samples) / RATE, 1 / pace(samples))


def pace(samples):
    """Steps per second."""
    length = np.linalg.norm(samples, axis=1)
    power = np.abs(np.fft.rfft((length - length.mean()) * np.hanning(len(length)))) ** 2
    frequency = np.fft.rfftfreq(len(length), 1 / RATE)
    inside = (frequency >= 1.4) & (frequency <= 2.5)
    return frequency[inside][power[inside].argmax()]


def faded(before, after):
    """Both, overlapping by half a second."""
    count = min(FADE, len(before), len(after))
    share = ((np.arange(count) + 0.5) / max(count, 1))[:, None]
    middle = before[len(before) - count:] * (1 - share) + after[:count] * share
    return np.concatenate([before[:len(before) - count], middle, after[count:]])


def write(path, samples, labels, steps):
    with gzip.open(f"{path}.csv.gz", "wt") as file:
        file.write("t_ms,x_mg,y_mg,z_mg,label\n")
        for number, (sample, label) in enumerate(zip(np.round(samples * 1000).astype(int), labels)):
            file.write(f"{number * 40},{sample[0]},{sample[1]},{sample[2]},{label}\n")
    with open(f"{path}.steps.csv", "w") as file:
        file.write("t_ms,foot\n")
        file.writelines(f"{int(time * 1000)},{number % 2 + 1}\n" for number, time in enumerate(steps))


def index(options, rows):
    with open(options.out / "index.csv", "w", newline="") as file:
        listing = csv.writer(file, lineterminator="\n")
        listing.writerow(["rec", "dataset", "subject", "position", "label", "class", "true_steps"])
        listing.writerows([name, f"household_{place}", person, place, "short walks", "mixed", steps]
                          for name, person, place, steps, _ in rows)
    with open(options.models / "household.csv", "w", newline="") as file:
        models = csv.writer(file, lineterminator="\n")
        models.writerow(["recording", "model"])
        models.writerows([name, model] for name, _, _, _, model in rows)


if __name__ == "__main__":
    sys.exit(main())
