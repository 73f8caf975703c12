"""Writes the model as Swift constants, and golden windows that hold the Python and the Swift side equal."""

import json
import platform

import numpy as np
import sklearn

import features
import windows
from features import LENGTH
from model import CLASSES, HIDDEN, NETWORKS

WIDTH = 120
GOLDEN_WINDOWS = 200

SWIFT = """\
// Made by Training/train.py; do not edit: train again.
//
// Trained on {recordings} recordings of {people} people; recordings, people and 5.12 s windows by dataset
// (windows: those of the {copies} varied copies that were trained on):
{datasets}
// Seed {seed}, weight of `unknown` {unknown}. {versions}.

/// The numbers of `ActivityModel.standard`: {networks} networks of {inputs} features, {hidden} hidden units and \
{outputs} classes:
/// {classes}.
enum ActivityConstants {{
{arrays}
}}
"""

COMMENTS = {
    "centre": "By feature: the mean over the training windows.",
    "spread": "By feature: the standard deviation over the training windows.",
    "hidden_weights": "[network][hidden unit][feature]",
    "hidden_biases": "[network][hidden unit]",
    "output_weights": "[network][class][hidden unit]",
    "output_biases": "[network][class]",
}


def swift(model, provenance):
    arrays = "\n\n".join(array(name, getattr(model, name)) for name in COMMENTS)
    datasets = "\n".join(
        f"//   {d.name}: {d.recordings}, {d.people}, {d.windows}" for d in provenance.datasets)
    return SWIFT.format(
        recordings=sum(d.recordings for d in provenance.datasets), people=sum(d.people for d in provenance.datasets),
        copies=provenance.copies, datasets=datasets, seed=provenance.seed, unknown=provenance.unknown_weight,
        versions=versions(), networks=NETWORKS, inputs=len(model.centre), hidden=HIDDEN, outputs=len(CLASSES),
        classes=", ".join(CLASSES), arrays=arrays)


def versions():
    python = ".".join(platform.python_version_tuple()[:2])
    return f"Python {python}, numpy {np.__version__}, scikit-learn {sklearn.__version__}"


def array(name, values):
    camel = name.split("_")[0] + "".join(part.capitalize() for part in name.split("_")[1:])
    lines, line = [], ""
    for number in map(literal, values.ravel()):
        if len(line) + len(number) + 2 > WIDTH - 8:
            lines.append(line.rstrip())
            line = ""
        line += number + ", "
    lines.append(line.rstrip())
    body = "\n".join(" " * 8 + line for line in lines)
    return f"    /// {COMMENTS[name]}\n    static let {camel}: [Float] = [\n{body}\n    ]"


def literal(number):
    """The shortest decimal that reads back as the same 32-bit float, without an exponent."""
    return np.format_float_positional(np.float32(number), unique=True, trim="0")


def golden(model, seed, count=GOLDEN_WINDOWS):
    """Made-up windows, so that no recording is published: samples at 4096 to the g, features, probabilities.

    The first three are a sensor at rest, one in free fall and one that hits both ends of its range.
    """
    rng = np.random.default_rng([seed, 4096])
    rest, alternating = np.tile([0.0, 0.6, 0.8], (LENGTH, 1)), np.where(np.arange(LENGTH) % 24 < 11, 9.0, -9.0)
    samples = [windows.quantise(window) for window in (rest, 0 * rest, alternating[:, None] * rest)]
    while len(samples) < count:
        window = windows.quantise(windows.made_up(rng))
        if is_clear(window, rng):
            samples.append(window)
    samples = np.array(samples)
    values = features.compute(samples)
    return {
        "scale": windows.COUNTS_PER_G, "classes": CLASSES, "features": features.NAMES,
        "windows": [
            {"samples": np.round(window * windows.COUNTS_PER_G).astype(int).ravel().tolist(),
             "features": [round(float(x), 7) for x in row],
             "probabilities": [round(float(x), 7) for x in likely]}
            for window, row, likely in zip(samples, values, model.probabilities(values))],
    }


# A comparison between near equals (which bin is strongest, which peak is chosen) turns on rounding, and the
# features that follow jump. Equal software would differ there, so such windows prove nothing.
CHOICES = [features.NAMES.index(name) for name in (
    "lengthDominant", "vectorDominant", "lengthCadence", "vectorCadence", "calmStir", "smoothCrossings")]


def is_clear(window, rng):
    """Whether the features stay put under changes as small as the rounding of 32-bit floats, and the choices
    under changes ten times as large."""
    shaken = window + rng.uniform(-1, 1, (12,) + window.shape) * np.repeat([1e-7, 1e-6], 6)[:, None, None]
    moved = np.abs(features.compute(shaken) - features.compute(window[None]))
    return moved[:6].max() < 5e-5 and moved[6:, CHOICES].max() < 5e-3


def golden_text(golden):
    """JSON with a line per window."""
    rows = ",\n".join(json.dumps(window, separators=(",", ":")) for window in golden["windows"])
    head = json.dumps({key: value for key, value in golden.items() if key != "windows"}, indent=1)
    return head.rstrip("\n}") + ',\n "windows": [\n' + rows + "\n]}\n"
