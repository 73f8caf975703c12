"""What the tests of days under wrong clocks share: a world that collects, and checks of what arrived against the truth."""

import datetime
import functools
import unittest

from harness.world import DAY, HOUR, MINUTE, World, at, shown

MIDNIGHT = at("2025-01-13T00:00:00")
# When the timer has certainly fired.
NIGHT = 3 * HOUR + 45 * MINUTE
# The share of steps that may be missing: pulses outside a rhythm, as at the ends of a walk.
MISSING_STEPS = 0.01
# A walk has up to so many steps a minute, of which a kill loses one at most.
STEPS_A_MINUTE = 130
# How far sedentaryMinutes may be off: no interrupt tells here when a sitting begins and ends.
MINUTES = 30

# What `anicca status` says of the time where all is well.
NOTHING_LEFT = {
    "trusted": True, "source": "kernel", "waitingQuarters": 0, "undatedQuarters": 0, "lateQuarters": 0, "waitingEvents": 0,
    "undatedEvents": 0}


def date(day):
    """The date of a day of the life; the first is 0."""
    return shown(MIDNIGHT + day * DAY)[:10]


def seconds_between(one, other):
    first, second = (datetime.datetime.fromisoformat(text.rstrip("Z")) for text in (one, other))
    return abs((first - second).total_seconds())


@functools.cache
def usual(days=2):
    """The records and events of days in one boot with a clock that is right."""
    with World() as world:
        begin(world)
        for day in range(1, days + 1):
            world.live_until(MIDNIGHT + day * DAY + NIGHT)
            world.upload()
        return world.records(), world.events()


def begin(world, true=MIDNIGHT, wall=None, is_synchronised=True, domains=("motion", "steps")):
    """Boots the device, starts the daemon and turns domains on."""
    world.boot(true, wall, is_synchronised)
    world.start()
    for domain in domains:
        world.turn(domain, "on")


class Scenario(unittest.TestCase):
    maxDiff = None

    def world(
        self, true=MIDNIGHT, wall=None, is_synchronised=True, domains=("motion", "steps"), wearer="typical", config="",
        first_day="2025-01-13"
    ):
        world = World(wearer=wearer, config=config, first_day=first_day)
        self.enterContext(world)
        begin(world, true, wall, is_synchronised, domains)
        return world

    def upload_at(self, world, day, hour=NIGHT):
        world.live_until(MIDNIGHT + day * DAY + hour)
        return world.upload()

    # -- Steps

    def check_steps(self, world, *dates, lost=0, truth=None):
        """Each date has the steps of its day, or of `truth`; up to `lost` may be missing besides those outside a rhythm."""
        records = world.records()
        for name in dates:
            expected = world.truth()[name]["steps"] if truth is None else truth
            self.assertIn(name, records)
            self.assertIn("steps", records[name])
            self.assertLessEqual(records[name]["steps"], expected, name)
            self.assertGreaterEqual(records[name]["steps"], expected * (1 - MISSING_STEPS) - lost, name)
            self.assertEqual(world.history()[name]["steps"], records[name]["steps"])

    def check_minutes(self, world, *dates, delta=MINUTES):
        for name in dates:
            truth = world.truth()[name]["sedentarySeconds"] / 60
            self.assertAlmostEqual(world.records()[name]["sedentaryMinutes"], truth, delta=delta, msg=name)

    def check_minutes_of(self, world, name, *spans, delta=MINUTES):
        """The minutes of sitting in spans of true time, each from one end of a quarter to another."""
        seconds = sum(sat for start, _, sat in world.quarters() if any(a <= start < b for a, b in spans))
        self.assertAlmostEqual(world.records()[name]["sedentaryMinutes"], seconds / 60, delta=delta, msg=name)

    def check_dates(self, world, *dates):
        """Exactly these days arrived, and history has each of them as delivered."""
        self.assertEqual(sorted(world.records()), sorted(dates))
        history = world.history()
        for name in dates:
            self.assertEqual(history[name]["delivery"], "delivered", name)

    # -- Compared with a clock that is right

    def check_as_usual(self, world, days=1, with_events=True):
        """What arrived is what a clock that was right all the time gives: the same records, and events within a second. Windows
        may come at other times, which moves the ends of sitting by seconds."""
        records, events = usual()
        names = [date(day) for day in range(days)]
        arrived, sat = world.records(), "sedentaryMinutes"
        self.assertEqual(sorted(arrived), sorted(names))
        for name in names:
            self.assertAlmostEqual(arrived[name][sat], records[name][sat], delta=1, msg=name)
        self.assertEqual(arrived, {name: records[name] | {sat: arrived[name][sat]} for name in names})
        for name in names:
            self.assertEqual(world.history()[name]["delivery"], "delivered")
        if with_events:
            self.check_events(world.events(), [event for event in events if event["timestamp"][:10] in names])

    def check_usual_day(self, world, with_events=True, source="kernel"):
        """The record of the first day is what a clock that was right all the time gives, and nothing is left."""
        self.upload_at(world, 1)
        self.check_as_usual(world, with_events=with_events)
        self.check_time(world, source=source)

    def check_events(self, events, expected, within=1):
        times = sorted(event["timestamp"] for event in events)
        wanted = sorted(event["timestamp"] for event in expected)
        self.assertEqual(len(times), len(wanted), (times, wanted))
        for time, want in zip(times, wanted):
            self.assertLessEqual(seconds_between(time, want), within, (times, wanted))

    # -- What the device says

    def check_time(self, world, **expected):
        """What status says of the time is that nothing is left, but for what is named here."""
        self.assertEqual(world.time(), {**NOTHING_LEFT, **expected})

    def check_late(self, world, most):
        """So many quarters are late, but for those in which nothing was collected."""
        late = world.time()["lateQuarters"]
        self.assertTrue(most - 8 <= late <= most, late)
        self.check_time(world, lateQuarters=late)

    def check_untrusted(self, world):
        """Nobody knows the time: nothing leaves the device, and status says so."""
        before = world.records(), world.events()
        summary = world.upload()
        self.assertEqual((summary["end"], summary["dropped"]), ("timeUnknown", 0))
        self.assertEqual((world.records(), world.events()), before)
        time = world.time()
        self.assertEqual((time["trusted"], "source" in time), (False, False))
        return time
