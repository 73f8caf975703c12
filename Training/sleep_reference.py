"""The time in bed after van Hees et al. 2018 (HDCZA, Sci Rep 8:12975), from the angle of the arm.

The reference that the device's own estimate is held against; nothing of it is shared with the device. A span is an
array (n, 3) of mean accelerations in any unit, a row per epoch of 5 s, from noon to noon; NaN where there are no data.

1. angle = atan(z / sqrt(x^2 + y^2)) in degrees; its change = |angle - angle of the epoch before|.
2. The rolling median of the changes over 5 min.
3. Still: a median below 15 times the 10th percentile of the medians of the span, kept within 0.13 and 0.50 degrees.
4. Spells of stillness of over 30 min, joined over gaps of under 60 min, are blocks. The longest is the time in bed.

Epochs without data, and those that a mask calls not worn, are never still and have no part in medians and percentile.
"""

from dataclasses import dataclass

import numpy as np

EPOCH = 5  # seconds
WINDOW = 5 * 60 // EPOCH + 1   # epochs, as many to either side
FEWEST = WINDOW // 2           # known changes that a median needs: half of them
PERCENTILE, FACTOR = 10, 15
LEAST, MOST = 0.13, 0.50       # degrees
SPELL = 30 * 60 // EPOCH       # a spell is longer than so many epochs
GAP = 60 * 60 // EPOCH         # a gap that is bridged is shorter than so many epochs


@dataclass
class Block:
    """In seconds from the beginning of the span; the end is that of the last epoch."""

    start: int
    end: int

    @property
    def length(self):
        return self.end - self.start


@dataclass
class Night:
    threshold: float  # degrees; NaN without data
    blocks: list

    @property
    def in_bed(self):
        """The longest block, the earlier of two; None without any."""
        return max(self.blocks, key=lambda block: block.length, default=None)


def find(samples, worn=None):
    """The night of a span; `worn` is a mask of its epochs."""
    known = np.isfinite(samples).all(axis=1)
    if worn is not None:
        known &= worn
    medians = rolling_median(changes(angles(samples), known))
    seen = medians[np.isfinite(medians) & known]
    if not len(seen):
        return Night(np.nan, [])
    threshold = float(np.clip(np.percentile(seen, PERCENTILE) * FACTOR, LEAST, MOST))
    still = known & (np.nan_to_num(medians, nan=np.inf) < threshold)
    return Night(threshold, [Block(EPOCH * start, EPOCH * end) for start, end in joined(spells(still))])


def angles(samples):
    x, y, z = np.asarray(samples, float).T
    return np.degrees(np.arctan2(z, np.hypot(x, y)))


def changes(angle, known):
    """By epoch the change since the epoch before; NaN where one of the two is unknown."""
    result = np.full(len(angle), np.nan)
    both = known[1:] & known[:-1]
    result[1:][both] = np.abs(np.diff(angle)[both])
    return result


def rolling_median(values):
    """The median of the known values among those around each; NaN where fewer than FEWEST are known."""
    padded = np.pad(values, WINDOW // 2, constant_values=np.nan)
    # NaN sorts to the end.
    ordered = np.sort(np.lib.stride_tricks.sliding_window_view(padded, WINDOW), axis=1)
    count = np.isfinite(ordered).sum(axis=1)
    rows = np.arange(len(ordered))
    middle = (ordered[rows, np.maximum(count - 1, 0) // 2] + ordered[rows, np.minimum(count // 2, WINDOW - 1)]) / 2
    return np.where(count >= FEWEST, middle, np.nan)


def spells(still):
    """(start, end) of every spell that is long enough, in epochs."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], still, [False]]).astype(int)))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2) if end - start > SPELL]


def joined(parts):
    result = []
    for start, end in parts:
        if result and start - result[-1][1] < GAP:
            result[-1] = (result[-1][0], end)
        else:
            result.append((start, end))
    return result
