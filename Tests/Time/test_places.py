"""Fences and visits, from a gpsd that a test scripts, while the daemon lives, is killed, and is started again."""

import itertools
import os
import pathlib
import random
import shutil
import tempfile
import time
import unittest

from harness.gpsd import GREETING, HOME, east, report
from harness.opened import Opener
from harness.scenario import MIDNIGHT, Scenario
from harness.travel import Travel, Trip, fence, holds_degrees
from harness.world import DAY, HOUR, MINUTE, SECOND, World, at, shown

# Of a store's rows, those of the places of a day.
FIRST_DAY = 1_000_000
WEEK = 7 * DAY


class PlaceTest(Travel, Scenario):
    def setUp(self):
        directory = pathlib.Path(tempfile.mkdtemp(prefix="anicca-gpsd-"))
        self.addCleanup(shutil.rmtree, directory)
        self.meet(directory)
        self.addCleanup(self.gpsd.end)

    def places(self, *fences, location="", domains=("location",), **arguments):
        self.device = self.world(domains=domains, config=self.config(*fences, location=location), **arguments)
        return self.device

    def crossings(self):
        return [event for event in self.told() if not event.startswith("visit")]

    def check_untroubled(self):
        """Nothing was found to be wrong with the store."""
        self.assertEqual(self.lines("error:") + self.lines("warning:"), [])


class EventTest(PlaceTest):
    def test_a_fence_is_told_once_each_way_and_a_visit_on_arrival_without_a_coordinate(self):
        self.places(fence("home"), fence("shop", east(900)))
        self.go_on(4 * MINUTE)
        self.assertEqual(self.told(), [])
        self.go_on(3 * MINUTE)
        self.assertEqual(self.told(), ["visit home"], "on arrival, and nobody entered anything")
        self.walk(0, 900)
        self.go_on(8 * MINUTE)
        self.assertEqual(
            self.told(), ["visit home", "geofence_exited home", "geofence_entered shop", "visit shop"])
        self.walk(900, 0)
        self.go_on(8 * MINUTE)
        self.assertEqual(
            self.told()[4:], ["geofence_exited shop", "geofence_entered home", "visit home"])
        self.go_on(HOUR)
        self.assertEqual(len(self.told()), 7, "nobody moved")
        self.check_no_plain_coordinates()
        for event in self.received():
            self.assertLess(abs(at(event[0][:19]) - self.device.true), 2 * HOUR)

    def test_fences_that_one_fix_crosses_are_each_told(self):
        names = ("flat", "home", "yard")
        self.places(*map(fence, names), location="mode = geofence\ndwell = 20s")
        self.go_on(3 * MINUTE)
        self.walk(0, 400)
        self.go_on(5 * MINUTE)
        left = [f"geofence_exited {name}" for name in names]
        self.assertEqual(sorted(self.told()), left)
        self.walk(400, 0)
        self.go_on(5 * MINUTE)
        self.assertEqual(sorted(self.told()), [f"geofence_entered {name}" for name in names] + left)

    def test_a_receiver_that_reports_seldom_tells_of_crossings(self):
        for seconds in (7, 30):
            with self.subTest(seconds=seconds):
                self.here = HOME
                self.places(location="mode = geofence")
                self.says = lambda: self.truth() if self.device.true // SECOND % seconds == 0 else None
                self.go_on(10 * MINUTE)
                self.walk(0, 400)
                self.go_on(10 * MINUTE)
                self.walk(400, 0)
                self.go_on(10 * MINUTE)
                self.assertEqual(self.told(), ["geofence_exited home", "geofence_entered home"])

    def test_a_visit_ends_when_location_is_turned_off_or_the_signal_is_gone(self):
        for off in (True, False):
            with self.subTest(off=off):
                self.says = self.truth
                self.places(domains=())
                self.agree("events only")
                self.go_on(10 * MINUTE)
                self.assertEqual([left for _, _, left in self.visits()], [None], "it goes on")
                since = (self.device.true - MIDNIGHT) / MINUTE
                if off:
                    self.device.turn("location", "off")
                else:
                    self.says = lambda: None
                self.go_on(20 * MINUTE)
                (_, _, left), = self.visits()
                self.assertIsNotNone(left)
                self.assertLess(abs(left - since), 2)

    def test_the_receiver_sleeps_while_the_wearer_does_and_is_asked_again_without_the_imu(self):
        world = self.places(domains=("location", "motion"))
        self.go_on(HOUR)
        accepted = self.gpsd.accepted
        world.live(3 * HOUR)
        self.settle()
        self.assertEqual(self.gpsd.accepted, accepted, "the wearer sleeps until seven")
        world.turn("motion", "off")
        self.go_on(20 * MINUTE)
        self.assertGreater(self.gpsd.accepted, accepted)
        self.assertEqual(self.told(), ["visit home"])


