"""From a recording to the windows that the device would have seen: 25 Hz, the sensor turned anyhow, quantised.

For training, copies of every recording are varied as sensors, wearers and mountings vary. Every random choice comes
from a generator seeded with the seed, the recording's name and the copy's number, so no copy depends on another.
"""

import zlib
from dataclasses import dataclass

import numpy as np

from features import LENGTH, RATE
from model import CLASSES, UNKNOWN, WALKING
from recordings import UNLABELLED

STEP = 1 / RATE
LONGEST_GAP = 1.0
COUNTS_PER_G = 4096
COPIES = 6
# The share of the windows of a walk, and of other things, in a copy that begin or end with rest or with getting up.
STARTS = 0.3
ON_FOOT = ("walking", "stairs")
# Copies of recordings no longer than this, in seconds, are cut into windows that overlap by a half.
SHORT = 60
# In g. Most windows of sitting wearers deviate less, at the wrist too.
STILL = 0.03


def segments(time):
    """Index ranges without a gap of over a second."""
    cuts = np.flatnonzero(np.diff(time) > LONGEST_GAP) + 1
    return list(zip(np.r_[0, cuts], np.r_[cuts, len(time)]))


def resample(time, samples, step=STEP, start=None):
    """Means over slots of `step` seconds of the straight lines through the points, as the device's Resampler.

    -> the middles of the slots, the samples. The last slot, if the points do not fill it, is dropped.
    """
    kept = np.r_[True, np.diff(time) > 0]
    time, samples = time[kept], samples[kept]
    start = time[0] if start is None else start
    # A recording's clock counts whole milliseconds: a slot that is full must not be lost to rounding.
    count = int(np.floor((time[-1] - start) / step + 1e-9))
    if len(time) < 2 or count < 1:
        return np.zeros(0), np.zeros((0, 3))
    edges = np.minimum(start + step * np.arange(count + 1), time[-1])
    lasting = np.diff(time)[:, None]
    integral = np.vstack([np.zeros(3), np.cumsum((samples[1:] + samples[:-1]) / 2 * lasting, axis=0)])
    before = np.clip(np.searchsorted(time, edges, side="right") - 1, 0, len(time) - 2)
    since = (edges - time[before])[:, None]
    slope = (samples[before + 1] - samples[before]) / lasting[before]
    at_edges = integral[before] + samples[before] * since + slope * since ** 2 / 2
    return edges[:-1] + step / 2, np.diff(at_edges, axis=0) / step


def quantise(samples):
    """As a 16-bit sensor with a range of 8 g gives them."""
    return np.clip(np.round(samples * COUNTS_PER_G), -32768, 32767) / COUNTS_PER_G


def rotation(rng):
    """A rotation by any angle about any axis, all equally likely."""
    q = rng.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


@dataclass
class Variation:
    """The differences of a copy from its recording."""

    tempo: float        # everything slower or faster
    start: float        # s: where the first window begins
    step: float         # s: the interval of a slower sensor, 0 for that of the recording
    strength: float     # of the movement, gravity apart
    gain: float         # of the sensor
    limit: float        # g: the sensor's range
    offset: np.ndarray  # g: its zero error by axis
    noise: float        # g
    gestures: float     # per minute, made by hands that rest or ride

    @classmethod
    def draw(cls, rng, copy, on_foot=False):
        """Of walks every third copy is a slow one. A movement that takes longer needs less force, by the square."""
        slow = on_foot and copy % 3 == 0
        tempo = rng.uniform(1.1, 1.5) if slow else rng.uniform(0.97, 1.03)
        return cls(
            tempo=tempo, start=rng.uniform(0, 2.56),
            step=rng.choice([0, 0, 0, 1 / 20, 1 / 12.5, 1 / 10]),
            strength=np.exp(rng.normal(0, 0.08)) / (tempo ** 2 if slow else 1), gain=rng.uniform(0.97, 1.03),
            limit=rng.choice([8, 8, 8, 8, 2, 1.5]), offset=rng.uniform(-0.05, 0.05, 3),
            noise=np.exp(rng.uniform(np.log(0.0003), np.log(0.003))),
            gestures=rng.choice([1.5, 5, 12, 25]) if copy % 2 else 0)


