"""The 70 features of a window: the classifier's input from 5.12 s of acceleration.

A window is 128 samples at 25 Hz in g, and `compute` takes n of them as an array (n, 128, 3). No feature changes when
the sensor is turned. The bands of the spectra end at 4.5 Hz: power above that depends on the sensor's rate and filter
more than on the wearer. It still counts in the variances, the shape of the length, its rhythm and the strongest
frequency.

The Swift side computes the same numbers; `golden.json` holds the two equal.

Words used in the definitions, for one window:
  mean       the mean of the samples, a vector: mostly gravity
  D          the samples less their mean
  vertical   D along the direction of the mean
  horizontal D less its vertical part
  length     |sample|; d is the length less its mean
  log(x)     log10(max(x, 0) + 1e-6): 1e-6 g^2 is (1 mg)^2, below what any accelerometer shows
Variances divide by the number of samples.
"""

import numpy as np

RATE = 25.0
LENGTH = 128
FLOOR = 1e-6
# A variance of (0.1 mg)^2 or less is rounding: it has no rhythm.
SILENCE = 1e-8
# A hundredth of a milli-g: the rounding of a sensor at rest must not look like a signal that crosses zero.
NEGATIVE = -1e-5
BAND_EDGES = [0.3, 0.7, 1.2, 1.7, 2.4, 3.3, 4.5]
FREQUENCY = np.arange(LENGTH // 2 + 1) * RATE / LENGTH
HANN = 0.5 - 0.5 * np.cos(2 * np.pi * (np.arange(LENGTH) + 0.5) / LENGTH)
# Periods of 0.24 s to 2 s.
SHORTEST_LAG, LONGEST_LAG = 6, 50
NEARLY_AS_GOOD = 0.7

DEFINITIONS = {
    "vectorVariance": "log of the summed variance of the three axes",
    "verticalShare": "mean square of vertical / max(summed variance, 1e-6)",
    "horizontalLinearity": "C = scatter of horizontal / 128: sqrt(clip(2 |C|^2 / max(tr(C)^2, 1e-12) - 1, 0, 1))",
    "lowest": "least length / max(mean length, 0.1)",
    "highest": "greatest length / max(mean length, 0.1)",
    "percentile5": "sorted d [6] / s, where s = max(standard deviation of d, 1e-3)",
    "percentile25": "sorted d [32] / s",
    "percentile75": "sorted d [95] / s",
    "percentile95": "sorted d [121] / s",
    "skewness": "mean of d^3 / s^3, clipped to -4...4",
    "kurtosis": "log10(max(mean of d^4 / s^4, 0.1) + 1)",
    "excess": "mean of max(d, 0)",
    "quietestQuarter": "log of the least summed variance of the four quarters of 32 samples",
    "quarterRatio": "log of the greatest summed variance of a quarter - log of the least",
    "postureShift": "log of the greatest squared distance between the means of two quarters",
    "sway": "means of D over 16 parts of 8 samples: log(sum of their squares / 16)",
    "swayStep": "differences of neighbours among those 16 means: log(sum of their squares / 15)",
    **{f"lengthBand{i}": f"power spectrum of d: log of the power in band {i}" for i in range(6)},
    **{f"verticalBand{i}": f"power spectrum of vertical: log of the power in band {i}" for i in range(6)},
    **{f"horizontalBand{i}": f"spectrum of D (3 axes) - that of vertical, >= 0: log of band {i}" for i in range(6)},
    "lengthDominant": "spectrum of d: log2 of the frequency in Hz of the strongest of bins 2...64; bin 2 in silence",
    "vectorDominant": "the same for the spectrum of D (3 axes)",
    "lengthRegularity": "autocorrelation of d at the chosen lag; 0 without a peak",
    "lengthBest": "autocorrelation of d at its highest peak among lags 6...50; 0 without a peak",
    "lengthCadence": "log2 of the repetitions per second at the chosen lag of d; 0 without a peak",
    "lengthLag4": "autocorrelation of d at lag 4",
    "lengthTrough": "least autocorrelation of d at lags 3...25",
    "vectorRegularity": "autocorrelation of D (3 axes) at the chosen lag; 0 without a peak",
    "vectorBest": "autocorrelation of D at its highest peak among lags 6...50; 0 without a peak",
    "vectorCadence": "log2 of the repetitions per second at the chosen lag of D; 0 without a peak",
    "vectorLag4": "autocorrelation of D at lag 4",
    "vectorTrough": "least autocorrelation of D at lags 3...25",
    "smoothVariance": "l = d through (1 4 6 4 1)/16, 124 samples: log of its variance",
    **{f"smoothQuarter{i}": f"log of the variance of l in four parts of 31, ascending: [{i}]" for i in range(4)},
    **{f"stir{i}": f"squared steps of l, first 120, ten means of 12, log, ascending: [{i}]" for i in (0, 2, 5, 9)},
    **{f"turn{i}": f"the same for the vector D smoothed in the same way: [{i}]" for i in (0, 2, 5, 9)},
    "calmStir": "the five parts of 12 with the least turn: log(mean of their stir) - log(mean of their turn)",
    "smoothCrossings": "changes between neighbours of whether l < -1e-5 g, / 123",
    "lengthEntropy": "share of each bin of 0.5...4.5 Hz (power + 1e-6/64) of d: entropy / ln(bins)",
    "lengthCentroid": "mean frequency in Hz under those shares",
    "lengthPeak": "greatest of those shares",
    "horizontalEntropy": "the entropy for the horizontal spectrum",
    "horizontalCentroid": "the mean frequency for the horizontal spectrum",
    "horizontalPeak": "the greatest share for the horizontal spectrum",
    "verticalToHorizontal": "log of the vertical power in 0.5...4.5 Hz - log of the horizontal",
    "slowToFast": "log of the power of d in 0.25...1 Hz - log of that in 1...4.5 Hz",
}
NAMES = list(DEFINITIONS)


def compute(windows):
    """(n, 128, 3) in g -> (n, 70), in the order of NAMES."""
    windows = np.asarray(windows, np.float64)
    parts = Parts(windows)
    columns = {
        **shape(parts), **posture(parts), **spectral(parts),
        **rhythm("length", [parts.d]), **rhythm("vector", [parts.deviation[:, :, axis] for axis in range(3)]),
        **smoothed(parts),
    }
    return np.stack([columns[name] for name in NAMES], axis=1)


class Parts:
    """Intermediate values that several features share."""

    def __init__(self, windows):
        mean = windows.mean(axis=1)
        up = mean / np.maximum(np.linalg.norm(mean, axis=1), 1e-6)[:, None]
        self.deviation = windows - mean[:, None]
        self.vertical = (self.deviation * up[:, None]).sum(axis=2)
        self.horizontal = self.deviation - self.vertical[:, :, None] * up[:, None]
        self.length = np.linalg.norm(windows, axis=2)
        self.mean_length = self.length.mean(axis=1)
        self.d = self.length - self.mean_length[:, None]
        self.variance = (self.deviation ** 2).sum(axis=(1, 2)) / LENGTH


def log(x):
    return np.log10(np.maximum(x, 0) + FLOOR)


def shape(p):
    """How strong the movement is and how its values are spread."""
    scatter = np.einsum("nti,ntj->nij", p.horizontal, p.horizontal) / LENGTH
    trace = np.trace(scatter, axis1=1, axis2=2)
    square = (scatter ** 2).sum(axis=(1, 2))
    s = np.maximum(np.sqrt((p.d ** 2).mean(axis=1)), 1e-3)
    ranked = np.sort(p.d, axis=1) / s[:, None]
    typical = np.maximum(p.mean_length, 0.1)
    return {
        "vectorVariance": log(p.variance),
        "verticalShare": (p.vertical ** 2).mean(axis=1) / np.maximum(p.variance, FLOOR),
        "horizontalLinearity": np.sqrt(np.clip(2 * square / np.maximum(trace ** 2, FLOOR ** 2) - 1, 0, 1)),
        "lowest": p.length.min(axis=1) / typical,
        "highest": p.length.max(axis=1) / typical,
        "percentile5": ranked[:, 6], "percentile25": ranked[:, 32],
        "percentile75": ranked[:, 95], "percentile95": ranked[:, 121],
        "skewness": np.clip((p.d ** 3).mean(axis=1) / s ** 3, -4, 4),
        "kurtosis": np.log10(np.maximum((p.d ** 4).mean(axis=1) / s ** 4, 0.1) + 1),
        "excess": np.maximum(p.d, 0).mean(axis=1),
    }


def posture(p):
    """Whether the sensor keeps its direction, and whether some part of the window is quiet."""
    quarters = p.deviation.reshape(-1, 4, 32, 3)
    means = quarters.mean(axis=2)
    spread = ((quarters - means[:, :, None]) ** 2).sum(axis=3).mean(axis=2)
    between = ((means[:, :, None] - means[:, None]) ** 2).sum(axis=3)
    slow = p.deviation.reshape(-1, 16, 8, 3).mean(axis=2)
    return {
        "quietestQuarter": log(spread.min(axis=1)),
        "quarterRatio": log(spread.max(axis=1)) - log(spread.min(axis=1)),
        "postureShift": log(between.max(axis=(1, 2))),
        "sway": log((slow ** 2).sum(axis=(1, 2)) / 16),
        "swayStep": log((np.diff(slow, axis=1) ** 2).sum(axis=(1, 2)) / 15),
    }


def spectral(p):
    """Where the power lies between 0.3 and 4.5 Hz, by direction."""
    length, vertical = power(p.d), power(p.vertical)
    vector = sum(power(p.deviation[:, :, axis]) for axis in range(3))
    horizontal = np.maximum(vector - vertical, 0)
    columns = {}
    for name, spectrum in (("length", length), ("vertical", vertical), ("horizontal", horizontal)):
        for i, (low, high) in enumerate(zip(BAND_EDGES[:-1], BAND_EDGES[1:])):
            columns[f"{name}Band{i}"] = log(between(spectrum, low, high))
    columns["lengthDominant"], columns["vectorDominant"] = dominant(length), dominant(vector)
    for name, spectrum in (("length", length), ("horizontal", horizontal)):
        columns |= spread(name, spectrum)
    columns["verticalToHorizontal"] = log(between(vertical, 0.5, 4.5)) - log(between(horizontal, 0.5, 4.5))
    columns["slowToFast"] = log(between(length, 0.25, 1)) - log(between(length, 1, 4.5))
    return columns


def power(signal):
    """Power per bin in g^2 of a signal whose mean is 0: the bins add up to about its variance. Bin 0 is 0."""
    transform = np.fft.rfft(signal * HANN, axis=1)
    spectrum = (transform.real ** 2 + transform.imag ** 2) * 2 / (LENGTH * np.sum(HANN ** 2))
    spectrum[:, -1] /= 2
    spectrum[:, 0] = 0
    return spectrum


def between(spectrum, low, high):
    """Power in low <= f < high."""
    return spectrum[:, (FREQUENCY >= low) & (FREQUENCY < high)].sum(axis=1)


def dominant(spectrum):
    # Below this all bins are equal, and the first is taken: rounding in a spectrum of silence must not choose.
    return np.log2(FREQUENCY[np.maximum(spectrum[:, 2:], SILENCE / LENGTH).argmax(axis=1) + 2])


def spread(name, spectrum):
    inside = (FREQUENCY >= 0.5) & (FREQUENCY < 4.5)
    share = spectrum[:, inside] + FLOOR / 64
    share = share / share.sum(axis=1, keepdims=True)
    return {
        f"{name}Entropy": -(share * np.log(share)).sum(axis=1) / np.log(share.shape[1]),
        f"{name}Centroid": (share * FREQUENCY[inside]).sum(axis=1),
        f"{name}Peak": share.max(axis=1),
    }


def rhythm(name, signals):
    """At which period the signals repeat together, and how well.

    The chosen lag is the shortest peak with at least 0.7 of the highest, because whatever repeats also repeats at
    every multiple of its period. Its place between the samples is the top of the parabola through three lags.
    """
    r = autocorrelation(signals)
    inner, before, after = (r[:, SHORTEST_LAG + shift:LONGEST_LAG + 1 + shift] for shift in (0, -1, 1))
    peaks = np.where((inner > before) & (inner >= after) & (inner > 0), inner, 0)
    best = peaks.max(axis=1)
    found = best > 0
    lag = SHORTEST_LAG + ((peaks >= NEARLY_AS_GOOD * best[:, None]) & (peaks > 0)).argmax(axis=1)
    left, top, right = (np.take_along_axis(r, lag[:, None] + shift, axis=1)[:, 0] for shift in (-1, 0, 1))
    bend = left - 2 * top + right
    curved = np.abs(bend) > 1e-9
    offset = np.where(curved, 0.5 * (left - right) / np.where(curved, bend, 1), 0)
    period = (lag + np.clip(offset, -0.5, 0.5)) / RATE
    return {
        f"{name}Regularity": np.where(found, top, 0),
        f"{name}Best": best,
        f"{name}Cadence": np.where(found, -np.log2(period), 0),
        f"{name}Lag4": r[:, 4],
        f"{name}Trough": r[:, 3:26].min(axis=1),
    }


def autocorrelation(signals):
    """Mean products of samples 0...51 apart, summed over the signals, / that of lag 0; all 0 for silence."""
    r = np.zeros((len(signals[0]), LONGEST_LAG + 2))
    for signal in signals:
        for lag in range(LONGEST_LAG + 2):
            r[:, lag] += (signal[:, lag:] * signal[:, :LENGTH - lag]).mean(axis=1)
    silent = r[:, :1] <= SILENCE
    return np.where(silent, 0, r / np.where(silent, 1, r[:, :1]))


def smoothed(p):
    """The movement below about 5 Hz, in parts: the level of its quiet parts, and of its lively ones."""
    line = smooth(p.d)
    quarters = np.sort(log(line.reshape(-1, 4, 31).var(axis=2)), axis=1)
    stir = (np.diff(line, axis=1) ** 2)[:, :120].reshape(-1, 10, 12).mean(axis=2)
    turn = (np.diff(smooth(p.deviation), axis=1) ** 2).sum(axis=2)[:, :120].reshape(-1, 10, 12).mean(axis=2)
    calm = np.argsort(turn, axis=1, kind="stable")[:, :5]
    calm_stir, calm_turn = (np.take_along_axis(x, calm, axis=1).mean(axis=1) for x in (stir, turn))
    ranked_stir, ranked_turn = np.sort(log(stir), axis=1), np.sort(log(turn), axis=1)
    return {
        "smoothVariance": log(line.var(axis=1)),
        **{f"smoothQuarter{i}": quarters[:, i] for i in range(4)},
        **{f"stir{i}": ranked_stir[:, i] for i in (0, 2, 5, 9)},
        **{f"turn{i}": ranked_turn[:, i] for i in (0, 2, 5, 9)},
        "calmStir": log(calm_stir) - log(calm_turn),
        "smoothCrossings": (np.diff(line < NEGATIVE, axis=1)).sum(axis=1) / 123.0,
    }


def smooth(x):
    """Binomial (1 4 6 4 1)/16 along the samples: passes 2 Hz with 0.88, 4 Hz with 0.59, 6.25 Hz with 0.25."""
    return (x[:, :-4] + 4 * x[:, 1:-3] + 6 * x[:, 2:-2] + 4 * x[:, 3:-1] + x[:, 4:]) / 16
