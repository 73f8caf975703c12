"""The rows of the server against what devices sent: each record once, none missing, every figure the same."""

COLUMNS = {"steps": "steps", "sedentaryMinutes": "sedentary_minutes", "sleepDurationMin": "sleep_duration_min",
           "snsMinutesTotal": "sns_minutes_total", "distanceM": "distance_m", "walkingCadence": "walking_cadence",
           "activeEnergyKcal": "active_energy_kcal", "flightsClimbed": "flights_climbed", "restingHeartRate": "resting_heart_rate",
           "mindfulMinutes": "mindful_minutes", "dietaryEnergyKcal": "dietary_energy_kcal", "wakeAt": "wake_at"}
WAKE = """to_char(wake_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"""
DAY = (f"SELECT key, account, to_char(date, 'YYYY-MM-DD'), {', '.join([*COLUMNS.values()][:-1])}, {WAKE} "
       "FROM daily_record ORDER BY key")
EVENT = ("""SELECT key, account, type, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), threshold, place """
         "FROM event ORDER BY key")


def text(value):
    return None if value is None else str(value)


def day_row(key, body):
    """A record as a row of the table has it."""
    return (key, body["userId"], body["date"], *(text(body.get(name)) for name in COLUMNS))


def event_row(key, account, body):
    payload = body["eventPayload"]
    threshold = payload.get("stationaryMinutes", payload.get("thresholdMinutes"))
    return (key, account, body["eventType"], body["timestamp"], text(threshold), payload.get("place"))


def found_rows(cluster):
    """All rows of the server."""
    return cluster.query(DAY) + cluster.query(EVENT)


def differences(sent, found):
    """What is missing, what is there twice, and what is there that was not sent, one line each; `sent` are rows."""
    expected, seen = {}, {}
    for row in sent:
        if row[0] in expected:
            yield f"the key {row[0]} was sent with two records"
        expected[row[0]] = row
    for row in found:
        if row[0] in seen:
            yield f"{row[0]} is there twice: {row[1:]}"
        seen[row[0]] = row
    for key, row in expected.items():
        if key not in seen:
            yield f"{key} is missing: {row[1:]}"
        elif seen[key] != row:
            yield f"{key} differs: sent {row[1:]}, found {seen[key][1:]}"
    for key in seen.keys() - expected.keys():
        yield f"{key} was never sent: {seen[key][1:]}"
