"""Whether a receiver was asked for everything that the contract forbids: it has refused a value of each field of docs/openapi.yaml, and named
the limits that stand there.

Usage: refused.py PORT, that of the receiver on this machine. A tool that no longer asks would find nothing wrong, and of what is allowed
it tries only some.
"""

import json
import pathlib
import sys
import urllib.request

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = yaml.safe_load((ROOT / "docs/openapi.yaml").read_text(encoding="utf-8"))["components"]["schemas"]
NAMES = ("DailyRecord", "SittingEvent", "SocialAppsEvent", "PlaceEvent", "Erasure")


def demands(schema):
    """The beginning of what the receiver says of each member, those of members included, where its value is another."""
    for name, inner in schema.get("properties", {}).items():
        if "minimum" in inner:
            yield f"{name} must be a whole number from {inner['minimum']} to {inner['maximum']}"
        elif inner.get("type") == "integer":
            yield f"{name} must be one of {', '.join(map(str, inner['enum']))}"
        elif "maxLength" in inner:
            yield f"{name} must be a text of {inner['minLength']} to {inner['maxLength']} characters"
        else:
            yield f"{name} must be "
        yield from demands(inner)


def main():
    """Ends with 1 and what was not said where there is something."""
    with urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/_requests", timeout=10) as answer:
        reasons = {request["note"] + "\n" for request in json.load(answer) if request["status"] == 422}
    sent = {demand for name in NAMES for demand in demands(SCHEMAS[name])}
    missing = [demand for demand in sorted(sent) if not any(
        reason.startswith(demand if demand.endswith(" ") else demand + "\n") for reason in reasons)]
    if missing:
        sys.exit("contract: the receiver was not asked for this, or has other limits than docs/openapi.yaml:\n  " + "\n  ".join(missing))


if __name__ == "__main__":
    main()
