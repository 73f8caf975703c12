"""`make demo-fleet`: simulated devices live some days and deliver them through nginx and two receivers to PostgreSQL; each day that was sent is
compared with the rows that are found, and with the truth of the simulation. Exit status 1 on any difference.

DEVICES=200 DAYS=7 JOBS=2; the devices of a job live one after another in a process of its own.
"""

import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import night
from harness import PROGRAMS
from harness.front import trusting
from harness.processes import Failed, Process
from truth import day_row, differences, event_row, found_rows
from harness.fleet import World

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
import record  # noqa: E402  pylint: disable=wrong-import-position

INPUTS = [*record.PROGRAMS, "Tests/Fleet", "Tests/harness", "deploy/server"]
DEVICES = int(os.environ.get("DEVICES", "200"))
DAYS = int(os.environ.get("DAYS", "7"))
JOBS = int(os.environ.get("JOBS", os.cpu_count() or 1))
# As for simulated days elsewhere.
STEP_TOLERANCE = 0.02


class Cohort:
    """The devices of one job."""

    def __init__(self, world, directory, number, enrolled, first_day):
        accounts = directory / f"accounts-{number}"
        accounts.write_text("".join(" ".join(line) + "\n" for line in enrolled))
        self.out = directory / f"lived-{number}"
        # Their stores are safe from nothing but the end of this process: no disk is waited for.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else str(directory)
        with open(self.out, "wb") as out:
            self._process = Process(
                trusting(world.front.authority,
                         [PROGRAMS / "anicca-lab", "cohort", "--server", world.front.base, "--accounts", accounts, "--days", DAYS,
                          "--from", first_day, "--seed", 1 + number * 100_000]),
                directory / f"cohort-{number}.log", stdout=out, env={**os.environ, "TMPDIR": memory})

    def finish(self):
        if self._process.wait():
            raise Failed(f"anicca-lab cohort ended with {self._process.code}: {self._process.last_words()}")
        return [json.loads(line) for line in self.out.read_text().splitlines()]

    def end(self):
        self._process.kill()


def live(world, directory):
    """The lines of all devices."""
    # The last of the days is over everywhere.
    first_day = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=DAYS + 1)
    enrolled = world.enroll(night.accounts(DEVICES))
    cohorts = []
    try:
        for number in range(JOBS):
            cohorts.append(Cohort(world, directory, number, enrolled[number::JOBS], first_day))
        return [line for cohort in cohorts for line in cohort.finish()]
    finally:
        for cohort in cohorts:
            cohort.end()


def rows(lines):
    for line, body in messages(lines):
        yield day_row(line["key"], body) if "date" in body else event_row(line["key"], line["account"], body)


def shortfalls(lines):
    """How the records that were sent differ from the days that were lived: a day without its record, a figure without consent, steps that
    were not taken. How well sitting is told is the concern of other trials.
    """
    sent = {}
    for line, body in messages(lines):
        if "date" in body:
            if (line["account"], body["date"]) in sent:
                yield f"{line['account']} sent two records of {body['date']}"
            sent[line["account"], body["date"]] = body
    for line in lines:
        if line["kind"] == "device" and line["waiting"]:
            yield f"{line['device']} has {line['waiting']} records left"
        if line["kind"] == "day":
            body = sent.pop((line["account"], line["date"]), None)
            if body is None:
                yield f"{line['account']}, {line['date']}: no record"
            else:
                yield from faults_of_day(line, body)
    for account, date in sent:
        yield f"{account} sent a record of {date}, a day that it did not live"


def faults_of_day(line, body):
    where = f"{line['account']}, {line['date']}"
    for name, tolerance in (("steps", line["steps"] * STEP_TOLERANCE), ("sedentaryMinutes", None), ("snsMinutesTotal", 0)):
        if name not in line:
            if name in body:
                yield f"{where}: {name} was sent and not agreed to"
            continue
        if name not in body or tolerance is not None and abs(body[name] - line[name]) > tolerance:
            yield f"{where}: {name} is {body.get(name)}, and was {line[name]}"


def messages(lines):
    """The records that were sent, each with its line."""
    return [(line, json.loads(line["message"])) for line in lines if line["kind"] == "sent"]


def main():
    begun = time.monotonic()
    with World() as world, tempfile.TemporaryDirectory(prefix="anicca-cohort-") as directory:
        lines = live(world, pathlib.Path(directory))
        sent, found = list(rows(lines)), found_rows(world.cluster)
        wrong = [*differences(sent, found), *shortfalls(lines)]
        devices = sum(line["kind"] == "device" for line in lines)
        if devices != DEVICES:
            wrong.append(f"{devices} devices lived, not {DEVICES}")
        days = sum("date" in body for _, body in messages(lines))
        print(f"{devices} devices, {DAYS} days: {days} daily records and {len(sent) - days} events sent, {len(found)} rows found, "
              f"{len(wrong)} differences; {time.monotonic() - begun:.0f} s")
        record.keep("demo-fleet", f"make demo-fleet DEVICES={DEVICES} DAYS={DAYS}", INPUTS, {
            "devices": devices, "days": DAYS, "records": days, "events": len(sent) - days, "rows": len(found), "differences": len(wrong)})
        if world.stop_receivers() != [0, 0]:
            wrong.append("a receiver did not end with 0")
        if wrong:
            print(f"the first difference: {wrong[0]}")
            return 1
        print("Each record is there once, as it was sent, and as it was.")
        return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, subprocess.SubprocessError) as error:
        print(f"demo-fleet: {error}", file=sys.stderr)
        sys.exit(1)
