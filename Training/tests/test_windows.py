"""From recordings on disk to windows."""

import gzip
import pathlib
import shutil
import tempfile
import unittest

import numpy as np

import recordings
import windows
from model import STATIONARY, UNKNOWN, WALKING


class Resampling(unittest.TestCase):
    def test_slots_hold_the_mean_of_the_line_through_the_points(self):
        time = np.array([0, 0.03, 0.07, 0.12])
        middles, samples = windows.resample(time, np.stack([time, 2 * time, 0 * time], axis=1))
        np.testing.assert_allclose(middles, [0.02, 0.06, 0.10])
        np.testing.assert_allclose(samples, np.stack([middles, 2 * middles, 0 * middles], axis=1), atol=1e-12)

    def test_a_slot_that_the_points_do_not_fill_is_dropped(self):
        middles, _ = windows.resample(np.array([0, 0.1]), np.zeros((2, 3)))
        self.assertEqual(len(middles), 2)

    def test_a_gap_of_over_a_second_parts_segments(self):
        self.assertEqual(windows.segments(np.array([0, 0.5, 1.5, 2.6, 2.7])), [(0, 3), (3, 5)])


class Sensors(unittest.TestCase):
    def test_samples_are_whole_counts_within_the_range(self):
        np.testing.assert_allclose(windows.quantise(np.array([1 / 4096 + 1e-5, 9, -9])), [1 / 4096, 32767 / 4096, -8])

    def test_a_rotation_keeps_lengths_and_hands(self):
        turn = windows.rotation(np.random.default_rng(1))
        np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-12)
        self.assertAlmostEqual(np.linalg.det(turn), 1)

    def test_a_turn_by_a_right_angle_takes_one_axis_to_the_next(self):
        moved = windows.turned(np.array([[1.0, 0, 0.5]] * 2), np.array([0, 0, 1.0]), np.array([0, np.pi / 2]))
        np.testing.assert_allclose(moved, [[1, 0, 0.5], [0, 1, 0.5]], atol=1e-12)

    def test_gestures_turn_and_leave_the_recording_alone(self):
        rest = np.tile([0.0, 0.0, 1.0], (1500, 1))
        moved = windows.gestures(rest, np.random.default_rng(1), per_minute=10)
        self.assertGreater(np.abs(moved - rest).max(), 0.05)
        self.assertEqual(np.abs(rest - [0, 0, 1]).max(), 0)


class Walks(unittest.TestCase):
    def test_a_walk_that_begins_or_ends_stands_for_a_part_of_the_window(self):
        time = np.arange(128) / 25
        walk = np.stack([0 * time, 0 * time, 1 + 0.3 * np.sin(2 * np.pi * 1.8 * time)], axis=1)
        for seed in range(20):
            started = windows.started(walk, np.random.default_rng(seed))
            same = np.abs(started - walk).max(axis=1) == 0
            self.assertTrue(0.5 < same.mean() < 0.98, same.mean())
            self.assertTrue(same[0] != same[-1], "at one end only")

    def test_a_walk_after_getting_up_begins_elsewhere(self):
        time = np.arange(128) / 25
        walk = np.stack([0 * time, 0 * time, 1 + 0.3 * np.sin(2 * np.pi * 1.8 * time)], axis=1)
        ends = set()
        for seed in range(20):
            risen = windows.risen(walk, np.random.default_rng(seed))
            first, last = (np.abs(risen - walk)[part].max() < 0.05 for part in (slice(0, 32), slice(96, 128)))
            self.assertTrue(first != last, "the walk is at one end")
            rest = risen[96:] if first else risen[:32]
            down = rest[-4:].mean(axis=0) if first else rest[:4].mean(axis=0)
            self.assertLess(down[2] / np.linalg.norm(down), 0.99)
            ends.add(first)
        self.assertEqual(len(ends), 2, "at either")

    def test_every_third_copy_of_a_walk_is_slow_and_gentle(self):
        for copy, on_foot, slow in ((3, True, True), (3, False, False), (2, True, False)):
            drawn = windows.Variation.draw(np.random.default_rng(1), copy, on_foot)
            self.assertEqual(drawn.tempo > 1.05, slow)
            self.assertEqual(drawn.strength < 0.9, slow)


