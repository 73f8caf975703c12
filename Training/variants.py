"""Windows as sensors with other window lengths or rates would have seen them, for the duty cycle's trade-off.

The features are defined for 128 samples at 25 Hz, so each variant only approximates its name: see duty_cycle.py.
"""

from functools import cached_property

import numpy as np

import examples
import features
import recordings
import windows
from features import LENGTH


def mirrored(found, length):
    """The first so many samples of each window, there and back again until they are as many as before."""
    part = found[:, :length]
    return np.tile(np.concatenate([part, part[:, ::-1]], axis=1), (1, LENGTH // (2 * length), 1))


def halved(found):
    """The samples of a sensor at half the rate, with straight lines between them."""
    slow = windows.quantise((found[:, ::2] + found[:, 1::2]) / 2)
    before, after = np.roll(slow, 1, axis=1), np.roll(slow, -1, axis=1)
    before[:, 0], after[:, -1] = slow[:, 0], slow[:, -1]
    return np.stack([0.75 * slow + 0.25 * before, 0.75 * slow + 0.25 * after], axis=2).reshape(found.shape)


VARIANTS = {
    "1.28 s": lambda found: mirrored(found, 32),
    "2.56 s": lambda found: mirrored(found, 64),
    "5.12 s": lambda found: found,
    "5.12 s at 12.5 Hz": halved,
}
LENGTHS = {"1.28 s": 0.25, "2.56 s": 0.5, "5.12 s": 1, "10.24 s": 2, "5.12 s at 12.5 Hz": 1}


def collect(found, seed, copies):
    """Examples by variant: the same windows, seen in each way."""
    values, classes, origin = {variant: [] for variant in VARIANTS}, [], []
    for index, recording in enumerate(found):
        for copy in copies:
            cut, truth = windows.cut(recording, seed, copy)
            if len(cut):
                for variant, seen_as in VARIANTS.items():
                    values[variant].append(features.compute(seen_as(cut)).astype(np.float32))
                classes.append(truth)
                origin.append(np.full(len(cut), index))
        recording.forget()
    classes, origin = np.concatenate(classes), np.concatenate(origin)
    known = [np.array([getattr(recording, field) for recording in found])[origin]
             for field in ("dataset", "person", "kind")]
    return {variant: examples.Examples(np.concatenate(each), classes, origin, *known)
            for variant, each in values.items()}


def pairs(likely):
    """Of each window and the next: the product, each weighing as windows right after each other do. The last has
    itself once more."""
    product = likely * np.r_[likely[1:], likely[-1:]]
    return product / product.sum(axis=1, keepdims=True)


def same_next(seen):
    """Whether the next window is of the same recording and class."""
    return np.r_[(seen.recordings[1:] == seen.recordings[:-1]) & (seen.classes[1:] == seen.classes[:-1]), False]


class Late(recordings.Recording):
    """A recording from its second sample on."""

    @cached_property
    def columns(self):
        numbers, labels = super().columns
        return numbers[1:], labels and labels[1:]


def common(first, second):
    """Rows of the windows that both have: those of a recording up to the first that differ in class."""
    here, there = [], []
    for origin in np.unique(first.recordings):
        one, two = (np.flatnonzero(each.recordings == origin) for each in (first, second))
        count = min(len(one), len(two))
        differ = np.flatnonzero(first.classes[one[:count]] != second.classes[two[:count]])
        count = differ[0] if len(differ) else count
        here += one[:count].tolist()
        there += two[:count].tolist()
    return np.array(here), np.array(there)
