#!/usr/bin/env python3
"""Sets what `anicca-lab evaluate` finds beside its targets and prints the tables of docs/accuracy.md; with RECORD=1 it records them.

Usage: accuracy.py PROGRAM TRAINING
       PROGRAM is anicca-lab, TRAINING the folder that `make train` leaves: recordings, held-out models, made-up households.

The recordings are judged three times: by models that have not seen the recording's data set, by models that have not
seen its wearer, and by the model of the device, which has seen all. Nothing is trained.
Figures beyond LIMITS are named, and the exit status is 1 when there are any.
"""

import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import subprocess
import sys
from dataclasses import dataclass
from typing import Callable

import record

# The recordings themselves are not part of the project.
INPUTS = [*record.PROGRAMS, "Training", "scripts/accuracy.py", "scripts/train.sh"]

# The title of each column of the table, by the data that the models have not seen; the shipped one has seen all.
COLUMNS = {"dataset": "data set never seen", "person": "people never seen", "shipped": "as shipped"}

# The limits that every change must meet, somewhat looser than the measured figures; targets are in MEASURES.
LIMITS = {
    "dataset": {
        "macro_f1": 0.90, "rest_against_foot": 0.974, "automotive_majority": 0.9, "automotive": 0.82, "walking": 0.915, "high_share": 0.75,
        "high_right": 0.985, "desk_walking": 0.02, "steps_oxford": 0.03, "steps_wrist": 0.03, "steps_ipol": 0.95,
        "steps_weallwalk": 0.06, "false_steps_desk": 5, "false_steps_drive": 10, "false_steps_teeth": 150, "false_steps_clapping": 600, "pulses_oxford": 0.05,
        "pulses_drive": 10,
    },
    "person": {
        "macro_f1": 0.92, "rest_against_foot": 0.974, "automotive": 0.82, "walking": 0.925, "high_right": 0.985, "false_steps_teeth": 50,
        "steps_pebble": 0.05, "steps_pebble_off": 2, "false_steps_hands": 25, "false_steps_waving": 250, "false_steps_sweeping": 550,
        "false_steps_clapping": 330, "false_steps_desk": 5, "pulses_drive": 10,
    },
    "shipped": {
        "macro_f1": 0.94, "walking": 0.925, "steps_oxford": 0.03, "steps_wrist": 0.03, "steps_ipol": 0.95,
        "false_steps_drive": 10, "false_steps_teeth": 50, "false_steps_clapping": 300, "pulses_drive": 10, "automotive": 0.93,
    },
}

# Of the steps that gapless sampling counts in made-up households, those that the duty cycle counts.
LEAST_DUTY_CYCLED = 0.9

FOUR = ["stationary", "walking", "running", "automotive"]
ANSWERS = FOUR + ["unknown"]
# The data sets in which people did as they liked; in the others somebody told them what to do.
FREE = {"mlqs_andras", "toetsie", "transport_bk", "transport_g67", "transport_giray", "transport_mlqs25", "twristar",
        "wrist_steps", "driver_behavior"}
# A data set with fewer windows of the four activities tells nothing about its kind.
LEAST_WINDOWS = 20


class Evaluation:
    """The output of `anicca-lab evaluate --json`. Figures that the recordings do not have are None."""

    def __init__(self, lines):
        self.objects = [json.loads(line) for line in lines if line]

    def all(self, kind, **where):
        return [
            found for found in self.objects
            if found["kind"] == kind and all(found.get(key) == value for key, value in where.items())]

    def figure(self, kind, *path, **where):
        """A figure of the first object that fits; `path` leads to it."""
        found = next(iter(self.all(kind, **where)), None)
        return dig(found, path)

    def by_dataset(self, *path):
        """The figure in every data set that has enough windows of the four activities."""
        figures = [dig(found, path) for found in self.all("dataset") if four_windows(found) >= LEAST_WINDOWS]
        return [figure for figure in figures if figure is not None]


def dig(found, path):
    for key in path:
        found = found.get(key) if found is not None else None
    return found


