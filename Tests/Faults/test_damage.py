"""Files of a store are damaged, in whatever part; then the daemon lives a day, and what is left is delivered.

Nothing that is not true arrives, each day arrives once at most, no program crashes, and what is lost is told.
"""

import concurrent.futures
import functools
import json
import re
import sqlite3
import unittest

from harness import PROGRAMS, world
from harness.behaviours import nudge, status
from damage import DAMAGES, Nothing, Rows
from harness.device import CRASHES, DAYS, Device, run
from harness.scenario import MIDNIGHT, NIGHT
from harness.server import Server
from harness.world import DAY, HOUR, MINUTE, SECOND, shown
from test_server import truth
from trials import IS_HALF, IS_WHOLE, ONLY, FaultTest


WORKERS = 2
CASES = 2400
SAMPLED_CASES = 130 if IS_HALF else 260
LAST_DAY = shown(MIDNIGHT + DAYS * DAY)[:10]
# Of the day that is under way a restart loses a minute of pulses, and some of what was undecided.
MARGINS = {"steps": (250, 0), "sedentaryMinutes": (30, 30)}
TOLD = re.compile(r"(warning|error|critical|alert|emergency):|errno|no space|cannot|damaged|broken|there is no|not signed in")


# Where nothing is missing, nothing has to be told of what a running daemon has written anew since (its state, an event and a record when
# they are sent, a day until it is final), nor of what is read no more: quarters of days that are final, and the state of the last
# commit beside the newer one in /run, and an event that was sent before the daemon starts. These are limits that docs/decisions/0029 names.
NOT_THERE_OR_NOT_READ = re.compile(r"running: .*\b(boot|history|outbox)\b|.*\b(moment|quarter|checkpoint)\b")


class Life:
    """A device that is damaged and lives on for a day."""

    def __init__(self, server, device):
        self.server, self.device = server, device
        self.codes = []
        self.said = ""

    def start(self):
        """Starts the daemon; if it does not stay, once more, as systemd does."""
        for _ in range(2):
            try:
                self.device.start()
                return
            except AssertionError:
                self.note_end()

    def note_end(self):
        if self.device.daemon.poll() is None:
            raise AssertionError(f"the daemon hangs:\n{self.device.log[-600:]}")
        code = self.device.daemon.returncode
        self.codes.append(code)
        assert -code not in set(map(int, CRASHES)), f"the daemon ended by signal {-code}:\n{self.device.log[-600:]}"
        assert self.device.log.strip(), f"the daemon ended with {code} and no message"
        self.device.daemon = None

    def live_until(self, true):
        try:
            self.device.live_until(true)
        except AssertionError:
            self.note_end()
            self.start()
            self.device.live_until(true)

    def upload(self, runs=2):
        for number in range(runs):
            if number and self.device.daemon:
                # A daemon that time leaps past in the middle of a window would rightly tell that it lost it.
                self.live_until(self.device.true + 2 * HOUR)
            elif number:
                self.device.advance(2 * HOUR / SECOND)
            ended = self.device.upload()
            self.codes.append(ended.code)
            self.said += ended.err

    def finish(self):
        """Has the rest of the store used, too."""
        for words in (("status",), ("days",), ("audit", "--verify")):
            ended = run([PROGRAMS / "anicca", *words, "--config", self.device.config], self.device.environment())
            ended.check()
            self.codes.append(ended.code)
            self.said += ended.err
        self.said += self.device.log_path.read_text(errors="replace") if self.device.log_path.exists() else ""

    @property
    def is_told(self):
        return bool(TOLD.search(self.said)) or any(code not in (0, 75) for code in self.codes)


def live(random, damage):
    """Damages a device at one of three moments, and lives on; returns the life and what was done."""
    with Server() as server, Device(server.address, begins=random.choice(("shut", "cut"))) as device:
        life = Life(server, device)
        when = random.choice(("off", "off", "delivered", "running"))
        if when == "delivered":
            device.upload()
        if when == "running":
            life.start()
            life.live_until(MIDNIGHT + DAYS * DAY + 12 * HOUR)
        done = damage(device, random)
        if when != "running":
            if random.random() < 0.3:
                life.upload(1)
            life.start()
        life.live_until(MIDNIGHT + (DAYS + 1) * DAY + NIGHT)
        life.upload()
        if when == "running":
            # What a daemon does not read is found at its next start.
            device.shut_down()
            life.start()
        life.finish()
        return life, f"{when}: {done}"


@functools.cache
def whole():
    """What arrives from devices that nothing happened to: by name the bodies, those of the last day in all their forms."""
    bodies = {}
    for begins in ("shut", "cut"):
        for is_running in (False, True):
            with Server() as server, Device(server.address, begins=begins) as device:
                life = Life(server, device)
                life.start()
                if is_running:
                    life.live_until(MIDNIGHT + DAYS * DAY + 12 * HOUR)
                life.live_until(MIDNIGHT + (DAYS + 1) * DAY + NIGHT)
                life.upload()
                life.finish()
                assert not life.is_told, f"undisturbed, it tells: {life.codes} {life.said}"
                for name, body in server.table.bodies().items():
                    bodies.setdefault(name, body)
    return bodies


