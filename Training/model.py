"""The classifier: five small neural networks whose probabilities are averaged, and the filter over time.

A feature x enters as clip((x - centre) / spread, -4, 4). Each network has 20 hidden units (ReLU) and a softmax over
the five classes. Five networks because single ones differ by their random start more than their average does.
"""

import json
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

CLASSES = ["stationary", "walking", "running", "automotive", "unknown"]
STATIONARY, WALKING, RUNNING, AUTOMOTIVE, UNKNOWN = range(5)
NETWORKS, HIDDEN, CLIP = 5, 20, 4.0
WALKING_WEIGHT = 1.5
# Between windows without a gap, in seconds.
CLOSE = 5.12


@dataclass
class Model:
    """All arrays are 32-bit floats, as the device has them."""

    centre: np.ndarray          # (features)
    spread: np.ndarray          # (features)
    hidden_weights: np.ndarray  # (networks, hidden units, features)
    hidden_biases: np.ndarray   # (networks, hidden units)
    output_weights: np.ndarray  # (networks, classes, hidden units)
    output_biases: np.ndarray   # (networks, classes)

    def probabilities(self, features):
        """(n, features) -> (n, classes)"""
        x = np.clip((features - self.centre) / self.spread, -CLIP, CLIP)
        total = np.zeros((len(x), len(CLASSES)))
        for network in range(NETWORKS):
            hidden = np.maximum(x @ self.hidden_weights[network].T + self.hidden_biases[network], 0)
            scores = hidden @ self.output_weights[network].T + self.output_biases[network]
            likely = np.exp(scores - scores.max(axis=1, keepdims=True))
            total += likely / likely.sum(axis=1, keepdims=True)
        return total / NETWORKS

    def write(self, path):
        with open(path, "w") as file:
            json.dump({name: [float(str(x)) for x in array.ravel()] for name, array in vars(self).items()}, file)

    @classmethod
    def read(cls, path):
        with open(path) as file:
            arrays = {name: np.array(values, np.float32) for name, values in json.load(file).items()}
        features = len(arrays["centre"])
        shapes = {"hidden_weights": (NETWORKS, HIDDEN, features), "hidden_biases": (NETWORKS, HIDDEN),
                  "output_weights": (NETWORKS, len(CLASSES), HIDDEN), "output_biases": (NETWORKS, len(CLASSES))}
        return cls(**{name: array.reshape(shapes.get(name, -1)) for name, array in arrays.items()})


def sample_weights(classes, datasets, unknown_weight):
    """Every class weighs the same, but for walking, which is overlooked otherwise where it is gentle or short, and for
    `unknown` times its factor; within a class a dataset of n windows weighs as
    the root of n, so that neither the largest dataset nor the smallest decides."""
    weights = np.zeros(len(classes))
    for one in range(len(CLASSES)):
        of_class = classes == one
        for dataset in np.unique(datasets[of_class]):
            member = of_class & (datasets == dataset)
            weights[member] = 1 / np.sqrt(member.sum())
        if of_class.any():
            share = {WALKING: WALKING_WEIGHT, UNKNOWN: unknown_weight}.get(one, 1)
            weights[of_class] *= share / weights[of_class].sum()
    return weights / weights.mean()


def train(features, classes, datasets, seed, unknown_weight=1.0, every=2):
    """Fits on every second window: the copies of a recording are much alike. All five classes must be present."""
    weights = sample_weights(classes, datasets, unknown_weight)[::every]
    features, classes = features[::every].astype(np.float64), classes[::every]
    centre = np.average(features, axis=0, weights=weights).astype(np.float32)
    spread = np.sqrt(np.average((features - centre) ** 2, axis=0, weights=weights) + 1e-6).astype(np.float32)
    x = np.clip((features - centre) / spread, -CLIP, CLIP)
    networks = [fit(x, classes, weights, seed + k) for k in range(NETWORKS)]
    # In C order, as a model that is read: the order of sums in `@`, and so the last digit, goes by it on some processors.
    stack = lambda part: np.stack([part(n) for n in networks]).astype(np.float32, order="C")
    return Model(
        centre, spread,
        stack(lambda n: n.coefs_[0].T), stack(lambda n: n.intercepts_[0]),
        stack(lambda n: n.coefs_[1].T), stack(lambda n: n.intercepts_[1]))


def fit(x, classes, weights, seed):
    """Fifteen passes with a penalty: stopping early is wanted, so its warning is not."""
    network = MLPClassifier((HIDDEN,), alpha=0.2, learning_rate_init=3e-3, batch_size=256, max_iter=15,
                            random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        network.fit(x, classes, sample_weight=weights)
    if len(network.classes_) != len(CLASSES):
        raise ValueError(f"windows of {len(network.classes_)} classes only; {len(CLASSES)} are needed")
    return network


@dataclass
class Filter:
    """Forward filter of a hidden Markov chain over successive windows: carries on the probabilities of the last one.

    `rare` is how likely, against other changes, are those that people seldom make without walking in between; `ride` the
    chance to stay in a vehicle, `stay` that of all else. The device's `ActivityRule` has the same constants.
    """

    stay: float = 0.95
    ride: float = 0.995
    rare: float = 0.3
    floor: float = 0.01

    @classmethod
    def apart(cls, seconds):
        """The filter for windows that end so many seconds after each other: the longer that is, the likelier the
        activity changed meanwhile."""
        left = np.exp(-max(seconds - CLOSE, 0) / 240)
        return cls(stay=0.2 + (cls.stay - 0.2) * left, ride=0.2 + (cls.ride - 0.2) * left)

    def transitions(self):
        change = np.ones((5, 5))
        for a, b in ((STATIONARY, AUTOMOTIVE), (RUNNING, AUTOMOTIVE), (RUNNING, STATIONARY)):
            change[a, b] = change[b, a] = self.rare
        np.fill_diagonal(change, 0)
        staying = np.full(5, self.stay)
        staying[AUTOMOTIVE] = self.ride
        change *= ((1 - staying) / change.sum(axis=1))[:, None]
        np.fill_diagonal(change, staying)
        return change

    def run(self, probabilities, recordings, every=1):
        """Per window the probabilities given it and those before it in its recording.

        With `every` > 1, windows that far apart follow each other: one window in 60 s is 12.
        """
        transitions, result, state = self.transitions(), np.empty_like(probabilities), {}
        for i, (likely, recording) in enumerate(zip(probabilities, recordings)):
            if i == 0 or recording != recordings[i - 1]:
                state, start = {}, i
            phase = (i - start) % every
            prior = state[phase] @ transitions if phase in state else np.full(5, 0.2)
            now = prior * (likely + self.floor)
            state[phase] = result[i] = now / now.sum()
        return result