class Reading(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, kind, rows):
        (self.folder / "made").mkdir()
        (self.folder / "index.csv").write_text(
            f"split,rec,dataset,subject,position,label,class,fs\ndev,made_1,made,p1,wrist,x,{kind},50.0\n"
            "dev,night_1,nights,p2,wrist,x,sleep,0.033\n")
        with gzip.open(self.folder / "made" / "made_1.csv.gz", "wt") as file:
            file.write("\n".join(rows) + "\n")
        return recordings.read(self.folder)

    def test_windows_of_one_class_are_cut_and_mixed_ones_left_out(self):
        labels = ["STANDING"] * 300 + [""] * 500 + ["WALKING"] * 600 + ["SIT_TO_LIE"] * 900
        rows = ["t_ms,x_mg,y_mg,z_mg,label"] + [f"{20 * i},0,0,1000,{label}" for i, label in enumerate(labels)]
        recording, = self.write("mixed", rows)
        found, classes = windows.cut(recording, seed=1)
        # At 25 Hz the labels change at samples 150, 400 and 700; windows begin at multiples of 128.
        self.assertEqual(classes.tolist(), [STATIONARY, WALKING, UNKNOWN, UNKNOWN])
        np.testing.assert_allclose(np.linalg.norm(found, axis=2), 1, atol=1e-3)

    def test_still_windows_of_other_activities_are_not_learnt_from(self):
        for kind, deviation, learnt in (("other", 0.005, False), ("other", 0.1, True), ("stationary", 0.005, True)):
            noise = np.random.default_rng(1).normal(0, 1000 * deviation, 600)
            shutil.rmtree(self.folder / "made", ignore_errors=True)
            recording, = self.write(kind, ["t_ms,x_mg,y_mg,z_mg"] + [f"{20 * i},{x},0,1000" for i, x in enumerate(noise)])
            self.assertEqual(len(windows.cut(recording, seed=1, copy=1)[0]) > 0, learnt, (kind, deviation))
            self.assertEqual(len(windows.cut(recording, seed=1)[0]), 2)

    def test_stairs_are_walking_and_sleep_is_not_read(self):
        rows = ["t_ms,x_mg,y_mg,z_mg"] + [f"{20 * i},0,0,1000" for i in range(300)]
        found = self.write("stairs", rows)
        self.assertEqual(len(found), 1)
        self.assertEqual(windows.cut(found[0], seed=1)[1].tolist(), [WALKING])

    def test_without_labels_a_mixed_recording_has_no_known_windows(self):
        recording, = self.write("mixed", ["t_ms,x_mg,y_mg,z_mg"] + [f"{20 * i},0,0,1000" for i in range(300)])
        self.assertEqual(len(windows.cut(recording, seed=1)[0]), 0)

    def test_a_row_that_repeats_and_commas_in_quotes(self):
        self.write("walking", ["t_ms,x_mg,y_mg,z_mg"])
        with open(self.folder / "index.csv", "a") as file:
            file.write('dev,made_2,made,p1,wrist,"walk, \'long\'",running,25.0\ndev,made_1,made,p1,wrist,x,running,25.0\n')
        found = recordings.read(self.folder)
        self.assertEqual([(one.name, one.kind) for one in found], [("made_1", "walking"), ("made_2", "running")])

    def test_a_recording_in_another_unit_is_implausible_and_a_short_one_need_not_show_gravity(self):
        header, wave = ["t_ms,x_mg,y_mg,z_mg"], [(-1) ** i for i in range(6000)]
        for number, (samples, scale, gravity, plausible) in enumerate((
                (250, 1000, 0, True), (250, 9807, 1, False), (250, 1, 1, False), (6000, 1000, 1, True), (6000, 1000, 0, False))):
            rows = [f"{20 * i},{scale * wave[i]},0,{scale * gravity}" for i in range(samples)]
            shutil.rmtree(self.folder / "made", ignore_errors=True)
            recording, = self.write("walking", header + rows)
            self.assertEqual(recording.is_plausible(), plausible, number)

    def test_a_bad_row_is_reported_with_its_file(self):
        recording, = self.write("walking", ["t_ms,x_mg,y_mg,z_mg", "0,0,zero,0"])
        with self.assertRaisesRegex(ValueError, "made_1.csv.gz"):
            recording.time


if __name__ == "__main__":
    unittest.main()
