"""`make fleet-load`: as many daily records as the server takes, over TLS through nginx and two receivers into PostgreSQL; and beside it what
PostgreSQL alone takes, one plain INSERT a transaction (pgbench). Exit status 1 where the rows are not those that were acknowledged or a target
is missed.

SECONDS=60 CONNECTIONS=2 (of each receiver) CLIENTS=64 DEVICES=10000; with SECONDS under 30 the figures are shown and not judged.
"""

import json
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time

import night
from harness.cluster import USER, programs
from harness.processes import CLOCK_TICKS, Failed, processor_seconds, run
from harness.fleet import World

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
import record  # noqa: E402  pylint: disable=wrong-import-position

INPUTS = [*record.PROGRAMS, "Tests/Fleet", "Tests/harness", "deploy/server"]
SECONDS = int(os.environ.get("SECONDS", "60"))
CONNECTIONS = int(os.environ.get("CONNECTIONS", "2"))
CLIENTS = int(os.environ.get("CLIENTS", "64"))
DEVICES = int(os.environ.get("DEVICES", "10000"))
LEAST_RATE, MOST_P99, LEAST_SHARE = 1500, 100, 0.60
ACCOUNTS, DAYS = 10_000, 100
# Of the view of a day's figures, the most milliseconds that each may take.
QUERIES = {
    "one day of all accounts": ("SELECT count(*), avg(steps) FROM daily_figures WHERE date = current_date - 50", 3),
    "mean of 30 days": ("SELECT avg(steps) FROM daily_figures WHERE date BETWEEN current_date - 60 AND current_date - 31", 80)}
LUA = pathlib.Path(__file__).with_name("load.lua")
# As daily_record, without partitions.
LIKE = """
CREATE TABLE like_record(account uuid NOT NULL, date date NOT NULL, key uuid NOT NULL, received_at timestamptz NOT NULL DEFAULT now(),
    sleep_duration_min int, wake_at timestamptz, sns_minutes_total int, steps int, sedentary_minutes int, PRIMARY KEY (account, date, key));
"""
INSERT = """\\set steps random(0, 20000)
INSERT INTO like_record(account, date, key, sleep_duration_min, wake_at, steps, sedentary_minutes)
VALUES (gen_random_uuid(), current_date, gen_random_uuid(), 420, now(), :steps, 300);
"""


class Processors:
    """What each part of the server takes of the processors, from here on."""

    def __init__(self, world):
        self._parts = {"receivers": [receiver.pid for receiver in world.receivers], "nginx": [world.front.pid],
                       "PostgreSQL": [world.cluster.pid]}
        self._begun, self._before = time.monotonic(), self._now()
        self._busy = busy_seconds()
        self._children = os.times().children_user + os.times().children_system

    def _now(self):
        return {name: sum(map(processor_seconds, pids)) for name, pids in self._parts.items()}

    def report(self, requests):
        """By part, its share of one processor and the microseconds for each request."""
        length = time.monotonic() - self._begun
        spent = {name: now - self._before[name] for name, now in self._now().items()}
        spent["wrk"] = os.times().children_user + os.times().children_system - self._children
        # A measurement on a machine that does something else is none.
        spent["others"] = max(0.0, busy_seconds() - self._busy - sum(spent.values()))
        return {name: (value / length, value / max(1, requests) * 1e6) for name, value in spent.items()}


