"""Lives nights of a fleet in virtual time, `anicca-lab fleet`, and prints when its devices arrive: docs/fleet.md.

Usage: arrivals.py ANICCA_LAB
"""

import json
import subprocess
import sys

import record

INPUTS = [*record.PROGRAMS, "scripts/arrivals.py"]
DEVICES = 100_000
OUTAGES = {
    "a server that is simply away": ("--failure", "unreachable"),
    "nginx answers 503 with `Retry-After: 300`, as it does in `deploy/server`": ("--retry-after", "5min"),
    "the same with 600": ("--retry-after", "10min")}


def night(lab, *options):
    done = subprocess.run([lab, "fleet", "--json", "--devices", str(DEVICES), *options], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def main(lab):
    usual, copies = night(lab), night(lab, "--names", "copies")
    arrivals = [minute["arrivals"] for minute in usual["minutes"]]
    figures = {
        "devices": DEVICES, "even_minute": round(usual["evenMinute"]), "due_peak": usual["duePeak"], "arrival_peak": usual["arrivalPeak"],
        "most_in_a_second": usual["mostInASecond"], "most_in_a_second_undelayed": usual["mostInASecondUndelayed"],
        "most_in_a_second_of_copies": copies["mostInASecond"],
        "fives": " · ".join(f"{sum(arrivals[begin:begin + 5]):,}" for begin in range(0, len(arrivals), 5)),
        "outages": [["ten minutes' outage in the middle of the night", "busiest minute of repetitions against an even one"]]}
    for title, options in OUTAGES.items():
        result = night(lab, "--outage", "10min", *options)
        if result["delivered"] != DEVICES:
            sys.exit(f"arrivals: {result['delivered']} of {DEVICES} delivered: {title}")
        figures["outages"].append([title, f"{result['retryPeak']:.1f}"])
    print(json.dumps(figures, indent=2, ensure_ascii=False))
    record.keep("arrivals", "make arrivals", INPUTS, figures)


main(*sys.argv[1:])
