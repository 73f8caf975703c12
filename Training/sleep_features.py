"""The six features that tell sleep from wake, epoch by epoch: what is known of the movement around an epoch of 30 s.

A night is an array of counts, any measure of the movement in an epoch that is 0 for none and grows with it; NaN where
nothing is known. Only their ratio to the night's own mean enters, so that the unit of the counts, the strictness of the
sensor and how strongly a wearer moves cancel out. A night without any movement has a mean of 0 and no levels but 0.

Words used in the definitions, for one epoch:
  level   log2(1 + 2.5 count / mean count of the night)
  moved   level > 1: the count is over 0.4 of the mean
  quiet   neither moved nor unknown
  rest    at least 10 quiet epochs in a row, 5 min; unknown epochs between them neither count nor end it
Unknown epochs have no part in means and maxima, but time passes in them.

Falling asleep and waking up are what is hard: someone who lies still in the first minutes is mostly awake, and someone
who lies still after hours is mostly asleep. The last three features say so without a clock: they ask how much rest has
been, and how much is still to come.

The Swift side, `SleepScorer`, computes the same numbers; `golden-sleep.json` holds the two equal.
"""

import numpy as np

EPOCH = 30  # seconds
GAIN = 2.5
MOVED = 1.0
SHORT = 1         # epochs to either side: 1.5 min in all
LONG = 15         # 15.5 min
FAR = 30          # 15 min to either side
REST = 10         # epochs, 5 min
HALF_LIFE = 14.0  # epochs, 7 min
LONGEST = 60      # epochs, 30 min: longer stillness tells no more

DEFINITIONS = {
    "shortMean": "mean level of the epochs within 30 s",
    "longMean": "mean level of the epochs within 7.5 min",
    "greatest": "greatest level of the epochs within 15 min",
    "restless": "2^-(minutes of rest up to the epoch / 7): 1 before the first rest",
    "restlessSince": "restless * log2(1 + epochs since it last moved, at most 60)",
    "restlessUntil": "2^-(minutes of rest from the epoch on / 7) * log2(1 + epochs until it moves next, at most 60)",
}
NAMES = list(DEFINITIONS)


def compute(counts, unit=None):
    """(n) counts -> (n, 6); the rows of unknown epochs mean nothing. A unit takes the place of the night's mean."""
    level, known = levels(counts, unit)
    moved, resting = level > MOVED, rest(level, known)
    before = np.cumsum(resting)
    after = np.cumsum(resting[::-1])[::-1]
    return np.column_stack([
        window_mean(level, known, SHORT), window_mean(level, known, LONG), window_greatest(level, FAR),
        fade(before), fade(before) * np.log2(1 + since(moved)),
        fade(after) * np.log2(1 + since(moved[::-1])[::-1])])


def levels(counts, unit=None):
    """The levels, 0 where unknown, and which are known."""
    known = np.isfinite(counts) & (np.nan_to_num(counts, nan=-1) >= 0)
    values = np.where(known, counts, 0.0)
    mean = values.sum() / max(known.sum(), 1) if unit is None else unit
    return np.log2(1 + GAIN * values / mean) if mean > 0 else values, known


def rest(level, known):
    """Whether each epoch is one of those that a rest is counted by."""
    result, run = np.zeros(len(level), bool), []
    for i in [*np.flatnonzero(known), None]:
        if i is None or level[i] > MOVED:
            if len(run) >= REST:
                result[run] = True
            run = []
        else:
            run.append(i)
    return result


def fade(epochs):
    return 2.0 ** (-epochs / HALF_LIFE)


def window_mean(level, known, reach):
    """The mean over the known epochs within reach; 0 where there are none."""
    return window_sum(level, reach) / np.maximum(window_sum(known, reach), 1)


def window_sum(values, reach):
    return np.convolve(values, np.ones(2 * reach + 1), "full")[reach:reach + len(values)]


def window_greatest(level, reach):
    padded = np.pad(level, reach)
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)


def since(moved):
    """Epochs since the last that moved, itself included; LONGEST where there was none."""
    result, passed = np.zeros(len(moved)), LONGEST
    for i, now in enumerate(moved):
        passed = 0 if now else min(passed + 1, LONGEST)
        result[i] = passed
    return result