def gestures(samples, rng, per_minute):
    """Turns and shakes the sensor now and then, as a hand does while its owner sits or rides.

    Physics, not data: it turns by an angle (typically 0.3 rad) within 0.4 to 2 s and is shaken a little meanwhile.
    """
    samples = samples.copy()
    for _ in range(rng.poisson(per_minute * len(samples) * STEP / 60)):
        begin, lasting = rng.integers(0, len(samples)), int(rng.uniform(0.4, 2.0) * RATE)
        angle = min(np.exp(rng.normal(np.log(0.3), 0.8)), 2.5)
        axis = rng.normal(size=3)
        progress = np.clip((np.arange(len(samples) - begin) + 1) / lasting, 0, 1)
        samples[begin:] = turned(samples[begin:], axis / np.linalg.norm(axis), angle * ease(progress))
        meanwhile = samples[begin:begin + lasting]
        swell = np.sin(np.pi * np.arange(lasting) / lasting) * np.exp(rng.normal(np.log(0.05), 0.7))
        meanwhile += (shake(rng, lasting) * swell[:, None])[:len(meanwhile)]
    return samples


def shake(rng, length):
    """Movement below about 2 Hz without a rhythm, with a standard deviation of 1 in each axis."""
    return np.stack([np.convolve(rng.normal(size=length + 8), np.ones(9) / 3, "valid") for _ in range(3)], 1)


def ease(progress):
    """0 to 1 without a jolt at either end."""
    return progress ** 2 * (3 - 2 * progress)


def turned(samples, axis, angles):
    """Each sample turned about the axis by its own angle."""
    cosine, sine = np.cos(angles)[:, None], np.sin(angles)[:, None]
    along = axis * (samples @ axis)[:, None]
    return samples * cosine + np.cross(axis, samples) * sine + along * (1 - cosine)


def stream(recording, seed, copy=0):
    """The segments of a recording at 25 Hz, turned and quantised: (samples, class of each).

    Copy 0 is the recording; every other one is varied.
    """
    rng = np.random.default_rng([seed, zlib.crc32(recording.name.encode()), copy])
    turn, variation = rotation(rng), Variation.draw(rng, copy, recording.kind in ON_FOOT)
    for low, high in segments(recording.time):
        time, samples = recording.time[low:high], recording.samples[low:high]
        if len(time) < 2:
            continue
        if copy:
            time, samples = resampled_varied(time, samples, recording.rate, variation)
        else:
            time, samples = resample(time, samples)
        if len(time) < LENGTH:
            continue
        classes = recording.classes_at(time / variation.tempo if copy else time)
        samples = (sensed(samples, variation) if copy else samples) @ turn.T
        if copy:
            samples = restless(samples, classes, rng, variation)
            samples = samples + variation.offset + rng.normal(0, variation.noise, samples.shape)
        yield quantise(samples), classes


def resampled_varied(time, samples, rate, variation):
    time = time * variation.tempo
    start = time[0] + variation.start
    if variation.step and 1 / variation.step < 0.9 * rate:
        time, samples = resample(time, samples, variation.step)
    if len(time) < 2:
        return time[:0], samples[:0]
    return resample(time, samples, start=max(start, time[0]))


def sensed(samples, variation):
    rest = samples.mean(axis=0)
    moved = (samples - rest) * variation.strength + rest
    return np.clip(moved * variation.gain, -variation.limit, variation.limit)


def restless(samples, classes, rng, variation):
    """With gestures where the wearer is still or rides; walkers swing their arms anyway."""
    if not variation.gestures:
        return samples
    idle = np.isin(classes, [CLASSES.index("stationary"), CLASSES.index("automotive")])
    return np.where(idle[:, None], gestures(samples, rng, variation.gestures), samples)


def cut(recording, seed, copy=0):
    """-> windows (n, 128, 3), class of each. A window in which the class changes or is not known is left out."""
    rng = np.random.default_rng([seed, zlib.crc32(recording.name.encode()), copy, LENGTH])
    found, classes = [], []
    for samples, truth in stream(recording, seed, copy):
        step = LENGTH // 2 if copy and len(samples) <= SHORT * RATE else LENGTH
        for begin in range(0, len(samples) - LENGTH + 1, step):
            inside = truth[begin:begin + LENGTH]
            if inside[0] != UNLABELLED and (inside == inside[0]).all():
                window = samples[begin:begin + LENGTH]
                if copy and inside[0] == UNKNOWN and is_still(window):
                    continue
                if copy and inside[0] in (WALKING, UNKNOWN) and rng.random() < STARTS:
                    is_shaken = inside[0] == UNKNOWN and rng.random() < 0.5
                    window = handled(window, rng) if is_shaken else window
                    window = quantise((risen if rng.random() < 0.5 else started)(window, rng))
                found.append(window)
                classes.append(inside[0])
    return np.array(found).reshape(-1, LENGTH, 3), np.array(classes, int)