def check_true(server):
    """Each figure is the truth or absent; nothing came twice, or with other bytes under its key."""
    assert not server.table.wrongs, server.table.wrongs[0]
    for name, body in server.table.bodies().items():
        true = whole().get(name)
        if "eventType" in body:
            assert true is not None or name[2] > LAST_DAY, f"an event that never was: {json.dumps(body)}"
            continue
        assert true is not None, f"a day that never was: {json.dumps(body)}"
        for field, value in body.items():
            less, more = MARGINS.get(field, (0, 0)) if body["date"] == LAST_DAY else (0, 0)
            is_true = value == true.get(field) or (less and true[field] - less <= value <= true[field] + more)
            assert is_true, f"{field} of {body['date']} came as {value}, true is {true.get(field)}"


def missing(server):
    """What did not arrive of the days that were over when it happened: names, and fields."""
    bodies = server.table.bodies()
    absent = []
    for key in truth():
        path, body = truth()[key]
        body = json.loads(body)
        name = (path, body["date"]) if "date" in body else (path, body["eventType"], body["timestamp"])
        if "eventType" in body:
            absent += [" ".join(name[1:])] if name not in bodies else []
        else:
            absent += [f"{field} of {name[1]}" for field in body if field not in bodies.get(name, {})]
    return absent


#: What is done to the rows of alarms (1) and nudges (2). `older` holds them as they were before the last alarm was set.
BOOKS = {
    "changed": "UPDATE book SET sealed = CAST(x'00' || sealed AS BLOB) WHERE id = {id}",
    "longer": "UPDATE book SET sealed = CAST(sealed || x'00' AS BLOB) WHERE id = {id}",
    "swapped": "UPDATE book SET sealed = (SELECT other.sealed FROM book other WHERE other.id = 3 - book.id)",
    "deleted": "DELETE FROM book WHERE id = {id}",
    "older": "REPLACE INTO book SELECT * FROM older WHERE id = {id}",
    "of another consent": "UPDATE book SET consent = consent + 1 WHERE id = {id}",
}
PLAYED = re.compile(r"alarm (\d+) \(custom\) is played")


def live_with_alarms(sql, is_running):
    """A device with two alarms a day and a nudge, whose rows are changed; it lives on for a day."""
    with Server() as server, Device(server.address) as device:
        life = Life(server, device)
        life.start()
        device.turn("alarm", "on")
        device.run("anicca", "alarm", "add", "custom", "13:00")
        server.misbehave(otherwise=status(200, body=nudge("Stand up"), is_stored=True))
        device.upload()
        server.be_honest()
        with sqlite3.connect(device.directory / "ledger.sqlite") as database:
            database.execute("CREATE TABLE older AS SELECT * FROM book")
            assert database.execute("SELECT count(*) FROM older").fetchone()[0] == 2, "there are alarms and a nudge"
        device.run("anicca", "alarm", "add", "custom", "14:00")
        device.live(MINUTE)
        if not is_running:
            device.shut_down()
        with sqlite3.connect(device.directory / "ledger.sqlite") as database:
            database.execute(sql)
            database.execute("DROP TABLE older")
        database.close()
        if not is_running:
            life.start()
        life.live_until(MIDNIGHT + (DAYS + 1) * DAY + NIGHT)
        life.upload()
        if is_running:
            # What a daemon does not read is found at its next start.
            device.shut_down()
            life.start()
        life.finish()
        return life


YEAR = 365 * DAY
#: Columns in clear of rows that become too old to be kept, or another domain's: table, change, rows, and whether all is delivered before.
CLEAR_COLUMNS = (
    ("outbox", f"at = at - {YEAR}", "kind = 0", False),
    ("outbox", f"at = at - {YEAR}", "kind = 0", True),
    ("outbox", "kind = 1", "kind = 0", False),
    ("moment", "record = 2", "record = 1", False),
    ("day", "day = day - 365", "1", True),
    ("history", "day = day - 365", "1", True),
    ("history", "sample_type = 9", "sample_type = 4", True),
    ("quarter", f"start = start - {YEAR}", "start > 0", True),
    ("quarter", "sample_type = 1", "sample_type = 2", True),
)

# A record of a day that does not open may hold a figure of motion. 193 is the time for which motion was observed.
OF_MOTION = {"outbox": "1", "moment": "kind = 1", "history": "sample_type IN (5, 7, 8, 9, 10, 193)", "quarter": "sample_type = 1"}


