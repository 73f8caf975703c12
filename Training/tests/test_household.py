"""Households put together from recordings."""

import unittest

import numpy as np

import household
from features import RATE


class Parts(unittest.TestCase):
    def test_the_pace_is_that_of_the_steps_and_not_of_the_arm(self):
        time = np.arange(60 * RATE) / RATE
        walk = 1 + 0.2 * np.sin(2 * np.pi * 1.8 * time) + 0.3 * np.sin(2 * np.pi * 0.9 * time)
        self.assertAlmostEqual(household.pace(np.stack([0 * walk, 0 * walk, walk], axis=1)), 1.8, places=1)

    def test_parts_are_faded_into_each_other(self):
        before, after = np.zeros((50, 3)), np.ones((50, 3))
        joined = household.faded(before, after)
        self.assertEqual(len(joined), 100 - household.FADE)
        self.assertTrue((np.diff(joined[:, 0]) >= 0).all())
        np.testing.assert_array_equal(household.faded(np.zeros((0, 3)), after), after)


if __name__ == "__main__":
    unittest.main()
