"""The reference rule for the time in bed, and the comparison of nights with it."""

import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

import numpy as np

import sleep_nights
import sleep_reference
from sleep_reference import EPOCH

DAY = 24 * 3600 // EPOCH
MINUTE = 60 // EPOCH


def span(*still, length=DAY, step=0.02):
    """A span whose arm turns by degrees but for the spells (start, end), in minutes, in which it turns by `step`."""
    rng = np.random.default_rng(5)
    angle = np.cumsum(rng.choice([-8.0, 8.0], length)) % 60
    for start, end in still:
        part = slice(round(start * MINUTE), round(end * MINUTE))
        angle[part] = 20 + step * (np.arange(part.stop - part.start) % 2)
    return turned(angle)


def turned(angle):
    angle = np.radians(angle)
    return np.column_stack([0.6 * np.cos(angle), 0.8 * np.cos(angle), np.sin(angle)])


def blocks(samples, worn=None):
    """In minutes, rounded."""
    found = sleep_reference.find(samples, worn).blocks
    return [(round(block.start / 60), round(block.end / 60)) for block in found]


class Angle(unittest.TestCase):
    def test_it_is_that_of_the_third_axis_against_the_plane_of_the_others(self):
        samples = np.array([[0, 0, 1], [1, 0, 0], [0, -1, 1], [3, 4, -5]])
        np.testing.assert_allclose(sleep_reference.angles(samples), [90, 0, 45, -45])

    def test_changes_beside_unknown_epochs_are_unknown(self):
        known = np.array([True, True, False, True, True])
        np.testing.assert_array_equal(
            sleep_reference.changes(np.array([1.0, 3, 0, 7, 4]), known), [np.nan, 2, np.nan, np.nan, 3])


class Median(unittest.TestCase):
    def test_it_is_that_of_five_minutes_around(self):
        values = np.random.default_rng(2).random(200)
        medians = sleep_reference.rolling_median(values)
        self.assertEqual(medians[100], np.median(values[70:131]))
        self.assertEqual(medians[0], np.median(values[:31]))

    def test_half_of_the_values_must_be_known(self):
        values = np.full(61, np.nan)
        values[:30] = np.arange(30)
        self.assertEqual(sleep_reference.rolling_median(values)[30], 14.5)
        values[0] = np.nan
        self.assertTrue(np.isnan(sleep_reference.rolling_median(values)[30]))


class Threshold(unittest.TestCase):
    def test_it_is_fifteen_times_the_tenth_percentile_within_bounds(self):
        for step, threshold in ((0.001, 0.13), (0.02, 0.30), (0.2, 0.50)):
            found = sleep_reference.find(span((0, 1440), step=step)).threshold
            self.assertAlmostEqual(found, threshold, places=6)

    def test_a_span_without_data_has_none(self):
        night = sleep_reference.find(np.full((DAY, 3), np.nan))
        self.assertTrue(np.isnan(night.threshold))
        self.assertIsNone(night.in_bed)


class Blocks(unittest.TestCase):
    def test_a_night_is_found_where_it_is(self):
        night = sleep_reference.find(span((660, 1110)))
        self.assertAlmostEqual(night.in_bed.start / 60, 660, delta=1)
        self.assertAlmostEqual(night.in_bed.end / 60, 1110, delta=1)

    def test_a_spell_lasts_over_half_an_hour(self):
        self.assertEqual(blocks(span((600, 629))), [])
        self.assertEqual(blocks(span((600, 631))), [(600, 631)])

    def test_exactly_half_an_hour_is_not_over_it(self):
        still = np.zeros(1000, bool)
        still[100:100 + sleep_reference.SPELL] = True
        self.assertEqual(sleep_reference.spells(still), [])
        still[99] = True
        self.assertEqual(sleep_reference.spells(still), [(99, 460)])

    def test_gaps_of_under_an_hour_are_bridged(self):
        self.assertEqual(blocks(span((600, 780), (839, 1000))), [(600, 1000)])
        self.assertEqual(blocks(span((600, 780), (841, 1000))), [(600, 780), (841, 1000)])

    def test_exactly_an_hour_is_not_under_it(self):
        self.assertEqual(sleep_reference.joined([(0, 400), (1120, 1500)]), [(0, 400), (1120, 1500)])
        self.assertEqual(sleep_reference.joined([(0, 400), (1119, 1500)]), [(0, 1500)])

    def test_stillness_of_half_an_hour_or_less_bridges_nothing(self):
        # Two gaps of 50 min around 20 still minutes are one of two hours.
        self.assertEqual(len(blocks(span((500, 650), (700, 720), (770, 900)))), 2)

    def test_the_longest_block_is_the_time_in_bed(self):
        night = sleep_reference.find(span((100, 200), (660, 1000), (1200, 1300)))
        self.assertEqual(len(night.blocks), 3)
        self.assertAlmostEqual(night.in_bed.start / 60, 660, delta=1)

    def test_a_day_of_movement_has_none(self):
        self.assertIsNone(sleep_reference.find(span()).in_bed)


