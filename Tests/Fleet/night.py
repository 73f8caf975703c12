"""A night of devices, each with the records that it has to send, the backoff of docs/server.md and a clock that runs faster; and what became of
it. It does as the uploader does by that page, and is no copy of it: `make demo-fleet` sends with the uploader itself.
"""

import asyncio
import dataclasses
import json
import random
import time
import uuid

DAY_PATH, EVENT_PATH = "/mobile/daily_metrics", "/nudge/trigger"
# Seconds of the devices' time.
LENGTH = 1200
FIRST_WAIT, LONGEST_WAIT = 30, 3600
WRONG_ADDRESS_WAIT = (1800, 3600)
ATTEMPTS = 10
# Seconds of this machine's.
ANSWER_LIMIT = 45


@dataclasses.dataclass(frozen=True)
class Record:
    path: str
    key: str
    body: bytes

    fields = property(lambda self: json.loads(self.body))


@dataclasses.dataclass
class Device:
    account: str
    token: str
    due: float
    records: list


@dataclasses.dataclass(frozen=True)
class Attempt:
    at: float  # When it was to be, in seconds of the devices' time since the night began: a machine that is slow changes nothing of that.
    key: str
    status: int  # 0: no answer; -1: no connection.
    is_repeated: bool


def key(chance):
    return str(uuid.UUID(int=chance.getrandbits(128), version=4))


def accounts(count, seed=1):
    """(account, device) of so many devices."""
    chance = random.Random(seed)
    return [(key(chance), f"band-{number}") for number in range(count)]


def encoded(value):
    return json.dumps(value, separators=(",", ":")).encode()


def devices(enrolled, date="2026-11-22", seed=2):
    """A record of the day for each device, and for one in three an event of the morning; due evenly over its length."""
    chance = random.Random(seed)
    made = []
    for account, _, token in enrolled:
        figures = {"steps": chance.randrange(20_000), "sedentaryMinutes": chance.randrange(900)}
        if chance.random() < 0.5:
            figures |= {"sleepDurationMin": chance.randrange(200, 600), "wakeAt": f"{date}T07:{chance.randrange(60):02}:00Z"}
        records = [Record(DAY_PATH, key(chance), encoded({"userId": account, "date": date, **figures}))]
        if chance.random() < 1 / 3:
            event = {"eventType": "sedentary_long", "eventPayload": {"stationaryMinutes": 90},
                     "timestamp": f"{date}T{chance.randrange(24):02}:{chance.randrange(60):02}:00Z"}
            records.insert(0, Record(EVENT_PATH, key(chance), encoded(event)))
        made.append(Device(account, token, chance.uniform(0, LENGTH), records))
    return made


class Night:
    """Sends what the devices have. `speed` seconds of theirs pass in one of this machine's."""

    def __init__(self, front, fleet, speed, seed=3):
        self._fleet, self.speed, self._front = fleet, speed, front
        self._trust = front.trust()
        self._chance = random.Random(seed)
        self._begin = 0.0
        self.attempts = []
        self.delivered = {}  # By key: when.
        self.set_aside = []  # (key, status)

    def now(self):
        return (time.monotonic() - self._begin) * self.speed

    async def run(self):
        """Until nothing is left to send."""
        self._begin = time.monotonic()
        await asyncio.gather(*(self._live(device) for device in self._fleet))

    async def _sleep_until(self, at):
        await asyncio.sleep(max(0.0, at - self.now()) / self.speed)

    async def _live(self, device):
        waiting, failures, at = list(device.records), 0, device.due
        tried = set()
        while waiting:
            await self._sleep_until(at)
            waiting, wait = await self._send(device, waiting, tried, failures, at)
            failures += 1
            at = self.now() + wait

    async def _send(self, device, records, tried, failures, at):
        """One run on one connection, which was to begin at `at`: what is left, and how long it waits."""
        backoff = self._chance.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2**failures))
        connection = Connection(self._front.port, self._trust)
        left = list(records)
        try:
            for record in records:
                status, least = await connection.post(device, record)
                backoff = max(backoff, least)
                self._note(record, at, status, tried)
                if 200 <= status < 300:
                    self.delivered[record.key] = self.now()
                    left.remove(record)
                elif status in (404, 405, 407) or 300 <= status < 400:
                    return left, self._chance.uniform(*WRONG_ADDRESS_WAIT)
                elif status in (-1, 0, 408, 425, 429) or status >= 500:
                    return left, backoff
                else:
                    self.set_aside.append((record.key, status))
                    left.remove(record)
            return left, backoff
        finally:
            connection.close()

    def _note(self, record, at, status, tried):
        self.attempts.append(Attempt(at, record.key, status, record.key in tried))
        tried.add(record.key)


class Connection:
    """One for each run, as libcurl keeps it: opened when it is needed, and once more where the server had closed it before a further request."""

    def __init__(self, port, trust):
        self._port, self._trust = port, trust
        self._ends = None
        self._is_used = False

    def close(self):
        if self._ends:
            self._ends[1].close()
        self._ends, self._is_used = None, False

    async def post(self, device, record):
        """The status, 0 without a whole answer and -1 without a connection; and the wait that it asks for."""
        head = (f"POST {record.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {device.token}\r\n"
                f"Content-Type: application/json\r\nAccept: application/json\r\nIdempotency-Key: {record.key}\r\n"
                f"Content-Length: {len(record.body)}\r\n\r\n")
        while True:
            was_used = self._is_used
            try:
                if not self._ends:
                    self._ends = await asyncio.wait_for(
                        asyncio.open_connection("127.0.0.1", self._port, ssl=self._trust), ANSWER_LIMIT)
            except (OSError, asyncio.TimeoutError):
                return -1, 0
            try:
                self._is_used = True
                self._ends[1].write(head.encode() + record.body)
                return await asyncio.wait_for(self._answer(), ANSWER_LIMIT)
            except (OSError, asyncio.IncompleteReadError) as error:
                self.close()
                if not was_used or getattr(error, "partial", b""):
                    return 0, 0
            except (asyncio.TimeoutError, asyncio.LimitOverrunError, ValueError):
                self.close()
                return 0, 0

    async def _answer(self):
        reader, _ = self._ends
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        lines = head.split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
        if "content-length" in headers:
            await reader.readexactly(int(headers["content-length"]))
        elif headers.get("transfer-encoding") == "chunked":
            while size := int((await reader.readline()).strip() or b"0", 16):
                await reader.readexactly(size + 2)
            await reader.readline()
        if headers.get("connection") == "close":
            self.close()
        return int(lines[0].split()[1]), int(headers.get("retry-after", "0"))


def peak(attempts, width=60):
    """The most requests in `width` seconds of the devices' time."""
    counts = {}
    for attempt in attempts:
        counts[int(attempt.at // width)] = counts.get(int(attempt.at // width), 0) + 1
    return max(counts.values(), default=0)
