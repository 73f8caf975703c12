"""Made-up hours of a wearer's life, and how many of their minutes a duty cycle gets right.

Hardly any recording lasts an hour, so hours are put together from the windows of one wearer: bouts of one activity
after another, each of them successive windows of that wearer's recordings, from a random one on and around again where
they are too few. Bouts begin and end between windows, and intervals are whole numbers of windows of 5.12 s. An hour
before it and some minutes after are watched too and not counted: an hour is cut out of a day.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from features import LENGTH, RATE
from model import AUTOMOTIVE, RUNNING, STATIONARY, UNKNOWN, WALKING, Filter

WINDOW = LENGTH / RATE
# In windows. The time before the hour is enough for any duty cycle to have settled.
HOUR, BEFORE, AFTER = round(3600 / WINDOW), round(3600 / WINDOW), round(900 / WINDOW)
# The length of a bout, in minutes, all equally likely.
BOUTS = {STATIONARY: (5, 25), WALKING: (1, 8), RUNNING: (3, 15), AUTOMOTIVE: (10, 25), UNKNOWN: (3, 15)}
# A wearer's activity with less than a minute of windows is not used: it would be the same few over and over.
LEAST = round(60 / WINDOW)
# As in the device: a window of a lower probability than this leaves the verdict as it was.
SURE = 0.5


@dataclass
class Hour:
    """The windows of an hour, with what comes before and after."""

    dataset: str
    rows: np.ndarray   # of the examples
    truth: np.ndarray  # class of each
    phase: float       # 0...1: where within an interval the first window lies


@dataclass
class DutyCycle:
    """Intervals from the start of a window to the start of the next, in seconds."""

    interval: float
    relaxed: float = 0       # the interval after `still_windows` stationary ones in a row; 0: none
    still_windows: int = 10
    woken: bool = False      # the IMU's interrupt ends the relaxed pace when the wearer begins to move
    again: float = 0         # the interval after a window that alone says something else than the verdict; 0: none


def draw(seen, count, seed):
    """The hours of wearers of whom there is walking and sitting or riding; the datasets take turns."""
    rng = np.random.default_rng(seed)
    wearers = {}
    for person in np.unique(seen.people):
        own = np.flatnonzero(seen.people == person)
        rows = {one: own[seen.classes[own] == one] for one in BOUTS}
        rows = {one: found for one, found in rows.items() if len(found) >= LEAST}
        if WALKING in rows and (STATIONARY in rows or AUTOMOTIVE in rows):
            wearers.setdefault(seen.datasets[own[0]], []).append(rows)
    datasets = sorted(wearers)
    return [live(datasets[i % len(datasets)], wearers, rng) for i in range(count)]


def live(dataset, wearers, rng):
    own = wearers[dataset][rng.integers(len(wearers[dataset]))]
    rows, truth, doing = [], [], None
    while len(rows) < BEFORE + HOUR + AFTER:
        doing = rng.choice([one for one in own if one != doing])
        lasting = round(rng.uniform(*BOUTS[doing]) * 60 / WINDOW)
        begin = rng.integers(len(own[doing]))
        rows += own[doing][(begin + np.arange(lasting)) % len(own[doing])].tolist()
        truth += [doing] * lasting
    return Hour(dataset, np.array(rows), np.array(truth), rng.random())


@cache
def one_step(passed):
    """Chances from class to class over so many windows."""
    return Filter.apart(passed * WINDOW).transitions()


@dataclass
class Watched:
    """The verdicts of a duty cycle: verdict `i` holds from `changes[i]` to `changes[i + 1]`, in windows."""

    verdicts: np.ndarray
    changes: np.ndarray
    windows: int  # that began within the hour

    def minutes(self, one):
        """Of the hour that were judged to be of this class."""
        inside = np.clip(self.changes, BEFORE, BEFORE + HOUR)
        return np.diff(inside)[self.verdicts == one].sum() * WINDOW / 60


def watch(hour, cycle, likely=None, length=1.0):
    """Looks at the hour as the cycle says, with the probabilities of every window of it; without any, as a classifier
    that is never wrong. `length` of a window, in windows of 5.12 s."""
    position, before, moved, still = int(hour.phase * steps(cycle.interval)), None, False, 0
    belief, verdict, doubtful = np.full(5, 0.2), UNKNOWN, False
    verdicts, changes, windows = [], [], 0
    while position + length <= len(hour.truth):
        # As the device: a change is where the interrupt came or, not known better, in the middle.
        known = before is None or (moved and verdict == STATIONARY)
        changes.append(position if known else (before + position) / 2 + length)
        if likely is None:
            verdict = hour.truth[position]
        else:
            belief = carried(belief, likely[position], position - before if before is not None else 1)
            verdict = belief.argmax() if belief.max() >= SURE else verdict
            doubtful = belief.max() < SURE or likely[position].argmax() != verdict
        verdicts.append(verdict)
        windows += BEFORE <= position < BEFORE + HOUR
        still = 0 if moved or verdict != STATIONARY else still + 1
        before = position
        position, moved = following(hour, cycle, position, still, doubtful, length)
    return Watched(np.array(verdicts), np.array(changes + [len(hour.truth)]), int(windows))


def carried(belief, likely, passed):
    """The belief after another window, so many windows after the one before: a step of the device's filter."""
    belief = belief @ one_step(passed) * (likely + Filter.floor)
    return belief / belief.sum()


def following(hour, cycle, position, still, doubtful, length):
    """The begin of the next window, and whether movement woke it."""
    if cycle.again and doubtful:
        return position + steps(cycle.again), False
    if not cycle.relaxed or still < cycle.still_windows:
        return position + steps(cycle.interval), False
    planned, rested = position + steps(cycle.relaxed), position + int(np.ceil(length))
    moving = np.flatnonzero(hour.truth[rested:planned] != STATIONARY)
    if cycle.woken and len(moving):
        return rested + moving[0], True
    return planned, False


def steps(interval):
    return round(interval / WINDOW)


def true_minutes(hour, one):
    return (hour.truth[BEFORE:BEFORE + HOUR] == one).sum() * WINDOW / 60
