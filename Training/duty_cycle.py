#!/usr/bin/env python3
"""Prints what window length, sampling rate and interval cost in right verdicts, and what they save in current.

Usage: duty_cycle.py --recordings DIR --models DIR [--seed N]
       DIR of models is what `train.py --held-out` wrote: OUT/held-out. No model judges a dataset that it has seen.

What stands for what (the features are defined for 128 samples at 25 Hz):
  interval      windows of a recording so far apart are judged one after the other. Most recordings last minutes, so
                at long intervals most windows have none before them; the hours of hours.py have.
  2.56, 1.28 s  the first 64 or 32 samples of a window, followed by their mirror image until there are 128. Models are
                trained on such windows. Features made for the length might do a little better.
  10.24 s       two windows in a row: the product of their probabilities. The models are those of 5.12 s.
  12.5 Hz       means of two samples, and straight lines between them. Models are trained on such windows.
  50 Hz         nothing new to see: the chip's filter ends at 10 Hz, 25 Hz shows up to 12.5, and the spectral bands end
                at 4.5 Hz. What remains are other moments of sampling: windows that begin 20 ms later are judged
                too, and both probabilities averaged, where the recording has 50 samples a second.
  in doubt      the duty cycle looks again soon when a window alone says something else than the verdict, or the
                belief in that is below a half; the device does so three times in a row at most.
  minutes       of hours put together from recordings of one wearer, see hours.py. "Sampling alone" is a classifier
                that is never wrong.
For length and rate all models are trained anew, on fewer copies than train.py's: compare them with each other only.
"""

import os

# As in train.py: one thread, for the same sums in the same order.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import sys
from dataclasses import astuple

import numpy as np

import examples
import hours
import model
import variants
from evaluate import balanced, begin, f1, held_out, majority
from hours import WINDOW, DutyCycle, steps
from model import AUTOMOTIVE, CLASSES, STATIONARY, UNKNOWN, WALKING, Filter
from variants import LENGTHS, VARIANTS, Late, common, pairs, same_next

INTERVALS = [WINDOW, 10, 30, 60, 120, 300]
HOURS = 200
COPIES = [1, 2]
# One training window of so many is used.
EVERY = 2
# MPU-6050 Product Specification PS-MPU-6000A-00 rev 3.4: accelerometer only, and full-chip idle, in µA.
AWAKE, ASLEEP = 500, 5
# From idle to the first sample, in seconds.
START_UP = 0.06


def name(interval):
    return "5.12 s, all the time" if interval == WINDOW else f"{interval} s"


def main():
    options, found, seen = begin(__doc__)
    likely = held_out(found, seen, options.models, "dataset")
    lived = hours.draw(seen, HOURS, options.seed)
    currents()
    by_interval(likely, seen)
    by_hour(likely, lived)
    twice_as_fast(found, options)
    by_length(found, lived, options.seed)


# The cost of an interval


def awake(interval, length=WINDOW):
    """The share of the time in which the accelerometer runs. Windows without a pause need no start."""
    return 1.0 if interval <= length else min((length + START_UP) / interval, 1)


def charge(share):
    """Mean current in µA, and what that takes from a battery in a day, in mAh."""
    mean = share * AWAKE + (1 - share) * ASLEEP
    return mean, mean * 24 / 1000


def currents():
    title("What the accelerometer draws: a window of 5.12 s")
    head("interval", "on", "mean current", "a day", "windows a day")
    for interval in INTERVALS:
        mean, day = charge(awake(interval))
        row(name(interval), f"{awake(interval):.1%}", f"{mean:.0f} µA", f"{day:.2f} mAh", f"{86400 / interval:.0f}")


# Interval against verdicts, over the recordings


def by_interval(likely, seen):
    title("Interval: verdicts over the recordings")
    head("interval", "windows with one before", *SCORES)
    row("window alone", "-", *scores(likely, seen))
    for interval in INTERVALS:
        row(name(interval), f"{followers(seen.recordings, steps(interval)):.0%}",
            *scores(in_context(likely, seen.recordings, interval), seen))


SCORES = ["macro-F1", "stationary/walking, likelier of the two", "the same, any other verdict wrong",
          "automotive, majority by recording"]


def scores(likely, seen):
    truth, verdict = seen.classes, likely.argmax(axis=1)
    four = truth != UNKNOWN
    return [f"{x:.3f}" for x in (
        f1(truth[four], verdict[four]), balanced(truth, likely, two_way=True), balanced(truth, likely, two_way=False),
        majority(seen.recordings, truth, verdict, AUTOMOTIVE))]


def in_context(likely, origin, interval):
    return Filter.apart(interval).run(likely, origin, every=steps(interval))


def followers(origin, apart):
    """The share of windows with a window of the same recording so many windows before."""
    return (origin[apart:] == origin[:-apart]).sum() / len(origin)


# Interval against the minutes of an hour

CYCLES = {
    **{name(interval): DutyCycle(interval) for interval in INTERVALS},
    "60 s, 300 s at rest": DutyCycle(60, relaxed=300),
    "the same, woken by movement": DutyCycle(60, relaxed=300, woken=True),
    "60 s, 20 s in doubt": DutyCycle(60, again=20),
    "the same, 300 s at rest": DutyCycle(60, relaxed=300, again=20),
}