def live_with_changed_columns(table, change, which, is_delivered):
    """A device that lives on for a day with the changed rows, delivers, and forgets motion.

    Returns the life, and how many of the rows are gone: before it forgets, and of other domains afterwards.
    """
    with Server() as server, Device(server.address, delivery="keep-undelivered = 7d") as device:
        life = Life(server, device)
        if is_delivered:
            device.upload()
        with Rows(device) as rows:
            seals = {seal for seal, in rows.database.execute(f"SELECT sealed FROM {table} WHERE {which}")}
            of_motion = {seal for seal, in rows.database.execute(f"SELECT sealed FROM {table} WHERE {OF_MOTION.get(table, 0)}")}
            rows.database.execute(f"UPDATE {table} SET {change} WHERE {which}")

        def gone(kept):
            with Rows(device) as rows:
                return len(kept - {seal for seal, in rows.database.execute(f"SELECT sealed FROM {table}")})

        life.start()
        life.live_until(MIDNIGHT + (DAYS + 1) * DAY + NIGHT)
        life.upload()
        device.shut_down()
        by_age = gone(seals)
        life.start()
        life.said += device.run("anicca", "forget", "motion", "--yes")
        # What a program finds that reads them no more is found at the next start.
        device.shut_down()
        life.start()
        life.finish()
        device.shut_down()
        return life, by_age + gone(seals - of_motion), gone(seals & of_motion) == len(seals & of_motion)


class DamageTest(FaultTest):
    suite = "damage"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        world.PATIENCE = 40
        whole()
        truth()

    def attempt(self, number, kind):
        """Returns what was done and how the three promises fared: None where one was kept, else a failure."""
        random = type(self.random)(f"{self.seed} {number}")
        damage, has_to_be_told, _ = DAMAGES[kind]
        try:
            life, done = live(random, damage)
        except Nothing:
            return None
        except AssertionError as failure:
            # What it sent and told is not known then.
            return f"{number} {kind}", failure
        untrue = untold = None
        try:
            check_true(life.server)
        except AssertionError as failure:
            untrue = failure
        if not life.is_told:
            absent = missing(life.server)
            if absent:
                untold = AssertionError(f"lost without a word: {', '.join(absent[:4])} ({len(absent)})")
            elif has_to_be_told and not NOT_THERE_OR_NOT_READ.match(done):
                untold = AssertionError("not told, although nothing is missing")
        return f"{number} {kind}, {done}", None, untrue, untold

    def test_damage_is_told_and_never_sent(self):
        kinds = list(DAMAGES)
        drawn = self.random.choices(kinds, [DAMAGES[kind][2] for kind in kinds], k=CASES if IS_WHOLE or ONLY else SAMPLED_CASES)
        cases = list(enumerate(drawn))
        if ONLY:
            cases = [case for case in cases if str(case[0]) in ONLY.split(",")]
        with self.several(("opens", "not-as-if-whole", "noticed"), "flips, cuts, swaps, deletions and older copies") as promises:
            with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
                for result in [pool.submit(self.attempt, *case) for case in cases]:
                    outcome = result.result()
                    if outcome is None:
                        continue
                    name, *failures = outcome
                    for trials, failure in zip(promises, failures):
                        with trials.one(name):
                            if failure:
                                raise failure

    def test_nothing_is_deleted_by_a_column_in_clear(self):
        with self.trials("noticed", "columns in clear that make rows too old, or of another domain") as trials:
            for case in CLEAR_COLUMNS:
                with trials.one(" ".join(map(str, case))):
                    life, gone, is_forgotten = live_with_changed_columns(*case)
                    assert not gone, f"{gone} rows are gone: {life.said[-600:]}"
                    assert is_forgotten, f"rows of motion outlive that it is forgotten: {life.said[-600:]}"
                    assert life.is_told, f"not told: {life.said[-600:]}"
                    assert case[0] != "outbox" or not missing(life.server), f"did not arrive: {missing(life.server)[:4]}"

    def test_damaged_alarms_are_told_and_cost_nothing_else(self):
        cases = [(kind, row, is_running) for kind in BOOKS for row in (1, 2) for is_running in (False, True)
                 if (kind, row) != ("older", 2)]  # It is as it was.
        with self.trials("noticed", "rows of alarms and nudges that are changed, swapped, deleted or put back") as trials:
            for kind, row, is_running in self.sample(cases, 8):
                with trials.one(f"{kind} {row} {'running' if is_running else 'off'}"):
                    life = live_with_alarms(BOOKS[kind].format(id=row), is_running)
                    check_true(life.server)
                    assert not missing(life.server), f"did not arrive: {missing(life.server)[:4]}"
                    assert re.search(r"the alarms|the nudges|\bin: .*book", life.said), f"not told: {life.said[-600:]}"
                    # A daemon that runs knows them. A start has an older book, or none.
                    is_known = is_running or (row == 2 and kind != "swapped")
                    right = ["1", "2"] if is_known else ["1"] if kind == "older" else []
                    assert PLAYED.findall(life.said) == right, f"played: {PLAYED.findall(life.said)}, not {right}"


if __name__ == "__main__":
    unittest.main()