def busy_seconds():
    """Of all processors, since the machine's start (proc_stat(5)): neither idle nor waiting for a disk."""
    ticks = [int(value) for value in pathlib.Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
    return (sum(ticks) - ticks[3] - ticks[4]) / CLOCK_TICKS


def send(world, accounts):
    """What wrk measured."""
    out = run(["wrk", "--threads", 2, "--connections", CLIENTS, "--duration", f"{SECONDS}s", "--timeout", "10s", "--script", LUA,
               world.front.base, "--", accounts, 2], timeout=SECONDS + 60)
    found = re.search(r"^(\{.*\})\n(.*)", out, re.MULTILINE)
    if not found:
        raise Failed(f"wrk did not measure: {out}")
    return {**json.loads(found[1]), "first": found[2]}


def plain_inserts(world, directory, clients):
    """Transactions a second of pgbench."""
    script = directory / "insert.sql"
    script.write_text(INSERT)
    out = run([programs() / "pgbench", "--no-vacuum", "--protocol", "prepared", "--client", clients, "--jobs", min(2, clients), "--time",
               max(5, SECONDS // 3), "--file", script, "--host", world.cluster.sockets, "--username", USER, "anicca"],
              timeout=SECONDS + 120)
    return float(re.search(r"tps = ([0-9.]+)", out)[1])


def main():
    with World(connections=CONNECTIONS) as world, tempfile.TemporaryDirectory(prefix="anicca-load-") as name:
        directory = pathlib.Path(name)
        accounts = directory / "accounts"
        begun = time.monotonic()
        accounts.write_text("".join(" ".join(line) + "\n" for line in world.enroll(night.accounts(DEVICES))))
        print(f"{DEVICES} devices enrolled in {time.monotonic() - begun:.1f} s; two receivers with {CONNECTIONS} connections each, "
              f"{CLIENTS} clients on TLS", flush=True)
        processors = Processors(world)
        measured = send(world, accounts)
        parts = processors.report(measured["accepted"])
        shares = ", ".join(f"{name} {share:.0%} ({each:.0f} µs)" for name, (share, each) in parts.items())
        rate = measured["accepted"] / measured["seconds"]
        rows = int(world.cluster.value("SELECT count(*) FROM daily_record"))
        print(f"{rate:.0f} requests/s for {measured['seconds']:.0f} s; p50 {measured['p50']:.1f} ms, p99 {measured['p99']:.1f} ms, longest "
              f"{measured['longest']:.0f} ms; {measured['refused']} not 200, {measured['broken']} broken, {measured['late']} too late")
        if measured["first"]:
            print(f"the first that was not 200: {measured['first']}")
        print(f"{measured['accepted']} were acknowledged, {rows} rows found")
        print(f"of one processor each: {shares}; {os.cpu_count()} in this machine", flush=True)
        world.cluster.query(LIKE)
        plain = {}
        for clients in (1, 2 * CONNECTIONS, 4 * CONNECTIONS):
            plain[clients] = plain_inserts(world, directory, clients)
            print(f"pgbench, {clients} clients: {plain[clients]:.0f} plain INSERTs/s; the server does {rate / plain[clients]:.0%} of it",
                  flush=True)
        sizes = {"record_bytes": size(world, "daily_record") / rows, "key_bytes": size(world, "idempotency_key") / rows}
        queries = ask(world)
        keep(measured, rate, plain, parts, {**sizes, "million": ACCOUNTS * DAYS, "queries": [
            ["query", "ms"], *([name, f"{taken:.1f}"] for name, taken in queries.items())]})
        return judge(measured, rate, rows, plain, queries)


def ask(world):
    """Milliseconds of each query over a million records, the median of five."""
    world.cluster.query("TRUNCATE daily_record")
    world.cluster.query(
        f"INSERT INTO daily_record(account, date, key, received_at, steps) SELECT lpad(to_hex(account), 32, '0')::uuid, "
        f"current_date - day, gen_random_uuid(), now(), random() * 20000 FROM generate_series({DAYS}, 1, -1) AS day, "
        f"generate_series(1, {ACCOUNTS}) AS account")
    world.cluster.query("VACUUM ANALYZE daily_record")
    taken = {}
    for name, (sql, _) in QUERIES.items():
        out = run(["psql", "--no-psqlrc", "--command", "\\timing on", *["--command", sql] * 5, world.cluster.url()])
        taken[name] = statistics.median(float(time) for time in re.findall(r"^Time: ([0-9.]+) ms", out, re.MULTILINE))
        print(f"{name}, of {ACCOUNTS * DAYS} records: {taken[name]:.1f} ms", flush=True)
    return taken


def keep(measured, rate, plain, parts, more):
    """What docs/fleet.md tells of it."""
    record.keep("fleet-load", f"make fleet-load SECONDS={SECONDS}", INPUTS, {
        "seconds": SECONDS, "devices": DEVICES, "rate": round(rate), "p50_ms": round(measured["p50"], 1), "p99_ms": round(measured["p99"], 1),
        "refused": measured["refused"], "others": parts["others"][0], **more,
        "microseconds": {name: each for name, (_, each) in parts.items()} | {
            "server": sum(parts[name][1] for name in ("receivers", "nginx", "PostgreSQL"))},
        "plain": [["clients of pgbench", "plain `INSERT`s a second", "the server does of it"],
                  *([clients, round(each), f"{100 * rate / each:.0f} %"] for clients, each in plain.items())]})


def size(world, table):
    """Bytes of a table, or of all its parts, with their indexes."""
    return int(world.cluster.value(
        f"SELECT pg_total_relation_size('{table}') + coalesce(sum(pg_total_relation_size(relid)), 0) FROM pg_partition_tree('{table}') WHERE isleaf"))


def judge(measured, rate, rows, plain, queries):
    # wrk leaves at the end of its time, and does not hear of what was under way.
    wrong = []
    if not measured["accepted"] <= rows <= measured["accepted"] + CLIENTS:
        wrong.append(f"{rows} rows for {measured['accepted']} acknowledged records and at most {CLIENTS} under way")
    if measured["refused"] or measured["broken"]:
        wrong.append("not every request was answered with 200")
    if SECONDS >= 30:
        if rate < LEAST_RATE:
            wrong.append(f"less than {LEAST_RATE} requests/s")
        if measured["p99"] > MOST_P99:
            wrong.append(f"p99 of more than {MOST_P99} ms")
        if rate < LEAST_SHARE * plain[2 * CONNECTIONS]:
            wrong.append(f"less than {LEAST_SHARE:.0%} of the plain INSERTs of as many connections")
        wrong += [f"{name} takes more than {QUERIES[name][1]} ms" for name, taken in queries.items() if taken > QUERIES[name][1]]
    for text in wrong:
        print(f"fleet-load: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        print(f"fleet-load: {error}", file=sys.stderr)
        sys.exit(1)
