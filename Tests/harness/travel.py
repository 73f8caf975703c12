"""A wearer who goes from place to place while a gpsd says so, and what the device keeps and tells of it."""

import collections
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import time

from harness import PROGRAMS
from harness.gpsd import HOME, Gpsd, east, report
from harness.opened import Opener
from harness.scenario import MIDNIGHT
from harness.world import MINUTE, SECOND, at, shown

FENCE = """
[fence "{name}"]
latitude = {latitude}
longitude = {longitude}
radius = {radius}
"""


# Of `HOME` and its surroundings, as text or in whole numbers. Long enough that random bytes and keys do not look like it.
COORDINATES = re.compile(rb'48[.,]13|11[.,]5[78]\d|(?<![0-9A-Fa-f-])(4813\d{2}|115[78]\d{3})\d*(?![0-9A-Fa-f-])|"lat|"lon')


def fence(name, place=HOME, radius=150):
    return FENCE.format(name=name, latitude=place[0], longitude=place[1], radius=radius)


class Travel:
    """The wearer of `device` is at `here`, and the receiver says so whenever the daemon watches. No IMU is on: only gpsd tells that they
    move."""

    device = None

    def meet(self, directory):
        """Starts the gpsd, in a directory of the caller, who ends it."""
        self.directory = pathlib.Path(directory)
        self.gpsd = Gpsd(self.directory / "gpsd.sock")
        self.gpsd.start()
        self.here = HOME
        self.speed = 0.0
        # Makes the text of a report; None to send nothing.
        self.says = self.truth

    def config(self, *fences, location=""):
        return f"[location]\ngpsd-socket = {self.gpsd.path}\n{location}\n" + "".join(fences or [fence("home")])

    def agree(self, answer):
        """`anicca toggle location on`, on a terminal."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [PROGRAMS / "anicca", "toggle", "location", "on", "--config", self.device.config],
            env=self.device._environment(), stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True)
        os.close(theirs)
        os.write(ours, answer.encode() + b"\n")
        text = b""
        while True:
            try:
                data = os.read(ours, 4096)
            except OSError:
                break
            if not data:
                break
            text += data
        os.close(ours)
        assert process.wait(20) == 0, text.decode()
        self.device.live(SECOND)

    # -- The receiver

    def time(self, off=0):
        """The receiver's time, as gpsd writes it."""
        moment = self.device.true + off
        return f"{shown(moment)[:-1]}.{moment % SECOND // 1_000_000:03}Z"

    def truth(self, **members):
        return report(self.here, **{"time": self.time(), "speed": self.speed, **members})

    # -- Going on

    def settle(self):
        """Lets the daemon take all that it was sent, and answer it."""
        began = time.monotonic()
        while self.gpsd.pump() or self.gpsd.unread or not self.device.clocks.is_parked:
            if self.device.daemon is None:
                return
            if self.device.daemon.poll() is not None:
                # The device says what that means.
                self.device.live(0)
            if time.monotonic() > began + 0.5 and self.device.clocks.is_parked and self.lines("cannot wait for a device"):
                self.device.live(SECOND)  # What could not be watched is tried again by a timer.
            assert time.monotonic() < began + 20, f"the daemon does not take what it is sent:\n{self.device.log}"

    def tell(self):
        text = self.says()
        if text is not None:
            self.gpsd.send(text)
            self.settle()

    def go_on(self, length, each=lambda: None):
        """Lets time go by: by the second while the receiver is watched, and by ten where it is not."""
        end = self.device.true + length
        self.settle()
        while self.device.true < end:
            step = SECOND if self.gpsd.is_watched else 15 * SECOND
            step = min(step, end - self.device.true)
            for _ in range(step // SECOND):
                each()
            self.device.live(step)
            self.settle()
            if self.gpsd.is_watched:
                self.tell()

    def walk(self, start, to, speed=1.4, origin=HOME):
        """On a line to the east of `origin`, from one of its metres to another."""
        self.speed = speed
        metres = [start]

        def each():
            metres[0] = min(to, metres[0] + speed) if to > start else max(to, metres[0] - speed)
            self.here = east(metres[0], origin)

        self.go_on(int(abs(to - start) / speed + 1) * SECOND, each)
        self.here, self.speed = east(to, origin), 0.0

    def restart(self):
        self.device.cut_power()
        self.gpsd.pump()
        self.device.start()
        self.settle()

    # -- What came of it

    def events(self):
        """All events at the server, as it got them."""
        return self.device.receiver.bodies("/nudge/trigger")

    def received(self):
        """The events of places at the server: time, type and place; fails when one came twice."""
        bodies = [body for body in self.events() if body["eventType"] != "sns_threshold_exceeded"]
        events = sorted((body["timestamp"], body["eventType"], body["eventPayload"].get("place", "")) for body in bodies)
        for body in bodies:
            assert set(body) <= {"eventType", "eventPayload", "timestamp"}, body
            assert set(body["eventPayload"]) <= {"place"}, body
        repeated = [event for event, times in collections.Counter(events).items() if times > 1]
        assert not repeated, f"told twice: {repeated}"
        return events

    def told(self):
        """Uploads, and returns the events so far: type and place, in their order."""
        self.device.upload()
        return [f"{kind} {place}".strip() for _, kind, place in self.received()]

    def lines(self, word=""):
        return [line for line in self.device.log_path.read_text(encoding="utf-8").splitlines() if word in line]

    def visits(self):
        """The stored visits: place, arrival and departure in minutes of the life, as they are exported."""
        target = self.directory / "exported"
        self.device.run("anicca", "export", str(target))
        days = json.loads((target / "places.json").read_text(encoding="utf-8"))
        shutil.rmtree(target)
        assert not any(day["positions"] for day in days), days
        return [
            tuple([visit.get("place", "")] + [visit.get(name) and (at(visit[name][:19]) - MIDNIGHT) / MINUTE for name in ("arrived", "left")])
            for day in days for visit in day["visits"]]

    def check_stored(self):
        """The stored visits follow one another, and no coordinate is on the disk."""
        visits = self.visits()
        for (_, arrived, left), (_, follows, _) in zip(visits, visits[1:]):
            assert arrived < follows and (left or arrived) <= follows, visits
        self.check_no_plain_coordinates()
        assert self.sealed_coordinates() == [], "coordinates without the scope for them"
        return visits

    # -- Coordinates

    def check_no_plain_coordinates(self):
        """In no byte that is not sealed, but for the configuration."""
        world = self.device
        for path in [*world.place.rglob("*"), *self.directory.rglob("*")]:
            if path.is_file() and path != world.config:
                text = path.read_bytes()
                found = COORDINATES.search(text)
                assert not found, f"{path.name} has {found.group()}"

    def sealed_coordinates(self):
        """Where among what is sealed there are numbers near `HOME`."""
        world = self.device
        opener = Opener(world.directory / "key")
        opened = [(f"{table} {row}", plain) for table, row, plain in opener.store(world.directory / "ledger.sqlite")]
        assert any(name.startswith("book") for name, _ in opened), "the reader finds nothing"
        opened += [("running", plain) for plain in opener.running_state(world.directory / "aniccad.state")]
        return [name for name, plain in opened if holds_degrees(plain)]


def holds_degrees(plain):
    """Whether a latitude and a longitude near `HOME` follow one another: of one alone random bytes look like it now and then."""
    for start in range(len(plain) - 15):
        for order in "<>":
            latitude, longitude = struct.unpack_from(f"{order}dd", plain, start)
            if abs(latitude - HOME[0]) < 0.01 and abs(longitude - HOME[1]) < 0.05:
                return True
    return False


class Trip(Travel):
    """From home to the shop and back, within 34 minutes: where the wearer is follows from the time, however often the device begins anew."""

    #: When the wearer is where: minutes of the life, and metres to the east of home.
    WAY = ((0, 0), (9, 0), (13, 720), (21, 720), (25, 0), (34, 0))
    #: The stays of it: place, arrival and departure in minutes.
    STAYS = (("home", 0, 9), ("", 13, 21), ("home", 25, None))
    TOLD = ["geofence_entered home", "geofence_exited home", "visit", "visit home", "visit home"]
    #: For which this is enough.
    LOCATION = "visit-after = 2min\ndwell = 20s"

    def truth(self, **members):
        minutes = (self.device.true - MIDNIGHT) / MINUTE
        legs = [*zip(self.WAY, self.WAY[1:]), (self.WAY[-1], (1e9, self.WAY[-1][1]))]
        (since, start), (until, end) = next(leg for leg in legs if minutes < leg[1][0])
        self.speed = abs(end - start) / ((until - since) * 60)
        self.here = east(start + (end - start) * (minutes - since) / (until - since))
        return super().truth(**members)

    def go_on_until(self, minutes):
        self.go_on(MIDNIGHT + int(minutes * MINUTE) - self.device.true)

    def check_trip(self, doubt=2):
        """Each event is told once, and each stay is stored once, `doubt` minutes from the truth at most."""
        told = self.told()
        assert sorted(told) == self.TOLD, told
        visits = self.check_stored()
        assert [place for place, _, _ in visits] == [place for place, _, _ in self.STAYS], visits
        for (_, arrived, left), (_, came, went) in zip(visits, self.STAYS):
            assert abs(arrived - came) <= doubt, visits
            assert left is None if went is None else left is not None and abs(left - went) <= doubt, visits