def four_windows(dataset):
    return sum(dataset[truth].get(answer, 0) for truth in FOUR if truth in dataset for answer in ANSWERS)


def ratio(part, whole):
    return part / whole if whole else None


def summary(name):
    return lambda evaluation: evaluation.figure("summary", name)


def calibration(name, over):
    return lambda evaluation: evaluation.figure("calibration", name, over=over, confidence="high")


def recall(truth):
    return lambda evaluation: evaluation.figure("recall", "recall", truth=truth)


def majority(truth):
    def share(evaluation):
        right = evaluation.figure("recall", "majorityRight", truth=truth)
        return ratio(right, evaluation.figure("recall", "recordings", truth=truth))
    return share


def majorities(truth):
    """The same by data set."""
    def shares(evaluation):
        found = [dataset[truth] for dataset in evaluation.all("dataset") if truth in dataset]
        return [ratio(one["majorityRight"], one["recordings"]) for one in found]
    return shares


def other_called(answer):
    def share(evaluation):
        row = next(iter(evaluation.all("window-matrix", truth="other")), {})
        return ratio(row.get(answer, 0), sum(row.get(one, 0) for one in ANSWERS))
    return share


def desk_called_walking(evaluation):
    """Of the windows of an hour at a desk, those on foot."""
    rows = [dig(one, ("windows", "stationary")) for one in evaluation.all(
        "recording", dataset="wrist_steps", **{"class": "stationary"})]
    on_foot = sum(row["walking"] + row["running"] for row in rows if row)
    return ratio(on_foot, sum(row[answer] for row in rows if row for answer in ANSWERS))


def step_error(dataset, counted):
    return lambda evaluation: evaluation.figure("stepErrors", counted, "absolute", dataset=dataset)


def step_errors(dataset, counted):
    """The same by recording."""
    def errors(evaluation):
        found = evaluation.all("steps", dataset=dataset)
        return [abs(one[counted] - one["true"]) / one["true"] for one in found]
    return errors


def false_steps(counted, **where):
    """Per hour, over all recordings without steps that fit."""
    def per_hour(evaluation):
        found = evaluation.all("falseSteps", **where)
        return ratio(sum(one[counted] for one in found), sum(one["hours"] for one in found))
    return per_hour


def labelled_steps(counted, *words):
    """False steps per hour, over the recordings of other activities whose label has one of the words."""
    def per_hour(evaluation):
        found = [one for one in evaluation.all("recording", **{"class": "other"})
                 if any(word in one["label"].lower() for word in words)]
        return ratio(sum(one[counted] for one in found), sum(one["hours"] for one in found))
    return per_hour


def far_off(dataset, share):
    """How many recordings' steps are off by more than this share."""
    def number(evaluation):
        found = evaluation.all("steps", dataset=dataset)
        return sum(abs(one["counted"] - one["true"]) > share * one["true"] for one in found) if found else None
    return number


def labelled_windows(truth, dataset, word):
    """Recall over the windows of the recordings of a data set whose label has the word."""
    def share(evaluation):
        rows = [one["windows"][truth] for one in evaluation.all("recording", dataset=dataset)
                if word in one["label"] and truth in one["windows"]]
        return ratio(sum(row[truth] for row in rows), sum(row[answer] for row in rows for answer in ANSWERS))
    return share


def total_steps(dataset):
    """Counted steps as a share of the true ones, over all recordings of the data set."""
    def share(evaluation):
        found = evaluation.figure("stepErrors", "total", dataset=dataset)
        return None if found is None else 1 + found
    return share


def by_dataset(*path):
    return lambda evaluation: evaluation.by_dataset(*path)


def decimal(value):
    return f"{value:.3f}"


def percent(value):
    return f"{100 * value:.1f} %"


def count(value):
    return f"{value:.0f}"