class ConsentTest(PlaceTest):
    def test_nothing_is_connected_before_consent_and_all_ends_with_it(self):
        world = self.places(domains=())
        self.go_on(3 * HOUR)
        world.ask("status")
        self.restart()
        self.assertEqual(self.gpsd.accepted, 0)
        world.turn("location", "on")
        self.go_on(8 * MINUTE)
        self.walk(0, 400)
        self.go_on(30 * SECOND)
        for _ in range(90):
            self.go_on(SECOND)
            if self.gpsd.is_watched:
                break
        self.assertTrue(self.gpsd.is_watched)
        world.turn("location", "off")
        self.settle()
        self.assertEqual(self.gpsd.clients, [], "the receiver may sleep")
        accepted = self.gpsd.accepted
        self.walk(400, 0)
        self.go_on(2 * HOUR)
        self.restart()
        self.go_on(HOUR)
        self.assertEqual(self.gpsd.accepted, accepted)
        self.assertEqual(self.told(), [], "what was not sent is not sent")

    def test_without_the_scope_no_coordinate_is_stored_and_with_it_they_are(self):
        for answer, expects in (("events only", False), ("yes", True)):
            with self.subTest(answer=answer):
                self.here = HOME
                self.places(domains=())
                self.agree(answer)
                self.go_on(7 * MINUTE)
                self.walk(0, 1_200)
                self.go_on(4 * MINUTE)
                self.restart()
                self.go_on(7 * MINUTE)
                self.assertEqual(self.told(), ["visit home", "geofence_exited home", "visit"])
                if expects:
                    self.assertTrue([name for name in self.sealed_coordinates() if name.startswith("book")])
                    self.device.shut_down()
                    self.device.run("anicca", "forget", "location", "--yes")
                    self.assertEqual([name for name in self.sealed_or_nothing() if name.startswith("book")], [])
                else:
                    self.assertEqual(self.sealed_coordinates(), [])
                    self.check_no_plain_coordinates()

    def sealed_or_nothing(self):
        opener = Opener(self.device.directory / "key")
        store = opener.store(self.device.directory / "ledger.sqlite")
        return [f"{table} {row}" for table, row, plain in store if holds_degrees(plain)]