def is_still(window):
    """Whether a wearer at rest moves as much: of another activity, such as reading or holding a mouse, it shows only the sitting."""
    return window.var(axis=0).sum() < STILL**2


def handled(window, rng):
    """A sensor shaken without any rhythm, as in a bag that somebody takes; held as that of the window is."""
    strength = np.exp(rng.uniform(np.log(0.05), np.log(0.6)))
    return window.mean(axis=0) + rng.normal(0, strength, window.shape)


def started(window, rng):
    """A window in the course of which the movement begins or ends; the sensor rests for 5 to 40 % of it."""
    count = int(rng.uniform(0.05, 0.4) * LENGTH)
    down = window.mean(axis=0)
    rest = np.tile(down / max(np.linalg.norm(down), 0.1), (LENGTH, 1)) + rng.normal(0, 0.002, (LENGTH, 3))
    rest = gestures(rest, rng, rng.choice([0, 25, 50]))
    share = np.clip((np.arange(LENGTH) - count) / 8 + 0.5, 0, 1)[:, None]
    share = share[::-1] if rng.random() < 0.5 else share
    return rest * (1 - share) + window * share


def risen(window, rng):
    """A window in the course of which the wearer gets up and moves, or stops and sits down.

    Physics, not data: before the movement, for 10 to 45 % of the window, the sensor points elsewhere (typically by 0.9 rad), turns
    within 0.8 to 2 s, and is shaken meanwhile (typically by 0.12 g).
    """
    count, lasting = int(rng.uniform(0.1, 0.45) * LENGTH), rng.uniform(0.8, 2.0) * RATE
    axis, angle = rng.normal(size=3), min(np.exp(rng.normal(np.log(0.9), 0.5)), 2.5)
    is_last = rng.random() < 0.5
    index = np.arange(LENGTH)
    share = np.clip((index - count) / 12 + 0.5, 0, 1)[:, None]
    down = window.mean(axis=0)
    samples = down / max(np.linalg.norm(down), 0.1) * (1 - share) + (window[::-1] if is_last else window) * share
    progress = np.clip((index - count) / lasting + 0.7, 0, 1)
    samples = turned(samples, axis / np.linalg.norm(axis), angle * (1 - ease(progress)))
    swell = np.exp(-((index - count) / lasting + 0.2) ** 2 / 0.36) * np.exp(rng.normal(np.log(0.12), 0.6))
    samples = samples + shake(rng, LENGTH) * swell[:, None]
    return samples[::-1] if is_last else samples


def made_up(rng):
    """A made-up window: gravity from some side, a rhythm with its harmonics or none, a rumble, gestures, noise."""
    time = np.arange(LENGTH) * STEP
    samples = np.tile([0.0, 0.0, 1.0], (LENGTH, 1))
    if rng.random() < 0.5:
        pace, strength = rng.uniform(0.8, 3.2), np.exp(rng.uniform(np.log(0.03), np.log(1.5)))
        for harmonic in (0.5, 1, 2, 3):
            phase = 2 * np.pi * (pace * harmonic * time[:, None] + rng.random(3))
            samples += np.sin(phase) * rng.normal(size=3) * strength / (1 + harmonic)
    if rng.random() < 0.4:
        rumble = rng.normal(size=(LENGTH + 4, 3)) * np.exp(rng.uniform(np.log(0.005), np.log(0.1)))
        samples += np.stack([np.convolve(rumble[:, axis], np.ones(5) / 5, "valid") for axis in range(3)], axis=1)
    if rng.random() < 0.4:
        samples = gestures(samples, rng, 40)
    noise = np.exp(rng.uniform(np.log(0.001), np.log(0.01)))
    return (samples + rng.normal(0, noise, samples.shape)) @ rotation(rng).T
