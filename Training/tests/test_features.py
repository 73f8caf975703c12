"""Features of signals whose features are known, and of the same signals seen by a turned sensor."""

import unittest

import numpy as np

import features
import windows

TIME = np.arange(features.LENGTH) / features.RATE


def of(*axes):
    """Features, by name, of one window given as its three axes."""
    window = np.stack([np.broadcast_to(axis, TIME.shape) for axis in axes], axis=1)
    return dict(zip(features.NAMES, features.compute(window[None])[0]))


class AnalyticSignals(unittest.TestCase):
    def test_there_are_seventy_with_a_definition_each(self):
        self.assertEqual(len(features.NAMES), 70)
        self.assertEqual(features.compute(np.zeros((3, 128, 3))).shape, (3, 70))

    def test_a_sensor_at_rest_has_no_movement_and_no_rhythm(self):
        found = of(0, 0.6, 0.8)
        for name in ("vectorVariance", "stir9", "lengthBand2", "sway"):
            self.assertAlmostEqual(found[name], -6, places=6)
        for name in ("lengthCadence", "vectorBest", "lengthTrough", "smoothCrossings", "excess"):
            self.assertAlmostEqual(found[name], 0, places=6)
        self.assertAlmostEqual(found["lowest"], 1)

    def test_rounding_of_a_sensor_at_rest_changes_nothing_that_is_chosen(self):
        rounding = np.random.default_rng(2).uniform(-1e-7, 1e-7, (3, features.LENGTH))
        rest, rounded = of(0, 0.6, 0.8), of(*(np.array([[0], [0.6], [0.8]]) + rounding))
        for name in ("lengthDominant", "vectorDominant", "lengthCadence", "vectorCadence", "smoothCrossings"):
            self.assertEqual(rest[name], rounded[name])

    def test_free_fall_is_finite(self):
        self.assertTrue(all(np.isfinite(value) for value in of(0, 0, 0).values()))

    def test_a_vertical_bounce_has_its_variance_direction_and_pace(self):
        bounce = 0.2 * np.sin(2 * np.pi * 2.0 * TIME)
        found = of(0, 0, 1 + bounce)
        self.assertAlmostEqual(found["vectorVariance"], np.log10(np.var(bounce) + 1e-6))
        self.assertAlmostEqual(found["verticalShare"], 1)
        self.assertAlmostEqual(found["lengthCadence"], 1, delta=0.02)
        self.assertGreater(found["lengthRegularity"], 0.95)
        self.assertAlmostEqual(2 ** found["lengthDominant"], 2, delta=0.1)
        self.assertAlmostEqual(found["lengthCentroid"], 2, delta=0.05)
        self.assertAlmostEqual(found["smoothCrossings"], 2 * 2 * 5.12 / 128, delta=0.02)

    def test_the_power_of_a_tone_is_in_its_band_and_adds_up_to_its_variance(self):
        tone = 0.1 * np.sin(2 * np.pi * 2.0 * TIME)
        found = of(0, 0, 1 + tone)
        self.assertAlmostEqual(found["lengthBand3"], np.log10(0.1 ** 2 / 2), delta=0.03)
        for other in (0, 1, 5):
            self.assertLess(found[f"lengthBand{other}"], -4)
        self.assertAlmostEqual(features.power(tone[None]).sum(), 0.1 ** 2 / 2, delta=1e-4)

    def test_a_sideways_swing_is_horizontal_and_straight_a_circle_is_not(self):
        swing, across = 0.1 * np.sin(2 * np.pi * TIME), 0.1 * np.cos(2 * np.pi * TIME)
        straight, round_ = of(swing, 0, 1), of(swing, across, 1)
        self.assertLess(straight["verticalShare"], 0.01)
        self.assertGreater(straight["horizontalLinearity"], 0.98)
        self.assertLess(round_["horizontalLinearity"], 0.3)

    def test_a_turn_shifts_the_posture(self):
        angle = np.where(TIME < 2.56, 0, 0.5)
        found = of(np.sin(angle), 0, np.cos(angle))
        self.assertAlmostEqual(found["postureShift"], np.log10((2 * np.sin(0.25)) ** 2), delta=0.01)
        self.assertAlmostEqual(found["quietestQuarter"], -6, places=6)


class TurnedSensor(unittest.TestCase):
    def test_features_stay(self):
        rng = np.random.default_rng(3)
        found = np.array([windows.made_up(rng) for _ in range(50)])
        turned = found @ windows.rotation(rng).T
        np.testing.assert_allclose(features.compute(turned), features.compute(found), atol=1e-8)


if __name__ == "__main__":
    unittest.main()
