"""Tells schemathesis what docs/openapi.yaml cannot say (SCHEMATHESIS_HOOKS): times of the contract, and what holds between values."""

import datetime
import itertools
import re

import schemathesis
from hypothesis import strategies

KEY = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")

# Devices know the date, so the years are those of this age.
schemathesis.openapi.format("utc-second", strategies.datetimes(
    min_value=datetime.datetime(2020, 1, 1), max_value=datetime.datetime(2099, 12, 31)).map(
        lambda time: time.strftime("%Y-%m-%dT%H:%M:%SZ")))
schemathesis.openapi.format("date", strategies.dates(
    min_value=datetime.date(2020, 1, 1), max_value=datetime.date(2099, 12, 31)).map(str))

schemathesis.openapi.format("place-name", strategies.text(
    strategies.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=32).filter(lambda text: len(text.encode()) <= 32))

count = itertools.count(1)


def is_body_wrong(case):
    """Whether the case is to be refused for its body."""
    parts = case.meta.components.items() if case.meta else ()
    return any(place.value == "body" and part.mode.is_negative for place, part in parts)


@schemathesis.hook
def before_call(context, case, kwargs):
    """A proper key becomes one of its own, as the body is another, and so does every key beside a wrong body, which would else be refused
    for the key. A proper wakeAt is moved to the date of its record, and proper minutes of coverage are made to fit in a day."""
    key = (case.headers or {}).get("Idempotency-Key")
    if is_body_wrong(case) or (isinstance(key, str) and KEY.fullmatch(key)):
        case.headers["Idempotency-Key"] = f"0b6f8c52-91d3-4e7a-8a40-{next(count):012x}"
    body = case.body
    if isinstance(body, dict) and isinstance(body.get("date"), str) and isinstance(body.get("wakeAt"), str):
        if TIME.fullmatch(body["wakeAt"]) and len(body["date"]) == 10:
            case.body = body | {"wakeAt": body["date"] + body["wakeAt"][10:]}
    if isinstance(body, dict) and isinstance(body.get("quarters"), dict) and not is_body_wrong(case):
        # With the quarters of each kind and all that a record may have, the body would be longer than any.
        body["quarters"] = dict(list(body["quarters"].items())[:1])
    if isinstance(body, dict) and isinstance(body.get("coverage"), dict):
        for minutes in body["coverage"].values():
            # A whole number can come as 7.0.
            if isinstance(minutes, dict) and all(type(time) in (int, float) and time in range(1441) for time in minutes.values()):
                minutes.update({reason: time // 7 for reason, time in minutes.items()})
