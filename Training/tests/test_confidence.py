"""The rule that says how far a judgement can be trusted."""

import unittest

import numpy as np

import confidence
from model import AUTOMOTIVE, STATIONARY, UNKNOWN, WALKING


def likely(*rows):
    """Windows of which a class is as likely as given, and the rest is spread evenly."""
    found = np.empty((len(rows), 5))
    for row, (one, probability) in zip(found, rows):
        row[:] = (1 - probability) / 4
        row[one] = probability
    return found


class High(unittest.TestCase):
    def test_every_activity_has_its_own_threshold(self):
        windows = likely((WALKING, 0.8), (WALKING, 0.7), (AUTOMOTIVE, 0.97), (AUTOMOTIVE, 0.985))
        self.assertEqual(confidence.high(windows, np.zeros(4)).tolist(), [True, False, False, True])

    def test_the_unknown_is_never_known_well(self):
        self.assertFalse(confidence.high(likely((UNKNOWN, 1.0)), np.zeros(1)).any())

    def test_stillness_must_last(self):
        windows = likely(*[(STATIONARY, 0.95)] * (confidence.SETTLED + 1), (WALKING, 0.9), (STATIONARY, 0.95))
        expected = [False] * (confidence.SETTLED - 1) + [True, True, True, False]
        self.assertEqual(confidence.high(windows, np.zeros(len(windows))).tolist(), expected)

    def test_stillness_of_another_recording_does_not_count(self):
        windows = likely(*[(STATIONARY, 0.95)] * confidence.SETTLED)
        self.assertFalse(confidence.high(windows, np.arange(len(windows)) // 4).any())

    def test_windows_further_apart_are_counted_among_their_own(self):
        windows = likely(*[(STATIONARY, 0.95), (WALKING, 0.9)] * confidence.SETTLED)
        high = confidence.high(windows, np.zeros(len(windows)), every=2)
        self.assertEqual(np.flatnonzero(high[::2]).tolist(), [confidence.SETTLED - 1])


class Held(unittest.TestCase):
    def test_a_doubtful_window_holds_the_verdict_before_it(self):
        windows = likely((UNKNOWN, 0.4), (WALKING, 0.6), (STATIONARY, 0.45), (AUTOMOTIVE, 0.55))
        held = confidence.held(windows, np.zeros(4))
        self.assertEqual(held.tolist(), [UNKNOWN, WALKING, WALKING, AUTOMOTIVE])

    def test_a_new_recording_holds_nothing(self):
        held = confidence.held(likely((WALKING, 0.6), (STATIONARY, 0.45)), np.arange(2))
        self.assertEqual(held.tolist(), [WALKING, UNKNOWN])


if __name__ == "__main__":
    unittest.main()
