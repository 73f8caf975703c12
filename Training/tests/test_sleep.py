"""The scorer of sleep and wake by movement."""

import gzip
import pathlib
import tempfile
import unittest

import numpy as np

import sleep
import sleep_export
import sleep_features
from sleep_features import NAMES


def column(counts, name):
    return sleep_features.compute(np.array(counts, float))[:, NAMES.index(name)]


class Features(unittest.TestCase):
    def test_the_unit_does_not_matter(self):
        counts = np.random.default_rng(1).exponential(5, 100)
        np.testing.assert_allclose(sleep_features.compute(counts), sleep_features.compute(1000 * counts))

    def test_a_level_is_told_by_the_mean(self):
        # The mean is 1: log2(1 + 2.5 * 4) and 0.
        np.testing.assert_allclose(sleep_features.levels(np.array([4.0, 0, 0, 0]))[0], [np.log2(11), 0, 0, 0])

    def test_unknown_epochs_have_no_part_in_means(self):
        counts = [2, np.nan, 2, np.nan, 2]
        np.testing.assert_allclose(column(counts, "shortMean"), np.log2(3.5))

    def test_windows_reach_as_far_as_they_say(self):
        counts = np.zeros(101)
        counts[50] = 1
        self.assertEqual(np.flatnonzero(column(counts, "shortMean") > 1e-9).tolist(), [49, 50, 51])
        self.assertEqual(np.flatnonzero(column(counts, "longMean") > 1e-9).tolist(), list(range(35, 66)))
        self.assertEqual(np.flatnonzero(column(counts, "greatest") > 1e-9).tolist(), list(range(20, 81)))

    def test_rest_is_five_minutes_of_quiet(self):
        level = np.array([2.0] + [0] * 9 + [2] + [0] * 10 + [2])
        known = np.ones(len(level), bool)
        self.assertEqual(np.flatnonzero(sleep_features.rest(level, known)).tolist(), list(range(11, 21)))

    def test_unknown_epochs_neither_count_as_rest_nor_end_it(self):
        level, known = np.zeros(12), np.ones(12, bool)
        known[[3, 4]] = False
        self.assertEqual(sleep_features.rest(level, known).sum(), 10)
        known[5] = False
        self.assertEqual(sleep_features.rest(level, known).sum(), 0)

    def test_rest_halves_restlessness_every_seven_minutes(self):
        counts = [1.0] + [0] * 28
        np.testing.assert_allclose(column(counts, "restless")[[0, 14, 28]], [1, 0.5, 0.25])

    def test_time_passes_since_and_until_a_movement(self):
        moved = np.array([False, True, False, False, True])
        np.testing.assert_array_equal(sleep_features.since(moved), [60, 0, 1, 2, 0])
        np.testing.assert_allclose(column([1, 0, 0, 0, 1], "restlessUntil"), np.log2([1, 4, 3, 2, 1]))

    def test_a_night_without_movement_has_features(self):
        self.assertTrue(np.isfinite(sleep_features.compute(np.zeros(50))).all())


class Scoring(unittest.TestCase):
    @staticmethod
    def nights(count):
        """Nights whose sleepers move little and whose wakers much, with a long wait for sleep."""
        rng, nights = np.random.default_rng(3), []
        for number in range(count):
            asleep = np.arange(400) >= rng.integers(20, 60)
            asleep[200:200 + rng.integers(0, 30)] = False
            counts = np.where(rng.random(400) < np.where(asleep, 0.06, 0.7), rng.exponential(5, 400), 0)
            nights.append(sleep.Night(f"night {number}", f"person {number}", counts, asleep, np.ones(400, bool)))
        return nights

    def test_it_learns_what_is_there(self):
        nights = self.nights(6)
        examples = [sleep_features.compute(night.counts) for night in nights]
        verdicts = sleep.held_out(nights, examples)
        truth = np.concatenate([night.asleep for night in nights])
        said = np.concatenate(verdicts)
        self.assertAlmostEqual(said[truth].mean(), sleep.AIM, delta=0.03)
        self.assertGreater(1 - said[~truth].mean(), 0.8)

    def test_no_night_is_judged_by_a_scorer_of_its_person(self):
        nights = self.nights(4)
        nights[1].person = nights[0].person
        seen = []
        train = sleep.train
        self.addCleanup(setattr, sleep, "train", train)
        sleep.train = lambda part, examples: seen.append({night.person for night in part}) or train(part, examples)
        sleep.left_out(nights, [sleep_features.compute(night.counts) for night in nights])
        self.assertEqual([len(people) for people in seen], [2, 2, 2, 2])
        self.assertNotIn(nights[0].person, seen[1])

    def test_kappa(self):
        truth = np.array([True] * 5 + [False] * 5)
        self.assertAlmostEqual(sleep.kappa(truth, truth), 1)
        self.assertAlmostEqual(sleep.kappa(np.array([True, False] * 5), truth), 0.2)

    def test_rescoring_takes_short_sleep_after_long_wake(self):
        verdict = np.array([False] * 8 + [True] * 60)
        self.assertEqual(sleep.rescored(verdict).argmax(), 10)
        between = np.array([True] * 60 + [False] * 40 + [True] * 18 + [False] * 40 + [True] * 60)
        self.assertFalse(sleep.rescored(between)[60:158].any())

    def test_coarse_counts_keep_nothing_at_nothing(self):
        coarse = sleep.quantised(np.array([0, 0.1, 5, 1e6]), 4)
        self.assertEqual(coarse[0], 0)
        self.assertAlmostEqual(coarse[3], 100)
        self.assertAlmostEqual(coarse[2], 5, delta=2)


class Export(unittest.TestCase):
    def setUp(self):
        self.scorer = sleep.Scorer(np.arange(1.0, 7) / 8, -0.5)

    def test_the_constants_are_swift(self):
        text = sleep_export.swift(self.scorer, 16, 15)
        self.assertIn("16 nights of 15 people", text)
        for name, weight in zip(NAMES, self.scorer.weights):
            self.assertIn(f"    static let {name}: Float = {weight}\n", text)
        self.assertIn("    static let bias: Float = -0.5\n", text)

    def test_golden_nights_are_the_same_every_time(self):
        text = sleep_export.golden_text(sleep_export.golden(self.scorer, 6))
        self.assertEqual(text, sleep_export.golden_text(sleep_export.golden(self.scorer, 6)))
        self.assertNotIn("NaN", text)


class Reading(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def read(self, *rows):
        (self.folder / "made").mkdir()
        (self.folder / "index.csv").write_text(
            "rec,dataset,subject,class\nwalk_1,made,p1,walking\nnight_1,made,p2,sleep\n")
        with gzip.open(self.folder / "made" / "night_1.csv.gz", "wt") as file:
            file.write("\n".join(["t_s,count,hr_feature,psg", *rows]) + "\n")
        return sleep.read(self.folder)

    def test_missing_rows_are_unknown(self):
        night, = self.read("0,3.5,0.1,0", "30,0,0.1,2", "120,1,0.1,5")
        np.testing.assert_array_equal(night.counts, [3.5, 0, np.nan, np.nan, 1])
        np.testing.assert_array_equal(night.asleep, [False, True, False, False, True])
        np.testing.assert_array_equal(night.known, [True, True, False, False, True])

    def test_time_that_runs_backwards_is_reported_with_its_file(self):
        with self.assertRaisesRegex(ValueError, "night_1.csv.gz"):
            self.read("30,1,0,0", "0,1,0,0")


if __name__ == "__main__":
    unittest.main()
