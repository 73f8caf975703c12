"""The figures of accuracy.py, from made-up output of `anicca-lab evaluate --json`."""

import json
import pathlib
import tempfile
import unittest

import accuracy


def row(stationary=0, walking=0, running=0, automotive=0, unknown=0):
    return dict(stationary=stationary, walking=walking, running=running, automotive=automotive, unknown=unknown)


OBJECTS = [
    {"kind": "recording", "rec": "desk", "dataset": "wrist_steps", "class": "stationary",
     "windows": {"stationary": row(stationary=96, walking=3, running=1)}},
    {"kind": "recording", "rec": "short", "dataset": "wrist_steps", "class": "stationary", "windows": {}},
    {"kind": "window-matrix", "truth": "other", **row(unknown=3, stationary=1)},
    {"kind": "recall", "truth": "automotive", "recall": 0.8, "recordings": 4, "majorityRight": 3},
    {"kind": "dataset", "name": "a", "windows": 30, "macroF1": 0.7,
     "automotive": {**row(automotive=30), "recordings": 2, "majorityRight": 2}},
    {"kind": "dataset", "name": "b", "windows": 30, "macroF1": 0.9,
     "automotive": {**row(automotive=30), "recordings": 2, "majorityRight": 1}},
    {"kind": "dataset", "name": "tiny", "windows": 19, "macroF1": 0.1, "walking": row(walking=19)},
    {"kind": "dataset", "name": "only other", "windows": 100, "other": row(unknown=100)},
    {"kind": "steps", "dataset": "oxford_steps_opt", "true": 100, "counted": 90, "pulses": 110, "credited": 100},
    {"kind": "steps", "dataset": "oxford_steps_opt", "true": 100, "counted": 102, "pulses": 130, "credited": 100},
    {"kind": "stepErrors", "dataset": "oxford_steps_opt", "counted": {"absolute": 0.06}},
    {"kind": "falseSteps", "dataset": "wrist_steps", "class": "automotive", "hours": 0.5, "counted": 4, "pulses": 9,
     "credited": 5},
    {"kind": "falseSteps", "dataset": "x", "class": "rail", "hours": 0.5, "counted": 1, "pulses": 9, "credited": 5},
    {"kind": "falseSteps", "dataset": "y", "class": "rail", "hours": 1.5, "counted": 5, "pulses": 9, "credited": 5},
    {"kind": "summary", "macroF1": 0.8},
]
MEASURES = {measure.name: measure for measure in accuracy.MEASURES}


class AccuracyTests(unittest.TestCase):
    def setUp(self):
        self.evaluation = accuracy.Evaluation([json.dumps(one) for one in OBJECTS])
        self.evaluations = dict.fromkeys(accuracy.COLUMNS, self.evaluation)

    def cell(self, name):
        return MEASURES[name].cell(self.evaluation)

    def test_a_figure_has_its_spread_over_data_sets_with_enough_windows(self):
        self.assertEqual(self.cell("macro_f1"), "0.800 (0.700 – 0.900)")

    def test_the_majority_is_a_share_of_recordings(self):
        self.assertEqual(self.cell("automotive_majority"), "75.0 % (50.0 % – 100.0 %)")

    def test_the_corpus_counts_each_recording_of_acceleration_once(self):
        rows = ["a,r1,p1,walking,1800", "a,r1,p1,walking,1800", "b,r1,p2,other,5400", "b,r2,p2,sleep,9000"]
        with tempfile.TemporaryDirectory(prefix="anicca-accuracy-") as folder:
            index = pathlib.Path(folder) / "index.csv"
            index.write_text("\n".join(["dataset,rec,subject,class,duration_s", *rows]) + "\n", encoding="utf-8")
            self.assertEqual(accuracy.corpus(index), {"datasets": 2, "recordings": 2, "people": 2, "hours": 2})

    def test_running_at_a_desk_is_walking_too(self):
        self.assertEqual(self.cell("desk_walking"), "4.0 %")

    def test_step_errors_have_their_spread_over_recordings(self):
        self.assertEqual(self.cell("steps_oxford"), "6.0 % (2.0 % – 10.0 %)")

    def test_false_steps_are_per_hour_of_all_that_fits(self):
        self.assertEqual(self.cell("false_steps_drive"), "8")
        self.assertEqual(self.cell("false_steps_rail"), "3")

    def test_what_others_were_called_is_a_share(self):
        self.assertEqual(self.cell("other_stationary"), "25.0 %")

    def test_what_was_not_measured_is_a_dash(self):
        self.assertEqual(self.cell("steps_wrist"), "–")

    def test_the_table_has_a_row_for_each_measure_with_a_value(self):
        rows = accuracy.table(self.evaluations)
        found = [measure for measure in accuracy.MEASURES if measure.value(self.evaluation) is not None]
        self.assertEqual([row[0] for row in rows[1:]], [measure.title for measure in found])
        self.assertLess(len(found), len(accuracy.MEASURES))
        self.assertEqual(len(set(map(len, rows))), 1)

    def test_a_data_set_without_an_activity_has_a_dash_there(self):
        rows = accuracy.datasets_table(self.evaluation)
        self.assertEqual(len(rows), 1 + 4)
        self.assertEqual(len(set(map(len, rows))), 1)
        self.assertEqual(rows[-1][:3], ["`only other`", 100, "–"])

    def test_figures_beyond_their_limits_are_named_either_way(self):
        limits = {"dataset": {"macro_f1": 0.8, "false_steps_drive": 8}}
        self.assertEqual(accuracy.excess(self.evaluations, limits), [])
        limits = {"dataset": {"macro_f1": 0.81, "false_steps_drive": 7}}
        lines = accuracy.excess(self.evaluations, limits)
        self.assertEqual(len(lines), 2)
        self.assertIn("is 0.800, its limit is 0.810", lines[0])

    def test_a_figure_that_is_missing_is_beyond_its_limit(self):
        self.assertIn("has no value", accuracy.excess(self.evaluations, {"person": {"steps_wrist": 0.05}})[0])

    def test_of_a_household_the_duty_cycle_counts_a_share(self):
        replayed = [
            {"kind": "window", "tMs": 0},
            {"kind": "summary", "steps": 90, "minutes": {"walking": 6, "unknown": 54}, "imuOnFraction": 0.25, "wakeUps": 100},
            {"kind": "summary", "steps": 60, "minutes": {"walking": 30, "unknown": 30}, "imuOnFraction": 0.75, "wakeUps": 300}]
        gapless = [{"kind": "summary", "steps": 100}, {"kind": "summary", "steps": 100}]
        household = accuracy.Household("body", map(json.dumps, replayed), map(json.dumps, gapless))
        self.assertEqual(household.share, 0.75)
        row = ["body", 2, 200, 150, "75.0 %", "50.0 %", "200"]
        self.assertEqual(list(map(str, household.row())), list(map(str, row)))
        self.assertEqual(len(row), len(accuracy.HOUSEHOLD_TITLES))

    def test_every_limit_is_of_a_measure(self):
        for of_column in accuracy.LIMITS.values():
            self.assertLessEqual(set(of_column), set(MEASURES))


if __name__ == "__main__":
    unittest.main()