class PowerTest(Trip, PlaceTest):
    """Kills, and cuts of the power: then the card has the latest commit, and memory nothing."""

    def lived(self):
        """An undisturbed trip: the disk after each commit, and when that was."""
        self.places(domains=(), location=self.LOCATION)
        self.agree("events only")
        disks = []
        while self.device.true < MIDNIGHT + 34 * MINUTE:
            self.go_on(SECOND)
            disk = self.device.disk()
            if not disks or disk != disks[-1][1]:
                disks.append((self.device.true, disk))
        self.check_trip()
        self.device.cut_power()
        return disks

    def torn(self, before, after, chance):
        """A disk on whose log a commit was being written; nil where that commit began the log anew."""
        log = pathlib.Path("anicca/ledger.sqlite-wal")
        length = len(before[log])
        if after[log][:length] != before[log] or len(after[log]) - length < 2:
            return None
        return {**before, log: after[log][:chance.randrange(length + 1, len(after[log]))]}

    def goes_on(self, disk, since, until=34, **clock):
        """The device as it boots at a time with what the disk held; a clock that is wrong is corrected after three minutes."""
        self.gpsd.hang_up()
        config = self.device.config.read_text(encoding="utf-8").partition("bell-directory")[2].partition("\n")[2]
        self.device = self.enterContext(World(config=config))
        self.device.put_back(disk)
        # It begins with a boot that the store does not know.
        self.device.clocks.name_boot()
        self.device.boot(since, **clock)
        self.device.start()
        if clock:
            self.go_on(3 * MINUTE)
            self.device.correct_clock()
        self.go_on_until(until)

    def test_no_kill_tells_an_event_twice_or_loses_one(self):
        """Begins anew at moments of each stay, and while it works at a report; the rest of the stay is long enough to know the place."""
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        self.places(domains=(), location=self.LOCATION)
        self.agree("events only")
        for arrival, departure in ((0, 9), (13, 21), (25, 34)):
            self.go_on_until(arrival)
            for _ in range(chance.randrange(3)):
                self.go_on(chance.randrange(60) * SECOND)
                if chance.random() < 0.5 and self.gpsd.is_watched:
                    self.gpsd.send(self.says())
                    time.sleep(chance.random() * 0.002)
                if chance.random() < 0.2:
                    self.device.reboot(abruptly=True)
                else:
                    self.restart()
            self.go_on_until(departure)
        with self.subTest(seed=seed):
            self.check_trip(doubt=11)

    def test_a_power_cut_after_any_commit_loses_and_doubles_nothing(self):
        disks = self.lived()
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        for number, (then, disk) in enumerate(disks):
            off = chance.choice((5, 20, 60)) * SECOND
            with self.subTest(commit=f"{number} of {len(disks)}, {shown(then)}", off=off // SECOND, seed=seed):
                self.goes_on(disk, then + off)
                self.check_trip()
                self.check_untroubled()

    def test_a_power_cut_within_a_commit_goes_back_to_the_one_before(self):
        disks = self.lived()
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        for number, ((_, before), (then, after)) in enumerate(zip(disks, disks[1:])):
            disk = self.torn(before, after, chance)
            if disk is None:
                continue
            with self.subTest(commit=f"{number + 1} of {len(disks)}, {shown(then)}", seed=seed):
                self.goes_on(disk, then + 5 * SECOND)
                # Of a stay, as of all that is quiet, ten minutes may be lost.
                self.check_trip(doubt=11)
                self.check_untroubled()

    def test_after_hours_or_without_a_clock_a_stay_ends_and_another_begins(self):
        disks = self.lived()
        for number, (then, disk) in enumerate(disks):
            for off, until, clock in ((5 * SECOND, 34, {"wall": 0, "is_synchronised": False}), (5 * HOUR, 350, {})):
                with self.subTest(commit=f"{number} of {len(disks)}, {shown(then)}", off=off // SECOND):
                    self.goes_on(disk, then + off, until, **clock)
                    self.check_split((then - MIDNIGHT) / MINUTE, is_long=not clock)
                    self.check_untroubled()

    def check_split(self, cut, is_long):
        """Each event and each visit stands for a stay of the trip; the one that the power cut ended may be two."""
        told = self.told()
        crossings = [event for event in told if not event.startswith("visit")]
        self.assertIn(crossings, ([], ["geofence_exited home", "geofence_entered home"]))
        visits = self.check_stored()
        self.assertEqual([event for event in told if event.startswith("visit")], [f"visit {place}".strip() for place, _, _ in visits])
        stays = [stay for stay in self.STAYS if not is_long or stay[1] < cut] + ([("home", 300, None)] if is_long else [])
        rest = list(visits)
        for place, came, went in stays:
            of_stay = [visit for visit in rest if visit[0] == place and came - 1 <= visit[1] < (went or 1e9)]
            rest = [visit for visit in rest if visit not in of_stay]
            self.assertLessEqual(len(of_stay), 2 if came <= cut < (went or 1e9) else 1, visits)
            for _, _, left in of_stay:
                self.assertLessEqual(left or 0, (went or 1e9) + 1, visits)
            # Of one that had hardly begun nothing may be known.
            if of_stay == []:
                self.assertLess(cut - came, 3, visits)
        self.assertEqual(rest, [], "where nobody was then")


FAR = east(5_000)
# Until what failed is tried again, at the latest.
LONGEST_WAIT = 65 * MINUTE

# Reports of a place far away, of which none may be believed.
WRONG = (
    '{"class":"TPV","mode":3,"lat":NaN,"lon":NaN,"eph":5,"speed":30}',
    '{"class":"TPV","mode":3,"lat":1e400,"lon":-1e400,"eph":5,"speed":30}',
    '{"class":"TPV","mode":3,"lat":"48.2","lon":"11.7","eph":5,"speed":30}',
    '{"class":"TPV","mode":"3","lat":48.2,"lon":11.7,"eph":5,"speed":30}',
    '{"class":"TPV","mode":3,"lat":48.2,"lon":11.7,"eph":"5","speed":30}',
    '{"class":"TPV","mode":3,"lat":48.2,"lon":11.7,"eph":-5,"speed":30}',
    '{"class":"TPV","mode":3,"lat":48.2,"lon":11.7,"eph":1e400,"speed":30}',
    '{"class":"TPV","mode":3,"lat":48.2,"lon":11.7,"eph":5,"speed":NaN}',
    '{"class":"TPV","mode":3,"lat":48.2,"lon":11.7,"speed":30}',
    '{"class":"TPV","mode":3,"lat":48.2,"lon":11.7,"eph":900,"speed":30}',
    '{"class":"TPV","mode":3,"lat":48.2,"lon":11.7,"eph":5,"speed":3000}',
    '{"class":"TPV","mode":2,"lat":48.2,"lon":11.7,"eph":5,"speed":30}',
    '{"class":"TPV","mode":1,"lat":48.2,"lon":11.7,"eph":5,"speed":30}',
    '{"class":"TPV","mode":259,"lat":48.2,"lon":11.7,"eph":5,"speed":30}',
    '{"class":"TPV","mode":3.5,"lat":48.2,"lon":11.7,"eph":5,"speed":30}',
    '{"class":"TPV","mode":3,"lat":90.0001,"lon":11.7,"eph":5,"speed":30}',
    '{"class":"TPV","mode":3,"lat":48.2,"lon":180.0001,"eph":5,"speed":30}',
    '{"class":"TPV","mode":3,"lat":48.2,"eph":5,"speed":30}',
    '{"class":"SKY","mode":3,"lat":48.2,"lon":11.7,"eph":5,"speed":30}',
    '[{"class":"TPV","mode":3,"lat":48.2,"lon":11.7,"eph":5,"speed":30}]',
    '{"class":"TPV","mode":3,"lat":48.2,"lon":11.7,"eph":5,"speed":30',
    "[" * 10_000,
    "\0\x1b[31m\xff",
    "",
)


class FaultTest(PlaceTest):
    """Whatever gpsd does, nothing is told that did not happen, the log stays short, and then all goes on."""

    def check_goes_on(self, allowed_lines, wait=12 * MINUTE):
        """The wearer leaves and comes back, and both are told, once."""
        before = self.crossings()
        lines = len(self.lines("gpsd"))
        self.assertLessEqual(lines - self.seen_lines, allowed_lines, self.device.log)
        self.says = self.truth
        self.go_on(wait)
        self.walk(0, 400, speed=3)
        self.go_on(5 * MINUTE)
        self.walk(400, 0, speed=3)
        self.go_on(5 * MINUTE)
        self.assertEqual(self.crossings()[len(before):], ["geofence_exited home", "geofence_entered home"], self.device.log)
        self.seen_lines = len(self.lines("gpsd"))

    def begin(self):
        self.seen_lines = 0
        self.places(location="mode = geofence\ndwell = 20s")
        self.go_on(3 * MINUTE)

    def test_reports_of_nonsense_show_nothing(self):
        self.begin()
        turns = itertools.cycle(WRONG)
        self.says = lambda: next(turns) + "\r\n"
        self.go_on(20 * MINUTE)
        self.says = lambda: report(FAR, self.time(), eph=None) + report((0, 0), self.time(), speed=9e9)
        self.go_on(10 * MINUTE)
        self.assertEqual(self.told(), [])
        self.check_goes_on(0)
        self.check_no_plain_coordinates()

    def test_a_line_without_an_end_is_cut_off(self):
        self.begin()
        self.says = lambda: b"x" * (1 << 20)
        self.go_on(20 * MINUTE)
        self.assertEqual(self.told(), [])
        self.says = self.truth
        self.check_goes_on(4, LONGEST_WAIT)

    def test_a_gpsd_that_hangs_up_or_is_silent(self):
        self.begin()
        self.says = self.gpsd.hang_up
        self.go_on(30 * MINUTE)
        self.check_goes_on(4, LONGEST_WAIT)
        self.says = lambda: None
        self.go_on(30 * MINUTE)
        self.check_goes_on(0)
        self.gpsd.hang_up()
        for greeting in (None, "", "SSH-2.0-OpenSSH_9.2\r\n", "{" * 5_000, '{"class":"TPV"}\n'):
            with self.subTest(greeting=greeting):
                self.gpsd.greeting = greeting
                accepted = self.gpsd.accepted
                self.go_on(30 * MINUTE)
                self.assertLess(self.gpsd.accepted - accepted, 60)
                self.gpsd.greeting = GREETING
                self.gpsd.hang_up()
                self.check_goes_on(8, LONGEST_WAIT)

    def test_a_gpsd_that_goes_away_and_comes_back(self):
        self.begin()
        for leaves_its_socket in (False, True):
            with self.subTest(leaves_its_socket=leaves_its_socket):
                self.gpsd.stop(leaves_its_socket)
                self.go_on(90 * MINUTE)
                if leaves_its_socket:
                    os.unlink(self.gpsd.path)
                self.assertEqual(self.permission(), "unsupported")
                self.gpsd.start()
                self.go_on(MINUTE)
                self.assertEqual(self.permission(), "authorized")
                self.check_goes_on(10)

    def test_a_wearer_who_moved_while_gpsd_was_away_is_found_at_once(self):
        for seconds in (80, 200, 300):
            with self.subTest(seconds=seconds):
                self.here = HOME
                self.begin()
                self.walk(0, 900, speed=3)
                self.go_on(10 * MINUTE)
                self.gpsd.stop()
                self.go_on(seconds * SECOND)
                self.gpsd.start()
                self.here = HOME
                self.go_on(6 * MINUTE)
                self.assertEqual(self.crossings(), ["geofence_exited home", "geofence_entered home"])
                self.device.cut_power()

    def permission(self):
        answer = self.device.ask("permissions")
        rows = answer if isinstance(answer, list) else answer["permissions"]
        return next(row for row in rows if row.get("domain", row.get("name")) == "location")["status"]

    def test_places_on_both_sides_of_the_antimeridian(self):
        border = (-16.5, 180.0)
        self.here = east(-90, border)
        self.places(fence("taveuni", (border[0], 179.9999), 200), location="mode = geofence\ndwell = 20s")
        self.go_on(3 * MINUTE)
        for _ in range(2):
            self.walk(-90, 90, origin=border)
            self.go_on(3 * MINUTE)
            self.walk(90, -90, origin=border)
            self.go_on(3 * MINUTE)
        self.assertEqual(self.crossings(), [])
        places = itertools.cycle([self.here, (self.here[0], 0.5 - self.here[1])])
        self.says = lambda: report(next(places), self.time(), speed=1)
        self.go_on(20 * MINUTE)
        self.assertEqual(self.crossings(), [])
        self.says = self.truth
        self.walk(-90, 500, origin=border)
        self.go_on(12 * MINUTE)
        self.assertEqual(self.crossings(), ["geofence_exited taveuni"])


class ReloadTest(PlaceTest):
    def configure(self, *fences):
        text = self.device.config.read_text(encoding="utf-8")
        self.device.config.write_text(text[:text.index("[fence")] + "".join(fences), encoding="utf-8")
        self.device.reload()
        self.settle()

    def test_a_fence_that_is_moved_or_removed_tells_nothing_and_another_goes_on(self):
        moved, kept = fence("moved"), fence("kept", radius=300)
        self.places(moved, kept, location="mode = geofence\ndwell = 20s")
        self.go_on(5 * MINUTE)
        self.configure(kept, fence("moved", east(2_000)))
        self.go_on(15 * MINUTE)
        self.assertEqual(self.told(), [], "nobody left anything")
        self.assertLessEqual(len(self.gpsd.clients), 1)
        self.configure(kept, fence("moved", east(2_000), 100))
        self.walk(0, 600, speed=3)
        self.go_on(10 * MINUTE)
        self.assertEqual(self.told(), ["geofence_exited kept"])
        self.configure(fence("moved", east(2_000), 100))
        self.walk(600, 0, speed=3)
        self.go_on(10 * MINUTE)
        self.assertEqual(self.told(), ["geofence_exited kept"], "a fence that was removed")
        self.configure(kept, fence("moved", east(2_000), 100))
        self.go_on(10 * MINUTE)
        self.assertEqual(self.told(), ["geofence_exited kept"], "it was outside when it was removed, and is anew")

    def test_a_reload_while_the_receiver_is_watched_keeps_one_connection(self):
        self.places(location="mode = standard")
        self.go_on(3 * MINUTE)
        self.assertTrue(self.gpsd.is_watched)
        for _ in range(5):
            self.device.reload()
            self.settle()
            self.go_on(20 * SECOND)
            self.assertEqual(len(self.gpsd.clients), 1)


class ClockTest(PlaceTest):
    """A device whose clock shows 1970."""

    def lost(self, **arguments):
        self.says = lambda: self.truth(time=None)
        self.places(wall=0, is_synchronised=False, location="mode = standard\ndwell = 20s", **arguments)
        self.go_on(7 * MINUTE)
        self.walk(0, 400, speed=3)
        self.go_on(2 * MINUTE)

    def check_is_untrusted(self):
        self.assertEqual(self.device.time()["trusted"], False)
        self.assertEqual(self.device.upload()["end"], "timeUnknown")
        self.assertEqual(self.received(), [])

    def say(self, *offsets):
        """A report each second, of a receiver whose time is off by so much."""
        offsets = list(offsets)
        self.says = lambda: self.truth(time=self.time(offsets.pop(0))) if offsets else self.truth(time=None)
        while offsets:
            self.go_on(SECOND)
        self.says = lambda: self.truth(time=None)
        self.go_on(2 * SECOND)

    def test_three_fixes_that_agree_make_time_trusted_and_what_waited_is_dated(self):
        self.lost()
        left = self.device.true - 2 * MINUTE
        self.check_is_untrusted()
        for offsets in (
            (0, 0), (0, 0, 5 * SECOND), (0, 5 * SECOND, 0), (0, DAY, 2 * DAY), (0, 0, 74 * 365 * DAY),
            (-45 * 365 * DAY,) * 10, (-1024 * WEEK,) * 10, (1024 * WEEK,) * 10, (80 * 365 * DAY,) * 5,
        ):
            with self.subTest(offsets=offsets[:3]):
                self.say(*offsets)
                self.check_is_untrusted()
        self.say(0, 0, 0)
        self.go_on(MINUTE)
        time = self.device.time()
        self.assertEqual((time["trusted"], time["source"]), (True, "receiver"))
        self.assertEqual(self.told(), ["visit home", "geofence_exited home"])
        for moment, kind, _ in self.received():
            truth = MIDNIGHT if kind == "visit" else left
            self.assertLess(abs(at(moment[:19]) - truth), 3 * MINUTE)

    def test_what_was_trusted_for_one_boot_is_kept_over_a_kill(self):
        self.lost()
        self.say(0, 0, 0)
        self.restart()
        self.assertTrue(self.device.time()["trusted"])

    def test_the_kernels_clock_stands_against_a_receiver_that_is_off(self):
        self.says = lambda: self.truth(time=self.time(-1024 * WEEK))
        self.places(location="mode = standard\ndwell = 20s")
        self.go_on(7 * MINUTE)
        self.says = lambda: self.truth(time=self.time(5 * 365 * DAY))
        self.walk(0, 400, speed=3)
        self.go_on(2 * MINUTE)
        self.assertEqual(self.device.time()["source"], "kernel")
        self.assertEqual(self.told(), ["visit home", "geofence_exited home"])
        for moment, _, _ in self.received():
            self.assertLess(abs(at(moment[:19]) - self.device.true), HOUR)


if __name__ == "__main__":
    unittest.main()