def by_hour(likely, lived):
    watching = lambda cycle: [hours.watch(hour, cycle, likely[hour.rows]) for hour in lived]
    judged = {key: watching(cycle) for key, cycle in CYCLES.items()}
    perfect = {key: [hours.watch(hour, cycle) for hour in lived] for key, cycle in CYCLES.items()}
    always = judged[name(WINDOW)]
    for one in (STATIONARY, WALKING):
        title(f"Interval: error of the minutes {CLASSES[one]} in an hour, mean / 90th percentile")
        head("interval", "on", "sampling alone", "against judged all the time", "hours within 3 min of that",
             "against the truth", "mean excess")
        truth = true_minutes(lived, one)
        for key, cycle in CYCLES.items():
            found = minutes(judged[key], one)
            apart = found - minutes(always, one)
            row(key, f"{on(cycle, judged[key]):.1%}", error(minutes(perfect[key], one) - truth), error(apart),
                f"{(np.abs(apart) <= 3).mean():.0%}", error(found - truth), f"{(found - truth).mean():+.1f}")
    by_dataset(lived, always, judged["60 s"])


def on(cycle, watched):
    """The share of the time in which the accelerometer runs, in the hours as watched."""
    between = 3600 / np.mean([each.windows for each in watched])
    # The hours have intervals of whole windows, a little off.
    return awake(between * cycle.interval / (steps(cycle.interval) * WINDOW))


def true_minutes(lived, one):
    return np.array([hours.true_minutes(hour, one) for hour in lived])


def minutes(watched, one):
    return np.array([each.minutes(one) for each in watched])


def error(difference):
    size = np.abs(difference)
    return " / ".join(f"{x:.1f} min ({x / 60:.1%})" for x in (size.mean(), np.quantile(size, 0.9)))


def by_dataset(lived, continuous, sparse):
    title("One window in 60 s, by dataset: mean error of the minutes in an hour")
    head("dataset", *(f"{CLASSES[one]}, against {what}" for one in (STATIONARY, WALKING)
                      for what in ("judged all the time", "the truth")))
    origin = np.array([hour.dataset for hour in lived])
    for dataset in np.unique(origin):
        cells = []
        for one in (STATIONARY, WALKING):
            for reference in (minutes(continuous, one), true_minutes(lived, one)):
                cells.append(f"{np.abs(minutes(sparse, one) - reference)[origin == dataset].mean():.1f}")
        row(dataset, *cells)


# Twice the rate


def twice_as_fast(found, options):
    prompt = [recording for recording in found if 49 <= recording.rate <= 51]
    late = [Late(*astuple(recording)) for recording in prompt]
    seen, again = (examples.collect(which, options.seed, [0]) for which in (prompt, late))
    here, there = common(seen, again)
    likely = held_out(prompt, seen, options.models, "dataset")[here]
    other = held_out(late, again, options.models, "dataset")[there]
    seen = seen.where(here)
    title(f"25 and 50 Hz, {len(here)} windows of recordings at 50 Hz")
    head("rate", *SCORES[:3])
    for rate, each in (("25 Hz", likely), ("50 Hz", (likely + other) / 2)):
        row(rate, *scores(in_context(each, seen.recordings, WINDOW), seen)[:3])
    moved = (likely.argmax(axis=1) != other.argmax(axis=1)).mean()
    print(f"\nBeginning 20 ms later changes the verdict on {moved:.1%} of the windows.")


# Length and rate, with models of their own


def by_length(found, lived, seed):
    practice, test = (variants.collect(found, seed, copies) for copies in (COPIES, [0]))
    likely = {variant: judged_unseen(practice[variant], test[variant], seed) for variant in VARIANTS}
    whole = same_next(test["5.12 s"])
    seen = test["5.12 s"].where(whole)
    lengthwise = {**likely, "10.24 s": pairs(likely["5.12 s"])}
    title(f"Length and rate: verdicts over the {whole.sum()} windows that go on for another 5.12 s")
    head("window", "on, one in 60 s", "macro-F1, window alone", *(f"{score}, one in 60 s" for score in SCORES))
    for variant, length in LENGTHS.items():
        each = lengthwise[variant][whole]
        row(variant, f"{awake(60, length * WINDOW):.1%}", scores(each, seen)[0],
            *scores(in_context(each, seen.recordings, 60), seen))
    minutes_by_length(likely, lived)


def judged_unseen(practice, test, seed):
    """Probabilities of every window by a model that has not seen its dataset."""
    likely = np.empty((len(test.classes), len(CLASSES)))
    for dataset in np.unique(test.datasets):
        part, own = practice.where(practice.datasets != dataset), test.datasets == dataset
        trained = model.train(part.features, part.classes, part.datasets, seed, every=EVERY)
        likely[own] = trained.probabilities(test.features[own])
    return likely


def minutes_by_length(likely, lived):
    title("Length against interval: time on; mean error of the minutes stationary and walking in an hour")
    head("interval", *LENGTHS)
    truth = {one: true_minutes(lived, one) for one in (STATIONARY, WALKING)}
    for interval in INTERVALS[1:]:
        cells = []
        for variant, length in LENGTHS.items():
            found = [watch_for(hour, likely, variant, interval) for hour in lived]
            errors = (np.abs(minutes(found, one) - truth[one]).mean() for one in truth)
            cells.append(f"{awake(interval, length * WINDOW):.1%}; " + ", ".join(f"{x:.1f}" for x in errors))
        row(name(interval), *cells)


def watch_for(hour, likely, variant, interval):
    length = LENGTHS[variant]
    own = pairs(likely["5.12 s"][hour.rows]) if length > 1 else likely[variant][hour.rows]
    return hours.watch(hour, DutyCycle(interval), own, length)


# Markdown


def title(text):
    print(f"\n## {text}\n")


def head(*cells):
    row(*cells)
    print("|" + "---|" * len(cells))


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