@dataclass
class Measure:
    name: str
    title: str
    target: str
    others: str
    value: Callable
    show: Callable
    # By data set, or by recording where the title says so: the lowest and the highest are shown.
    spread: Callable | None = None
    more_is_better: bool = True

    def cell(self, evaluation):
        value = self.value(evaluation)
        if value is None:
            return "–"
        values = self.spread(evaluation) if self.spread else []
        if len(values) < 2:
            return self.show(value)
        return f"{self.show(value)} ({self.show(min(values))} – {self.show(max(values))})"

    def is_beyond(self, value, limit):
        return value is None or (value < limit if self.more_is_better else value > limit)


DRIVES = {"dataset": "wrist_steps", "class": "automotive"}
ROAD = {"class": "automotive"}
RAIL = {"class": "rail"}
CYCLING = {"class": "cycling"}

MEASURES = [
    Measure("macro_f1", "macro-F1 of stationary, walking, running, automotive", "≥ 0.90", "0.79",
            summary("macroF1"), decimal, by_dataset("macroF1")),
    Measure("macro_f1_among_all", "the same, with other activities that are taken for them", "", "",
            summary("macroF1AmongAll"), decimal, by_dataset("macroF1AmongAll")),
    Measure("rest_against_foot", "stationary against walking, balanced accuracy: the likelier of the two",
            "≥ 98 %", "", summary("restAgainstFoot"), percent, by_dataset("restAgainstFoot")),
    Measure("stationary_walking", "the same, where any other answer is wrong too", "", "",
            summary("stationaryWalking"), percent, by_dataset("stationaryWalking")),
    Measure("automotive", "automotive, recall of windows", "≥ 93 %", "",
            recall("automotive"), percent, by_dataset("automotive", "recall")),
    Measure("automotive_majority", "automotive, majority by recording", "≥ 90 %", "72 % pocket, 58 % wrist",
            majority("automotive"), percent, majorities("automotive")),
    Measure("walking", "walking, recall of windows", "≥ 92 %", "",
            recall("walking"), percent, by_dataset("walking", "recall")),
    Measure("walking_aged", "the same, people of 77 to 95, wrist, short walks (`weda_fall`)", "≥ 80 %", "",
            labelled_windows("walking", "weda_fall", "aged"), percent),
    Measure("walking_up_and_go", "the same, up-and-go of old people, wrist (`smartfall`)", "≥ 85 %", "",
            labelled_windows("walking", "smartfall", "up and go"), percent),
    Measure("high_share", "`high` confidence, share of windows of the four", "≥ 70 %", "",
            calibration("share", "four"), percent, by_dataset("high")),
    Measure("high_right", "`high` confidence, right", "≥ 98 %", "",
            calibration("right", "four"), percent, by_dataset("highRight")),
    Measure("high_share_all", "`high` confidence, share of all windows", "", "", calibration("share", "all"), percent),
    Measure("high_right_all", "`high` confidence, right among all windows", "", "",
            calibration("right", "all"), percent),
    Measure("other_unknown", "cycling, housework, eating and the like: called unknown", "", "",
            other_called("unknown"), percent, by_dataset("other", "recall")),
    Measure("other_stationary", "the same: called stationary", "none", "",
            other_called("stationary"), percent, more_is_better=False),
    Measure("desk_walking", "an hour at a desk: windows called walking or running", "≤ 2 %", "",
            desk_called_walking, percent, more_is_better=False),
    Measure("steps_oxford", "steps, `oxford_steps_opt`: mean absolute error by recording",
            "≤ 3 %", "9.0 %, 4.4 – 8.8 %",
            step_error("oxford_steps_opt", "counted"), percent, step_errors("oxford_steps_opt", "counted"), False),
    Measure("steps_wrist", "steps, walks of `wrist_steps`", "≤ 5 %", "11.5 %, 21.9 %",
            step_error("wrist_steps", "counted"), percent, step_errors("wrist_steps", "counted"), False),
    Measure("steps_pebble", "steps, walks of `pebble`, wrist", "≤ 5 %", "7.1 %",
            step_error("pebble", "counted"), percent, step_errors("pebble", "counted"), False),
    Measure("steps_pebble_off", "the same: walks off by more than 20 %", "≤ 2", "4", far_off("pebble", 0.2), count, more_is_better=False),
    Measure("steps_ipol", "steps, `ipol_gait` (10 m, turn, 10 m): counted of the true ones", "≥ 95 %", "",
            total_steps("ipol_gait"), percent),
    Measure("steps_weallwalk", "steps, `weallwalk` (canes, guide dogs): mean absolute error by recording", "", "",
            step_error("weallwalk", "counted"), percent, step_errors("weallwalk", "counted"), False),
    Measure("false_steps_clapping", "false steps per hour of clapping, wrist", "≤ 150", "5,031",
            labelled_steps("counted", "clapping"), count, more_is_better=False),
    Measure("false_steps_teeth", "false steps per hour of brushing teeth, wrist", "≤ 50", "1,414",
            labelled_steps("counted", "teeth"), count, more_is_better=False),
    Measure("false_steps_desk", "false steps per hour of typing and writing, wrist", "none", "48, 39",
            labelled_steps("counted", "typing", "writing"), count, more_is_better=False),
    Measure("false_steps_hands", "false steps per hour of seated hands, wrist (`ha24`)", "≤ 10", "194",
            false_steps("counted", dataset="ha24"), count, more_is_better=False),
    Measure("false_steps_waving", "false steps per hour of waving, wrist", "≤ 150", "2,188",
            labelled_steps("counted", "waving"), count, more_is_better=False),
    Measure("false_steps_sweeping", "false steps per hour of sweeping, wrist (some are true)", "≤ 500", "2,001",
            labelled_steps("counted", "sweeping"), count, more_is_better=False),
    Measure("false_steps_drive", "false steps per hour of driving, wrist", "≤ 10", "151",
            false_steps("counted", **DRIVES), count, more_is_better=False),
    Measure("false_steps_road", "false steps per hour of car and bus, all positions", "", "",
            false_steps("counted", **ROAD), count, more_is_better=False),
    Measure("false_steps_rail", "false steps per hour of rail", "", "15, 236",
            false_steps("counted", **RAIL), count, more_is_better=False),
    Measure("false_steps_cycling", "false steps per hour of cycling", "", "",
            false_steps("counted", **CYCLING), count, more_is_better=False),
    Measure("pulses_oxford", "pulses of a plain threshold, credited: `oxford_steps_opt`", "≤ 5 %", "",
            step_error("oxford_steps_opt", "credited"), percent, step_errors("oxford_steps_opt", "credited"), False),
    Measure("pulses_oxford_raw", "the same, raw", "", "",
            step_error("oxford_steps_opt", "pulses"), percent, step_errors("oxford_steps_opt", "pulses"), False),
    Measure("pulses_wrist", "pulses of a plain threshold, credited: walks of `wrist_steps`", "≤ 5 %", "",
            step_error("wrist_steps", "credited"), percent, step_errors("wrist_steps", "credited"), False),
    Measure("pulses_wrist_raw", "the same, raw", "", "",
            step_error("wrist_steps", "pulses"), percent, step_errors("wrist_steps", "pulses"), False),
    Measure("pulses_drive", "false pulses credited per hour of driving, wrist", "≤ 10", "",
            false_steps("credited", **DRIVES), count, more_is_better=False),
    Measure("pulses_drive_raw", "the same, raw", "", "535 – 1199 a drive",
            false_steps("pulses", **DRIVES), count, more_is_better=False),
]


