"""Training, export and the filter, on made-up windows."""

import json
import pathlib
import re
import tempfile
import unittest
from types import SimpleNamespace

import numpy as np
from threadpoolctl import threadpool_limits

import export
import features
import model
import windows


def trained(seed):
    """A model of made-up windows with classes dealt out by their strength."""
    rng = np.random.default_rng(7)
    values = features.compute(np.array([windows.made_up(rng) for _ in range(400)])).astype(np.float32)
    classes = np.argsort(np.argsort(values[:, 0])) * 5 // 400
    with threadpool_limits(1):
        return model.train(values, classes, np.repeat(["a", "b"], 200), seed, every=1), values, classes


PROVENANCE = SimpleNamespace(
    datasets=[SimpleNamespace(name="made", recordings=2, people=1, windows=400)], copies=1, seed=1, unknown_weight=1.0)


class Training(unittest.TestCase):
    def test_the_same_seed_gives_the_same_files_another_seed_others(self):
        first, again, other = (trained(seed)[0] for seed in (1, 1, 2))
        text = lambda found: export.swift(found, PROVENANCE) + export.golden_text(export.golden(found, 1, count=10))
        self.assertEqual(text(first), text(again))
        self.assertNotEqual(text(first), text(other))

    def test_it_learns(self):
        found, values, classes = trained(1)
        self.assertGreater((found.probabilities(values).argmax(axis=1) == classes).mean(), 0.6)

    def test_classes_weigh_alike_and_datasets_by_the_root_of_their_size(self):
        classes = np.array([0] * 100 + [1] * 10 + [4] * 5)
        datasets = np.array(["big"] * 64 + ["small"] * 36 + ["big"] * 15)
        weights = model.sample_weights(classes, datasets, unknown_weight=0.5)
        self.assertAlmostEqual(weights[classes == 0].sum() * model.WALKING_WEIGHT, weights[classes == 1].sum())
        self.assertAlmostEqual(weights[classes == 4].sum() * 2, weights[classes == 0].sum())
        self.assertAlmostEqual(weights[:64].sum() / weights[64:100].sum(), 8 / 6)


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model, cls.values, _ = trained(1)
        cls.swift = export.swift(cls.model, PROVENANCE)

    def test_swift_constants_read_back_as_the_same_floats(self):
        for name in export.COMMENTS:
            camel = re.sub("_(.)", lambda match: match[1].upper(), name)
            text = re.search(rf"static let {camel}: \[Float\] = \[(.*?)\]", self.swift, re.S)[1]
            numbers = np.array([part for part in text.replace("\n", " ").split(",") if part.strip()], np.float32)
            np.testing.assert_array_equal(numbers, getattr(self.model, name).ravel())

    def test_lines_fit(self):
        self.assertLessEqual(max(map(len, self.swift.splitlines())), export.WIDTH)

    def test_tiny_and_whole_numbers_have_no_exponent(self):
        self.assertEqual([export.literal(x) for x in (1e-7, 2.0, -0.1)], ["0.0000001", "2.0", "-0.1"])

    def test_a_model_file_reads_back(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.json"
            self.model.write(path)
            again = model.Model.read(path)
        np.testing.assert_array_equal(again.probabilities(self.values), self.model.probabilities(self.values))

    def test_golden_samples_give_the_golden_features(self):
        golden = json.loads(export.golden_text(export.golden(self.model, 1, count=40)))
        self.assertEqual(len(golden["windows"]), 40)
        samples = np.array([window["samples"] for window in golden["windows"]]).reshape(-1, 128, 3) / golden["scale"]
        values = features.compute(samples)
        np.testing.assert_allclose(values, [window["features"] for window in golden["windows"]], atol=1e-6)
        np.testing.assert_allclose(
            self.model.probabilities(values), [window["probabilities"] for window in golden["windows"]], atol=1e-6)


class Filtering(unittest.TestCase):
    def test_one_odd_window_does_not_change_the_verdict_but_several_do(self):
        still, walk = np.array([0.9, 0.025, 0.025, 0.025, 0.025]), np.array([0.1, 0.6, 0.1, 0.1, 0.1])
        verdict = model.Filter().run(np.array([still] * 5 + [walk] + [still] * 2 + [walk] * 5), np.zeros(13))
        self.assertEqual(verdict.argmax(axis=1).tolist(), [0] * 8 + [0, 0] + [1] * 3)

    def test_a_new_recording_starts_anew(self):
        likely = np.array([[0.96, 0.01, 0.01, 0.01, 0.01]] * 5 + [[0.2] * 5])
        np.testing.assert_allclose(model.Filter().run(likely, np.array([0] * 5 + [1]))[5], 0.2)

    def test_windows_a_minute_apart_follow_each_other(self):
        likely = np.random.default_rng(1).dirichlet(np.ones(5), 24)
        apart = model.Filter().run(likely, np.zeros(24), every=12)
        np.testing.assert_allclose(apart[[3, 15]], model.Filter().run(likely[[3, 15]], np.zeros(2)))

    def test_changes_add_up(self):
        np.testing.assert_allclose(model.Filter().transitions().sum(axis=1), 1)

    def test_a_window_long_ago_says_less(self):
        soon, later, late = (model.Filter.apart(seconds) for seconds in (model.CLOSE, 60, 3600))
        self.assertAlmostEqual(soon.stay, model.Filter.stay)
        self.assertAlmostEqual(soon.ride, model.Filter.ride)
        self.assertGreater(soon.stay, later.stay)
        self.assertGreater(soon.ride, later.ride)
        self.assertAlmostEqual(late.stay, 0.2, places=4)
        self.assertAlmostEqual(late.ride, 0.2, places=4)
        np.testing.assert_allclose(late.transitions().sum(axis=1), 1)


if __name__ == "__main__":
    unittest.main()