class Wear(unittest.TestCase):
    def test_time_not_worn_is_not_still(self):
        samples, worn = span((100, 500), (700, 1000)), np.ones(DAY, bool)
        worn[100 * MINUTE:500 * MINUTE] = False
        self.assertEqual(blocks(samples, worn), [(700, 1000)])

    def test_time_without_data_is_as_time_not_worn(self):
        samples, worn = span((100, 500), (700, 1000)), np.ones(DAY, bool)
        worn[300 * MINUTE:420 * MINUTE] = False
        masked = blocks(samples, worn)
        samples[300 * MINUTE:420 * MINUTE] = np.nan
        self.assertEqual(blocks(samples), masked)
        self.assertEqual(masked, [(100, 300), (420, 500), (700, 1000)])


class Nights(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, *rows, samples=None, header=",".join(sleep_nights.COLUMNS)):
        (self.folder / "nights.csv").write_text("\n".join([header, *rows]) + "\n")
        counts = np.round((span((660, 1110)) if samples is None else samples) * 4000)
        counts = np.where(np.isfinite(counts), counts, sleep_nights.NO_DATA).astype("<i2")
        for row in rows:
            counts.tofile(self.folder / f"{row.split(',')[0]}.bin")

    def run_with(self, *arguments):
        output, errors = io.StringIO(), io.StringIO()
        with mock.patch("sys.argv", ["sleep_nights.py", str(self.folder), *arguments]), \
                contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = sleep_nights.main()
        return status, output.getvalue() + errors.getvalue()

    def test_edges_within_five_minutes_are_close(self):
        self.write("n1,7,39600,66600,39720,66480,400,401", "n2,8,39600,66600,39000,66600,400,410")
        status, text = self.run_with("--check", "0.5")
        self.assertEqual(status, 0, text)
        self.assertIn("2 nights; both edges within 5 min of the reference: 50.0%", text)
        self.assertIn("night n2, seed 8: 11.00 to 18.50, 10.83 to 18.50, 11.", text)
        status, text = self.run_with("--check", "0.51")
        self.assertEqual(status, 1)
        self.assertIn("fewer than 51.0%", text)

    def test_a_night_that_only_one_finds_is_not_close(self):
        self.write("n1,7,39600,66600,,,,401")
        status, text = self.run_with("--check", "0.01")
        self.assertEqual(status, 1)
        self.assertIn("only by the agent in 1", text)
        self.assertIn("11.00 to 18.50, none, 11.", text)

    def test_no_night_where_there_is_none_is_right(self):
        self.write("n1,7,,,,,,0", samples=np.full((DAY, 3), np.nan))
        status, text = self.run_with("--check", "1")
        self.assertEqual(status, 0, text)
        self.assertIn("by both in 1", text)

    def test_quarters_of_a_milli_g_are_read(self):
        self.write("n1,7,,,,,,0", samples=np.tile([0.25, np.nan, -1], (DAY, 1)))
        self.assertTrue(np.isnan(sleep_nights.samples(self.folder / "n1.bin")).all())
        self.write("n1,7,,,,,,0", samples=np.tile([0.25, 0, -8], (DAY, 1)))
        self.assertEqual(sleep_nights.samples(self.folder / "n1.bin")[0].tolist(), [0.25, 0, -8])

    def test_broken_files_are_named(self):
        self.write("n1,7,a,66600,,,,401")
        status, text = self.run_with()
        self.assertEqual(status, 65)
        self.assertIn("nights.csv:2: could not convert", text)
        self.write("n1,7,39600,66600,,,,401")
        (self.folder / "n1.bin").write_bytes(b"12345")
        self.assertIn("n1.bin: 5 bytes instead of 103680", self.run_with()[1])
        self.write("n1,7", header="night,seed")
        self.assertIn("nights.csv:1: the columns must be night,seed,bed_s", self.run_with()[1])


if __name__ == "__main__":
    unittest.main()