def table(evaluations):
    rows = [["", "target", "others", *COLUMNS.values()]]
    for measure in MEASURES:
        cells = [measure.cell(evaluations[column]) for column in COLUMNS]
        # Figures of recordings that are not there.
        if set(cells) != {"–"}:
            rows.append([measure.title, measure.target, measure.others, *cells])
    return rows


def datasets_table(evaluation):
    """Recall of windows, and precision at high confidence, by data set."""
    figures = [(truth, "recall") for truth in FOUR + ["other"]] + [("high",), ("highRight",)]
    rows = [["data set", "windows", *FOUR, "other: unknown", "`high`", "right"]]
    for dataset in evaluation.all("dataset"):
        values = [dig(dataset, path) for path in figures]
        rows.append([f"`{dataset['name']}`", dataset["windows"], *("–" if value is None else percent(value) for value in values)])
    return rows


def steps_table(datasets):
    """Errors of the steps by recording, in all, by bout, and by the time of each."""
    rows = [["data set", "recordings", "by recording", "worst", "all steps", "bouts", "by bout", "F1 of step times"]]
    for one in datasets:
        figures = [dig(one, ("counted", "absolute")), dig(one, ("counted", "worst")), one["total"]]
        timed = [one["bouts"], percent(one["byBout"]), decimal(one["f1"])] if "f1" in one else ["–"] * 3
        rows.append([f"`{one['dataset']}`", one["recordings"], *map(percent, figures), *timed])
    return rows


