"""docs/openapi.yaml against the receiver, which is to answer as it says and to refuse what it forbids, and against what a device really
sends. CONTRACT_EXAMPLES=N asks for so many requests of each kind, in place of 100.
"""

import collections
import csv
import datetime
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import unittest
import urllib.request
import uuid

import jsonschema
import yaml

from harness import PROJECT
from harness.life import Life
from harness.processes import Receiver
from harness.server import Server

PAGE = PROJECT / "docs/openapi.yaml"
CONTRACT = yaml.safe_load(PAGE.read_text(encoding="utf-8"))
SCHEMAS = CONTRACT["components"]["schemas"]
SCHEMATHESIS = PROJECT / ".build/contract/bin/st"
EXAMPLES = os.environ.get("CONTRACT_EXAMPLES", "100")

USER = "6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f"
HEADERS = {"host", "content-type", "accept", "idempotency-key", "authorization", "user-agent", "content-length"}
LIMIT = 8192
ANSWER = {"status": "stored", "nudge": {"strength": "light", "message": "Stand up and walk a little"}}

FORMATS = jsonschema.FormatChecker()
FORMATS.checks("place-name")(lambda text: len(text.encode()) <= 32)
FORMATS.checks("utc-second")(lambda text: re.fullmatch(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z", text) is not None)


def validator(schema):
    """Of a schema that may refer to the components."""
    return jsonschema.Draft202012Validator(schema | {"components": CONTRACT["components"]}, format_checker=FORMATS)


BODIES = {path: validator(operation["post"]["requestBody"]["content"]["application/json"]["schema"])
          for path, operation in CONTRACT["paths"].items()}
KEYS = validator(CONTRACT["components"]["parameters"]["IdempotencyKey"]["schema"])


def problems(request):
    """Everything about a request that the contract does not allow."""
    if request.path not in BODIES:
        yield "no path of the contract"
        return
    if not KEYS.is_valid(request.key):
        yield f"Idempotency-Key {request.key}"
    if request.headers.get("content-type") != "application/json" or request.headers.get("authorization") != "Bearer token":
        yield f"Content-Type {request.headers.get('content-type')}, or Authorization"
    if strangers := set(request.headers) - HEADERS:
        yield f"headers that the contract does not name: {sorted(strangers)}"
    if len(request.body) > LIMIT:
        yield f"a body of {len(request.body)} bytes"
    value = json.loads(request.body)
    for error in BODIES[request.path].iter_errors(value):
        yield f"{error.message} in {request.body.decode()}"
    if "wakeAt" in value and not value["wakeAt"].startswith(value["date"]):
        yield f"wakeAt is not on the date in {request.body.decode()}"
    for minutes in value.get("coverage", {}).values():
        if sum(minutes.values()) > 1440:
            yield f"more than a day in {request.body.decode()}"
    for kind, lists in value.get("quarters", {}).items():
        for name, numbers in lists.items():
            whole = value["coverage"][kind]["observed"] if name == "observed" else value.get(name)
            # The record counts no minute of coverage twice, and rounds it by itself.
            if abs(sum(number or 0 for number in numbers) - (whole or 0)) > (2 if name == "observed" else 0):
                yield f"quarters that are not the {name} of {kind} in {request.body.decode()}"


def live(directory, address, send):
    """A wearer lives three days with everything on, sends twice what came of them, and then, twice, that it is to be erased."""
    life = Life(directory, "typical", 3, address, server=f"send = {send}", body=True)

    def upload(day):
        """What fails holds its kind and the server, so it takes some runs."""
        said = [life.do("anicca-upload", "--json", "--at", f"2025-01-{day}T{hour:02}:00:00Z", expected=None) for hour in range(4, 24)]
        waiting = [json.loads(line)["waiting"] for out in said for line in out.splitlines() if line.startswith("{")]
        assert waiting[0] > 0 == waiting[-1], waiting

    upload(16)
    life.do("anicca", "export", directory / "export")
    life.do("anicca", "forget", "--all", "--yes")
    upload(17)


def misplaced(body, directory):
    """The quarters of an hour that are not those of the export."""
    with open(directory / "export/quarters.csv", newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["date"] == body["date"]]
    places = {int((datetime.datetime.fromisoformat(row["began [UTC]"]) - datetime.datetime.fromisoformat(f"{body['date']}T00:00:00Z"))
                  / datetime.timedelta(minutes=15) + 0.5): row for row in rows}
    for kind, lists in body["quarters"].items():
        for name, numbers in lists.items():
            column = next(column for column in rows[0] if column.startswith(f"{kind}Observed [" if name == "observed" else f"{name} ["))
            for place, number in enumerate(numbers):
                cell = places.get(place, {}).get(column) or None
                if (cell is None) != (number is None) or cell and abs(float(cell) - number) > (1 if "[min]" in column else 0):
                    yield f"{body['date']}, quarter {place}: {number} {name} of {kind}, and {cell} in the export"


def demands(schema):
    """The beginning of what the receiver says of each member, those of members included, where its value is another."""
    for name, inner in schema.get("properties", {}).items():
        if "minimum" in inner:
            yield f"{name} must be a whole number from {inner['minimum']} to {inner['maximum']}\n"
        elif inner.get("type") == "integer":
            yield f"{name} must be one of {', '.join(map(str, inner['enum']))}\n"
        elif "maxLength" in inner:
            yield f"{name} must be a text of {inner['minLength']} to {inner['maxLength']} bytes without control characters\n"
        else:
            yield f"{name} must be "
        yield from demands(inner)


class ContractTest(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="anicca-contract-")))

    def test_a_device_sends_what_the_contract_has(self):
        """Each request is refused once, and comes again as it was."""
        requests = collections.defaultdict(list)

        def refuse_once(connection):
            request = connection.request()
            requests[request.key].append(request)
            connection.answer(500 if len(requests[request.key]) == 1 else 200, body=json.dumps(ANSWER).encode())

        validator(SCHEMAS["Answer"]).validate(ANSWER)
        for send in ("coverage", "quarters"):
            with self.subTest(send=send), Server() as server:
                server.misbehave(otherwise=refuse_once)
                (self.directory / send).mkdir()
                live(self.directory / send, server.address, send)
                self.assertEqual(server.table.wrongs, [])
        self.assertEqual({request.path for every in requests.values() for request in every}, set(BODIES))
        self.assertEqual([f"{request.path}: {problem}" for every in requests.values() for request in every
                          for problem in problems(request)], [])
        self.assertEqual({len(every) for every in requests.values()}, {2})
        sent = [json.loads(every[0].body) for every in requests.values()]
        with_quarters = [body for body in sent if "quarters" in body]
        self.assertEqual({kind for body in with_quarters for kind in body["quarters"]}, {"motion", "steps", "walks"})
        self.assertEqual([problem for body in with_quarters for problem in misplaced(body, self.directory / "quarters")], [])
        fields = {name for body in sent for name in body} | {body["eventType"] for body in sent if "eventType" in body}
        members = {name for schema in ("DailyQuarters", "Erasure") for name in SCHEMAS[schema]["properties"]}
        # The simulated daemon has no barometer.
        missing = (members | {"sedentary_long", "sns_threshold_exceeded", "visit"}) - fields
        self.assertEqual(missing, {"flightsClimbed"} | {"mindfulMinutes", "dietaryEnergyKcal"}, "not tried")

    def test_what_no_http_library_of_a_tool_sends_is_answered_as_the_contract_says(self):
        """Each with the status that it has for it, the contract's form, and nothing stored of what is refused."""
        def visit(place):
            return json.dumps({"eventType": "visit", "eventPayload": {"place": place}, "timestamp": "2025-01-15T13:05:00Z"})

        twice = ("Idempotency-Key: 0b6f8c52-91d3-4e7a-8a40-5f3d2c1b0a99", "Authorization: Bearer other", "Host: b", "Content-Type: text/plain",
                 f"Content-Length: {len(visit('home')) - 1}", "Transfer-Encoding: chunked")
        trials = [(400, visit("home"), {}, (line,)) for line in twice]
        trials += [(400, visit("home"), {"Host": None}, ())]
        trials += [(413, visit("home").ljust(LIMIT + 1), {}, ()), (200, visit("home").ljust(LIMIT), {}, ())]
        trials += [(422, visit(place), {}, ()) for place in ("ä" * 17, "𝄞" * 9, "a" * 33, "", "a\0", "a\ab", "a\tb", "a\n", "\x7f")]
        trials += [(200, visit(place), {}, ()) for place in ("ä" * 16, "𝄞" * 8, "a" * 32, " ")]
        trials += [(200, visit("home"), {"Authorization": f"{scheme} token"}, ()) for scheme in ("bearer", "BEARER", "Bearer")]
        with Receiver(":memory:", "--token", "token", "--lifetime", "60") as receiver:
            for status, body, changes, more in trials:
                headers = {"Host": "a", "Authorization": "Bearer token", "Content-Type": "application/json", "Idempotency-Key": uuid.uuid4(),
                           "Content-Length": len(body.encode()), **changes}
                lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
                with self.subTest(body=body[:80], changes=changes, more=more), socket.create_connection(("127.0.0.1", receiver.port), 10) as end:
                    end.sendall("\r\n".join(["POST /nudge/trigger HTTP/1.1", *lines, *more, "", body]).encode())
                    end.shutdown(socket.SHUT_WR)
                    head, _, answer = b"".join(iter(lambda: end.recv(65536), b"")).decode().partition("\r\n\r\n")
                    self.assertEqual(int(head.split()[1]), status, answer)
                    self.assertIn("Content-Type: application/json", head)
                    self.assertEqual("error" in json.loads(answer), status != 200)
            self.assertEqual(len(receiver.bodies("/nudge/trigger")), sum(status == 200 for status, *_ in trials))

    @unittest.skipUnless(SCHEMATHESIS.exists(), "no schemathesis: sh scripts/venv.sh .build/contract Tests/Contract/requirements.txt")
    def test_the_receiver_answers_as_the_contract_says(self):
        """And was asked for everything that it forbids: a tool that no longer asks would find nothing wrong."""
        with Receiver(":memory:", "--token", "token", "--nudge", "Stand up", "--lifetime", "600") as receiver:
            # Of methods that HTTP does not know the receiver's library says 404.
            ended = subprocess.run(
                [SCHEMATHESIS, "--config-file", PROJECT / "Tests/Contract/schemathesis.toml", "run", PAGE, "--url", receiver.address, "--header", "Authorization: Bearer token", "--seed", "1",
                 "--max-examples", EXAMPLES, "--phases", "examples,coverage,fuzzing", "--exclude-checks", "unsupported_method",
                 "--continue-on-failure", "--max-failures", "20", "--generation-database", "none", "--request-timeout", "10", "--no-color"],
                cwd=self.directory, env={**os.environ, "SCHEMATHESIS_HOOKS": str(PROJECT / "Tests/Contract/hooks.py")},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.assertEqual(ended.returncode, 0, ended.stdout)
            with urllib.request.urlopen(f"{receiver.address}/_requests", timeout=10) as answer:
                said = {request["note"] + "\n" for request in json.load(answer) if request["status"] == 422}
        names = ("DailyRecord", "DailyQuarters", "SittingEvent", "SocialAppsEvent", "PlaceEvent", "Erasure")
        unsaid = {demand for name in names for demand in demands(SCHEMAS[name]) if not any(text.startswith(demand) for text in said)}
        self.assertEqual(unsaid, set(), "the receiver was not asked for this, or has other limits")


if __name__ == "__main__":
    unittest.main()
