"""Reads a folder of recordings: `index.csv` and, by dataset, `<recording>.csv.gz` of `t_ms,x_mg,y_mg,z_mg[,label]`."""

import csv
import gzip
import pathlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from model import CLASSES

UNLABELLED = -1

# Classes that the daily record does not know have a fate: rail is automotive, stairs are walking, the rest unknown.
CLASS_OF = {
    "stationary": "stationary", "walking": "walking", "stairs": "walking", "running": "running",
    "automotive": "automotive", "rail": "automotive",
    "cycling": "unknown", "other": "unknown", "transition": "unknown",
}
PER_SAMPLE = "mixed"
# As Sources/Laboratory/Recordings/Plausibility.swift: seconds in which the mean acceleration is gravity, how many of them are
# needed, and the limits in g of gravity, and of the mean magnitude where there are fewer.
STRETCH, FEWEST_STRETCHES = 5.0, 12
GRAVITY, MAGNITUDE = (0.4, 2), (0.25, 5)

CLASS_OF_LABEL = {
    "SITTING": "stationary", "STANDING": "stationary", "LAYING": "stationary",
    "WALKING": "walking", "WALKING_UPSTAIRS": "walking", "WALKING_DOWNSTAIRS": "walking",
    "SEATED": "stationary", "TURNING": "walking", "UPSTAIRS": "walking", "DOWNSTAIRS": "walking", "JOGGING": "running",
}


@dataclass
class Recording:
    """A row of the index; its samples are read when they are first asked for."""

    path: pathlib.Path
    name: str
    dataset: str
    person: str
    kind: str    # the index's class: finer than CLASSES
    rate: float  # samples per second

    @cached_property
    def columns(self):
        with gzip.open(self.path, "rt") as file:
            rows = list(csv.reader(file))
        try:
            numbers = np.array([row[:4] for row in rows[1:]], float).reshape(-1, 4)
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}; rows must be t_ms,x_mg,y_mg,z_mg[,label]") from None
        if (np.diff(numbers[:, 0]) < 0).any():
            raise ValueError(f"{self.path}: time runs backwards")
        labels = [row[4] for row in rows[1:]] if "label" in rows[0] else None
        return numbers, labels

    @property
    def time(self):
        """In seconds."""
        return self.columns[0][:, 0] / 1000

    @property
    def samples(self):
        """(n, 3) in g."""
        return self.columns[0][:, 1:] / 1000

    def is_plausible(self):
        """Whether it is in the right unit and, as far as its length shows it, with gravity. Another one teaches nothing."""
        time, samples = self.time, self.samples
        if len(time) == 0:
            return False
        stretch = ((time - time[0]) // STRETCH).astype(int)
        if stretch[-1] < FEWEST_STRETCHES:
            return MAGNITUDE[0] <= np.linalg.norm(samples, axis=1).mean() <= MAGNITUDE[1]
        means = [np.linalg.norm(samples[stretch == one].mean(axis=0)) for one in np.unique(stretch)[:-1]]
        return GRAVITY[0] <= np.mean(means) <= GRAVITY[1]

    def classes_at(self, times):
        """Index into CLASSES at each time, as the first sample not before it has it; UNLABELLED where not known, as in a
        mixed recording without labels."""
        if self.kind != PER_SAMPLE:
            return np.full(len(times), CLASSES.index(CLASS_OF[self.kind]))
        labels = self.columns[1]
        if labels is None:
            return np.full(len(times), UNLABELLED)
        codes = np.array([code_of(label) for label in labels])
        return codes[np.clip(np.searchsorted(self.time, times), 0, len(codes) - 1)]

    def forget(self):
        """Lets go of the samples; they are read anew when asked for again."""
        self.__dict__.pop("columns", None)


def code_of(label):
    """Labelled movements that are none of the classes (lying down, getting up) are unknown."""
    return CLASSES.index(CLASS_OF_LABEL.get(label.upper(), "unknown")) if label else UNLABELLED


def read(folder):
    """The recordings of acceleration that the index lists, in its order, each once. Sleep has no acceleration: left
    out."""
    folder = pathlib.Path(folder)
    with open(folder / "index.csv", newline="") as file:
        rows = {}
        for row in csv.DictReader(file):
            rows.setdefault((row["dataset"], row["rec"]), row)
    known = {*CLASS_OF, PER_SAMPLE}
    return [
        Recording(folder / row["dataset"] / f"{row['rec']}.csv.gz", row["rec"], row["dataset"], row["subject"],
                  row["class"], float(row["fs"]))
        for row in rows.values() if row["class"] in known]
