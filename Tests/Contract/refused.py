"""Whether a receiver was asked for everything that the contract forbids: it has refused a request for each field of docs/openapi.yaml.

Usage: refused.py PORT, that of the receiver on this machine. A tool that no longer asks would find nothing wrong.
"""

import json
import pathlib
import sys
import urllib.request

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = yaml.safe_load((ROOT / "docs/openapi.yaml").read_text(encoding="utf-8"))["components"]["schemas"]


def fields(schema):
    """The names of all members, those of members included."""
    for name, inner in schema.get("properties", {}).items():
        yield name
        yield from fields(inner)


def main():
    """Ends with 1 and the fields for which nothing was refused where there are any."""
    with urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/_requests", timeout=10) as answer:
        reasons = " ".join(request["note"] for request in json.load(answer) if request["status"] == 422)
    sent = {name for schema in ("DailyRecord", "SittingEvent", "SocialAppsEvent", "PlaceEvent") for name in fields(SCHEMAS[schema])}
    if missing := [name for name in sorted(sent) if f"{name} must be" not in reasons]:
        sys.exit(f"contract: nothing wrong was asked of the receiver about {', '.join(missing)}")


if __name__ == "__main__":
    main()
