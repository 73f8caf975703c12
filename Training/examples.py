"""Many windows' features with their class, recording, dataset and wearer."""

from dataclasses import dataclass

import numpy as np

import features
import windows


@dataclass
class Examples:
    """Arrays of one length, a row for every window, in the order of the recordings and of time."""

    features: np.ndarray    # (n, 70), 32-bit
    classes: np.ndarray     # index into CLASSES
    recordings: np.ndarray  # index into the list of recordings
    datasets: np.ndarray
    people: np.ndarray
    kinds: np.ndarray

    def where(self, mask):
        return Examples(*(array[mask] for array in vars(self).values()))


def collect(recordings, seed, copies):
    """Features of all windows of the given copies of every recording. Copy 0 is the recording as it is."""
    values, classes, origin = [], [], []
    for index, recording in enumerate(recordings):
        for copy in copies:
            found, truth = windows.cut(recording, seed, copy)
            if len(found):
                values.append(features.compute(found).astype(np.float32))
                classes.append(truth)
                origin.append(np.full(len(found), index))
        recording.forget()
    if not values:
        raise ValueError("no recording is long enough for a window of 5.12 s")
    origin = np.concatenate(origin)
    by_recording = lambda field: np.array([getattr(recording, field) for recording in recordings])[origin]
    return Examples(np.concatenate(values), np.concatenate(classes), origin,
                    by_recording("dataset"), by_recording("person"), by_recording("kind"))
