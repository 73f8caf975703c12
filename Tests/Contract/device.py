"""Holds what a device really sends against docs/openapi.yaml.

Usage: device.py PROGRAMS, the folder with the programs. A simulated wearer lives some days with everything on; the uploader sends what comes of it
to a server here, which refuses each request once; then the wearer has everything forgotten. Every request is checked: path, headers, body, and that a
repetition is one.
"""

import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

import jsonschema_rs
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTRACT = yaml.safe_load((ROOT / "docs/openapi.yaml").read_text(encoding="utf-8"))
USER = "6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f"
DOMAINS = ("motion", "steps", "sleep", "screenTime", "location")
HEADERS = {"host", "content-type", "accept", "idempotency-key", "authorization", "user-agent", "content-length"}
TIME = re.compile(r"\d{4}-(\d{2})-\d{2}T\d{2}:\d{2}:\d{2}Z")
LIMIT = 1024


def validator(schema):
    """Of a schema that may refer to the components."""
    return jsonschema_rs.Draft202012Validator(
        schema | {"components": CONTRACT["components"]}, validate_formats=True,
        formats={"utc-second": lambda text: TIME.fullmatch(text) is not None})


BODIES = {
    path: validator(operation["post"]["requestBody"]["content"]["application/json"]["schema"])
    for path, operation in CONTRACT["paths"].items()
}
KEYS = validator(CONTRACT["components"]["parameters"]["IdempotencyKey"]["schema"])
ANSWERS = validator(CONTRACT["components"]["schemas"]["Answer"])
ANSWER = {"status": "stored", "nudge": {"strength": "light", "message": "Stand up and walk a little"}}


class Server(http.server.ThreadingHTTPServer):
    """Answers the first request of each key with 500, and every other as stored."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies, self.repeated, self.problems = {}, 0, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def receive(self, path, headers, body):
        """Checks a request, and returns the status of the answer."""
        key = headers.get("Idempotency-Key", "")
        self.problems += [f"{path}: {problem}" for problem in problems(path, headers, body)]
        if key not in self.bodies:
            self.bodies[key] = (path, body)
            return 500
        self.repeated += 1
        if self.bodies[key] != (path, body):
            self.problems.append(f"{path}: the key {key} came with another body")
        return 200


class Handler(http.server.BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        """Of any path: what is none of the contract is a problem, too."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        answer = json.dumps(ANSWER).encode()
        self.send_response(self.server.receive(self.path, self.headers, body))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        """Nothing: problems are told at the end."""


def problems(path, headers, body):
    """Everything about a request that the contract does not allow."""
    if path not in BODIES:
        yield "no path of the contract"
        return
    if not KEYS.is_valid(headers.get("Idempotency-Key")):
        yield f"Idempotency-Key {headers.get('Idempotency-Key')}"
    if headers.get("Content-Type") != "application/json" or headers.get("Authorization") != "Bearer token":
        yield f"Content-Type {headers.get('Content-Type')}, or Authorization"
    if strangers := {name.lower() for name in headers} - HEADERS:
        yield f"headers that the contract does not name: {sorted(strangers)}"
    if len(body) > LIMIT:
        yield f"a body of {len(body)} bytes"
    value = json.loads(body)
    for error in BODIES[path].iter_errors(value):
        yield f"{error.message} in {body.decode()}"
    if "wakeAt" in value and not value["wakeAt"].startswith(value["date"]):
        yield f"wakeAt is not on the date in {body.decode()}"


def live(programs, directory, port):
    """Lives three days with everything on, sends twice what came of them, and then, twice, that it is to be erased."""
    (directory / "inbox").mkdir()
    token = directory / "token"
    token.write_text("token\n", encoding="ascii")
    token.chmod(0o600)
    config = directory / "anicca.conf"
    config.write_text(
        f"[account]\nuser-id = {USER}\ntoken-file = {token}\n[server]\nbase-url = http://127.0.0.1:{port}\n"
        f"[delivery]\njitter = 0s\n[companion]\ninbox = {directory}/inbox\n"
        "[fence \"home\"]\nlatitude = 48.2\nlongitude = 16.37\nradius = 150\n"
        f"[store]\ndirectory = {directory}\nkey-file = {directory}/key\n[run]\nbell-directory = {directory}\n", encoding="utf-8")

    def run(program, *arguments, expected=0):
        done = subprocess.run(
            [programs / program, *arguments, "--config", config], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            timeout=300)
        if done.returncode != expected:
            sys.exit(f"contract: {program} {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr[-2000:]}")

    run("anicca-lab", "daemon", "typical", "--days", "1", "--with-surroundings", "--from", "2025-01-12")
    for domain in DOMAINS:
        run("anicca-lab", "toggle", domain, "on")
    run("anicca-lab", "daemon", "typical", "--days", "3", "--with-surroundings", "--from", "2025-01-13")
    run("anicca-upload", "--at", "2025-01-16T04:00:00Z", expected=75)
    run("anicca-upload", "--at", "2025-01-16T06:00:00Z")
    run("anicca", "forget", "--all", "--yes")
    run("anicca-upload", "--at", "2025-01-16T07:00:00Z", expected=75)
    run("anicca-upload", "--at", "2025-01-16T09:00:00Z")


def main():
    """Prints what was checked; ends with 1 and every problem where there is one."""
    if error := next(ANSWERS.iter_errors(ANSWER), None):
        sys.exit(f"contract: the answer here is none of the contract: {error.message}")
    server = Server()
    with tempfile.TemporaryDirectory() as directory:
        live(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(directory), server.server_port)
    server.shutdown()
    if server.problems:
        sys.exit("contract: what a device sends differs from docs/openapi.yaml:\n  " + "\n  ".join(server.problems))
    sent = [json.loads(body) for _, body in server.bodies.values()]
    fields = {name for body in sent for name in body} | {body["eventType"] for body in sent if "eventType" in body}
    schemas = CONTRACT["components"]["schemas"]
    members = {name for schema in ("DailyRecord", "Erasure") for name in schemas[schema]["properties"]}
    if missing := (members | {"sedentary_long", "sns_threshold_exceeded", "visit"}) - fields:
        sys.exit(f"contract: no request had {sorted(missing)}, so they were not checked")
    if server.repeated != len(sent):
        sys.exit(f"contract: {len(sent)} requests were refused once, and {server.repeated} came again")
    print(f"contract: {len(sent)} requests of a device, each sent twice, are as in docs/openapi.yaml")


if __name__ == "__main__":
    main()
