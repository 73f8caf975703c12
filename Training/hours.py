"""Made-up hours of a wearer's life, and how many of their minutes a duty cycle gets right.

Hardly any recording lasts an hour, so hours are put together from the windows of one wearer: bouts of one activity
after another, each of them successive windows of that wearer's recordings, from a random one on and around again where
they are too few. Bouts begin and end between windows, and intervals are whole numbers of windows of 5.12 s. What lies
an hour ahead and some minutes after is watched too and not counted: an hour is cut out of a day.
"""

from dataclasses import dataclass

import numpy as np

from features import LENGTH, RATE
from model import AUTOMOTIVE, RUNNING, STATIONARY, UNKNOWN, WALKING, Filter

WINDOW = LENGTH / RATE
# In windows. The time before the hour is enough for any duty cycle to have settled.
HOUR, BEFORE, AFTER = round(3600 / WINDOW), round(3600 / WINDOW), round(900 / WINDOW)
# How long a bout lasts, in minutes, all lengths equally likely.
BOUTS = {STATIONARY: (5, 25), WALKING: (1, 8), RUNNING: (3, 15), AUTOMOTIVE: (10, 25), UNKNOWN: (3, 15)}
# A wearer's activity with less than a minute of windows is not used: it would be the same few over and over.
LEAST = round(60 / WINDOW)
# As the device: a window that is less sure than this leaves the verdict as it was.
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


def weight(interval):
    """How far a window is believed that comes so many seconds after the one before: the exponent of its
    probabilities, as in the device's filter."""
    return 0.7 + 0.3 * np.clip((interval - WINDOW) / (60 - WINDOW), 0, 1)


@dataclass
class Watched:
    """What a duty cycle saw: verdict `i` holds from `changes[i]` to `changes[i + 1]`, in windows."""

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
    chain, belief, verdict = Filter(), np.full(5, 0.2), UNKNOWN
    transitions = chain.transitions()
    position, before, still, moved = int(hour.phase * steps(cycle.interval)), None, 0, False
    verdicts, changes, windows = [], [], 0
    while position + length <= len(hour.truth):
        passed = (position - before) * WINDOW if before is not None else WINDOW
        if likely is None:
            fresh = hour.truth[position]
        else:
            belief = belief @ transitions * (likely[position] + chain.floor) ** weight(passed)
            belief /= belief.sum()
            fresh = belief.argmax() if belief.max() >= SURE else verdict
        # As the device: a change is where the interrupt came or, not known better, in the middle.
        changes.append(position if before is None or (moved and verdict == STATIONARY)
                       else (before + position) / 2 + length)
        verdicts.append(fresh)
        windows += BEFORE <= position < BEFORE + HOUR
        still = 0 if moved or fresh != STATIONARY else still + 1
        before, verdict = position, fresh
        position, moved = following(hour, cycle, position, still, length)
    return Watched(np.array(verdicts), np.array(changes + [len(hour.truth)]), int(windows))


def steps(interval):
    return round(interval / WINDOW)


def following(hour, cycle, position, still, length):
    """Where the next window begins, and whether movement woke it."""
    if not cycle.relaxed or still < cycle.still_windows:
        return position + steps(cycle.interval), False
    planned, rested = position + steps(cycle.relaxed), position + int(np.ceil(length))
    moving = np.flatnonzero(hour.truth[rested:planned] != STATIONARY)
    if cycle.woken and len(moving):
        return rested + moving[0], True
    return planned, False


def true_minutes(hour, one):
    return (hour.truth[BEFORE:BEFORE + HOUR] == one).sum() * WINDOW / 60
