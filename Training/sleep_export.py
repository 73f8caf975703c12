"""Writes the sleep scorer as Swift constants, and golden nights that hold the Python and the Swift side equal."""

import json
import platform

import numpy as np

import sleep_features

GOLDEN_NIGHTS = 16
SEED = 30

SWIFT = """\
// Made by Training/sleep.py; do not edit: train again.
//
// Trained on {nights} nights of {people} people beside polysomnography, by movement alone. {versions}.

/// The numbers of `SleepScorer`: an epoch is asleep where the sum of its features, weighted, and the bias is above 0.
enum SleepConstants {{
{weights}
    static let bias: Float = {bias}
}}
"""


def swift(scorer, nights, people):
    weights = "".join(
        f"    /// {definition[0].upper()}{definition[1:]}.\n    static let {name}: Float = {literal(weight)}\n"
        for (name, definition), weight in zip(sleep_features.DEFINITIONS.items(), scorer.weights))
    python = ".".join(platform.python_version_tuple()[:2])
    return SWIFT.format(nights=nights, people=people, versions=f"Python {python}, numpy {np.__version__}",
                        weights=weights.rstrip("\n"), bias=literal(scorer.bias))


def literal(number):
    return np.format_float_positional(number, unique=True, trim="0")


def golden(scorer, count=GOLDEN_NIGHTS):
    """Made-up nights, so that no recording is published: counts (null where unknown) and the score of each epoch."""
    rng = np.random.default_rng(SEED)
    nights = [np.zeros(90), np.full(40, 3.0), np.array([np.nan, 5.0, np.nan]), np.array([2.0])]
    while len(nights) < count:
        counts = made_up(rng)
        if is_clear(counts):
            nights.append(counts)
    return {"features": sleep_features.NAMES, "nights": [entry(scorer, counts) for counts in nights]}


def entry(scorer, counts):
    features = sleep_features.compute(counts)
    return {
        "counts": [None if np.isnan(count) else float(count) for count in counts],
        "features": [[round(float(x), 5) for x in row] for row in features],
        "scores": [round(float(x), 5) for x in scorer.scores(features)]}


def made_up(rng):
    """A night of wake and sleep in turns, in one of several units, with gaps: unlike anybody's, but of all kinds."""
    length = int(rng.integers(60, 300))
    stirs, counts, asleep = rng.uniform(0.02, 0.15), np.zeros(length), False
    for i in range(length):
        if rng.random() < (0.02 if asleep else 0.05):
            asleep = not asleep
        if rng.random() < (stirs if asleep else 0.6):
            counts[i] = rng.exponential(4 if asleep else 12)
    counts = np.round(counts * rng.choice([0.01, 1, 250]), 2)
    for _ in range(rng.integers(0, 4)):
        start = rng.integers(0, length)
        counts[start:start + rng.integers(1, 30)] = np.nan
    return counts


def is_clear(counts):
    """Whether no level is so near to `MOVED` that 32-bit floats may see it on the other side."""
    level, known = sleep_features.levels(counts)
    return known.any() and np.abs(level - sleep_features.MOVED).min() > 1e-4


def golden_text(golden):
    """JSON with a line per night."""
    nights = ",\n".join(json.dumps(night, separators=(",", ":")) for night in golden["nights"])
    return '{"features": ' + json.dumps(golden["features"]) + ',\n "nights": [\n' + nights + "\n]}\n"
