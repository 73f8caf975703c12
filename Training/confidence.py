"""The confidence of a judgement: the device's rule, with the same constants as `ActivityRule`.

How likely the filter holds its verdict is not yet how often that verdict is right: walking is seldom confused, but a
vehicle at a stop or a pause in a walk is at first just like sitting, and busy hands are much like a smooth ride. So
every activity has its own threshold, and stillness must last. `unknown` never has high confidence.
"""

import numpy as np

from model import STATIONARY, UNKNOWN

# By class: the least probability of a judgement of high confidence.
HIGH = np.array([0.85, 0.75, 0.95, 0.98, np.inf])
# The least of one of medium confidence. Below it the verdict before is held.
MEDIUM = 0.5
# The number of windows in a row that must have been likeliest stationary before that is of high confidence.
SETTLED = 8


def high(likely, recordings, every=1):
    """Per window whether its likeliest class is told with high confidence. Arguments as those of `Filter.run`."""
    verdict = likely.argmax(axis=1)
    brief = (verdict == STATIONARY) & (repeats(verdict, recordings, every) < SETTLED)
    return (likely.max(axis=1) >= HIGH[verdict]) & ~brief


def held(likely, recordings, every=1):
    """Per window the class that the device goes by: where confidence is low, that of the window before."""
    verdict = likely.argmax(axis=1)
    verdict[likely.max(axis=1) < MEDIUM] = -1
    for i, before in enumerate(predecessors(recordings, every)):
        if verdict[i] < 0:
            verdict[i] = verdict[before] if before is not None else UNKNOWN
    return verdict


def repeats(verdict, recordings, every=1):
    """Per window how many in a row, itself included, had the same verdict."""
    counts = np.ones(len(verdict), int)
    for i, before in enumerate(predecessors(recordings, every)):
        if before is not None and verdict[before] == verdict[i]:
            counts[i] += counts[before]
    return counts


def predecessors(recordings, every):
    """Per window the one that the device saw before it, `every` windows earlier in the same recording, or None."""
    return [i - every if i >= every and recordings[i - every] == recordings[i] else None
            for i in range(len(recordings))]