def ways_table(evaluation):
    """Recall of windows where people did as they liked, and where somebody told them what to do."""
    rows = [["", "windows", *FOUR, "other: unknown"]]
    for title, is_member in (("free-living", lambda name: name in FREE), ("scripted", lambda name: name not in FREE)):
        found = [one for one in evaluation.all("dataset") if is_member(one["name"])]
        cells = [sum(one["windows"] for one in found)]
        for truth, answer in zip(FOUR + ["other"], ANSWERS):
            answers = [one[truth] for one in found if truth in one]
            share = ratio(sum(a[answer] for a in answers), sum(a[b] for a in answers for b in ANSWERS))
            cells.append("–" if share is None else percent(share))
        rows.append([title, *cells])
    return rows


def false_steps_table(evaluations):
    """False steps an hour by what people did, in the data sets' words."""
    rows = [["false steps an hour", "hours", *COLUMNS.values(), "pulses", f"credited, {COLUMNS['person']}"]]
    for title, is_member in WITHOUT_STEPS.items():
        figures = {}
        for column in COLUMNS:
            found = [one for one in evaluations[column].all("recording") if is_member(one)]
            hours = sum(one["hours"] for one in found)
            figures[column] = {name: ratio(sum(one[name] for one in found), hours) or 0 for name in ("counted", "pulses", "credited")}
        rows.append([title, f"{hours:.1f}", *(count(figures[column]["counted"]) for column in COLUMNS), count(figures["person"]["pulses"]),
                     count(figures["person"]["credited"])])
    return rows


class Household:
    """What `anicca-lab replay --json` counts in the made-up households of a place, with the duty cycle and without a gap."""

    def __init__(self, place, duty_cycled, gapless):
        self.place = place
        self.duty_cycled = summaries(duty_cycled)
        self.gapless = summaries(gapless)

    @property
    def share(self):
        return ratio(sum(one["steps"] for one in self.duty_cycled), sum(one["steps"] for one in self.gapless))

    def row(self):
        hours = sum(sum(one["minutes"].values()) for one in self.duty_cycled) / 60
        on = sum(one["imuOnFraction"] for one in self.duty_cycled) / len(self.duty_cycled)
        counts = [sum(one["steps"] for one in found) for found in (self.gapless, self.duty_cycled)]
        return [self.place, len(self.duty_cycled), *counts, percent(self.share), percent(on),
                count(sum(one["wakeUps"] for one in self.duty_cycled) / hours)]


HOUSEHOLD_TITLES = ["", "recordings", "gapless", "duty-cycled", "share", "IMU on", "wake-ups an hour"]


def summaries(lines):
    return [one for one in map(json.loads, lines) if one["kind"] == "summary"]


def replay_households(program, training):
    """The made-up households on the body and at the wrist, replayed by the shipped model."""
    def run(place, *options):
        folders = [training / "household", *sorted((training / "households").iterdir())]
        files = [file for folder in folders for file in sorted((folder / f"household_{place}").glob("*.csv.gz"))]
        return lines(program, "replay", *options, *files)

    return [Household(place, run(place), run(place, "--continuous")) for place in ("body", "wrist")]


def labelled(*words):
    return lambda one: one["class"] == "other" and any(word in one["label"].lower() for word in words)


WITHOUT_STEPS = {
    "typing, writing": labelled("typing", "writing"), "eating, drinking, pouring, phoning": labelled("eat", "drink", "pour", "phone", "call"),
    "folding clothes": labelled("folding"), "brushing teeth": labelled("teeth"), "clapping": labelled("clapping"),
    "playing catch": labelled("catch"), "kicking a ball": labelled("kicking"), "dribbling a ball": labelled("dribbl"),
    "combing hair": labelled("comb"), "doors, knocking, hands up": labelled("door", "hit table", "hands up"), "cycling": lambda one: one["class"] == "cycling"}


def excess(evaluations, limits):
    """A line for every figure that is beyond its limit, or missing."""
    lines, measures = [], {measure.name: measure for measure in MEASURES}
    for column, of_column in limits.items():
        for name, limit in of_column.items():
            measure = measures[name]
            value = measure.value(evaluations[column])
            if measure.is_beyond(value, limit):
                found = "has no value" if value is None else f"is {measure.show(value)}"
                lines.append(f"{measure.title} ({COLUMNS[column]}) {found}, its limit is {measure.show(limit)}")
    return lines


def corpus(index):
    """The recordings of acceleration that the index lists, each once."""
    with open(index, newline="") as file:
        rows = {(row["dataset"], row["rec"]): row for row in csv.DictReader(file) if row["class"] != "sleep"}.values()
    return {
        "datasets": len({row["dataset"] for row in rows}), "recordings": len(rows), "people": len({row["subject"] for row in rows}),
        "hours": round(sum(float(row["duration_s"]) for row in rows) / 3600)}


def lines(program, command, *words):
    """The lines that a command of `anicca-lab` prints as JSON."""
    done = subprocess.run([program, command, "--json", *words], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"accuracy: 'anicca-lab {command}' ended with status {done.returncode}; see its message above")
    return done.stdout.splitlines()


def evaluate(program, training):
    """The evaluations of the columns and of the household, as many at a time as there are processors."""
    def run(column):
        folder = training / ("household" if column == "household" else "recordings")
        table = training / "held-out" / ("household.csv" if column == "household" else f"by-{column}.csv")
        held_out = [] if column == "shipped" else ["--held-out", table]
        return Evaluation(lines(program, "evaluate", *held_out, folder))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        columns = [*COLUMNS, "household"]
        return dict(zip(columns, pool.map(run, columns)))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("training", type=pathlib.Path)
    options = parser.parse_args()
    for name in ("recordings/index.csv", "held-out/by-dataset.csv", "held-out/by-person.csv", "held-out/household.csv", "households"):
        if not (options.training / name).exists():
            raise SystemExit(f"accuracy: no {options.training / name}; run 'make train' first")
    return options


def main():
    options = parse()
    evaluations = evaluate(options.program.resolve(), options.training)
    held_out = evaluations["dataset"]
    steps = held_out.all("stepErrors") + evaluations["household"].all("stepErrors")
    households = replay_households(options.program.resolve(), options.training)
    tables = {
        "measures": table(evaluations), "datasets": datasets_table(held_out), "ways": ways_table(held_out), "steps": steps_table(steps),
        "false_steps": false_steps_table(evaluations), "duty_cycle": [HOUSEHOLD_TITLES, *(one.row() for one in households)]}
    for rows in tables.values():
        print("\n".join("\t".join(map(str, row)) for row in rows), end="\n\n")
    values = {column: {measure.name: measure.value(evaluations[column]) for measure in MEASURES} for column in COLUMNS}
    values["corpus"] = corpus(options.training / "recordings" / "index.csv")
    record.keep("accuracy", "make train accuracy", INPUTS, tables | values)
    faults = excess(evaluations, LIMITS)
    faults += [f"of the steps in households ({one.place}) the duty cycle counts {percent(one.share)}" for one in households
               if not LEAST_DUTY_CYCLED <= one.share <= 2 - LEAST_DUTY_CYCLED]
    for fault in faults:
        print(f"accuracy: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
