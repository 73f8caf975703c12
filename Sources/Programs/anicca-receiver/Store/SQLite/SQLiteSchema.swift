/// The tables in SQLite, which the receiver creates when it opens a file.
enum SQLiteSchema {
    /// "AniR" in ASCII, which distinguishes it from files of other programs.
    static let applicationID: Int64 = 0x416e_6952

    /// Element n brings a store of version n to version n + 1. Never change one that was released.
    static let migrations = [first, second, third, fourth]

    /// The name of a device and its quarters of an hour, as JSON.
    private static let fourth = """
        ALTER TABLE daily_record ADD COLUMN device TEXT;
        ALTER TABLE daily_record ADD COLUMN quarters TEXT;

        DROP VIEW records;
        CREATE VIEW records AS
            SELECT id, received_at AS at, key,
                CASE WHEN device IS NULL THEN '/mobile/daily_metrics' ELSE '/mobile/daily_quarters' END AS path,
                (SELECT json_group_object(key, CASE WHEN type IN ('object', 'array') THEN json(value) ELSE value END)
                    FROM json_each(json_object('userId', account, 'date', date, 'device', device,
                        'sleepDurationMin', sleep_duration_min, 'wakeAt', wake_at, 'snsMinutesTotal', sns_minutes_total,
                        'steps', steps, 'sedentaryMinutes', sedentary_minutes, 'distanceM', distance_m,
                        'walkingCadence', walking_cadence, 'activeEnergyKcal', active_energy_kcal,
                        'workouts', json(workouts), 'flightsClimbed', flights_climbed,
                        'restingHeartRate', resting_heart_rate, 'heartRate', json(heart_rate),
                        'mindfulMinutes', mindful_minutes, 'dietaryEnergyKcal', dietary_energy_kcal,
                        'coverage', json(coverage), 'quarters', json(quarters)))
                    WHERE value IS NOT NULL) AS body
            FROM daily_record JOIN idempotency_key USING (id)
            UNION ALL
            SELECT id, received_at, key, '/nudge/trigger', json_object('eventType', type, 'eventPayload',
                (SELECT json_group_object(key, value) FROM json_each(json_object(
                    CASE event.type WHEN 'sedentary_long' THEN 'stationaryMinutes' ELSE 'thresholdMinutes' END, threshold,
                    'place', place)) WHERE value IS NOT NULL), 'timestamp', event.at)
            FROM event JOIN idempotency_key USING (id);
        """

    /// The figures of walks, floors, heart and the phone; those with members as JSON.
    private static let third = """
        ALTER TABLE daily_record ADD COLUMN distance_m INTEGER;
        ALTER TABLE daily_record ADD COLUMN walking_cadence INTEGER;
        ALTER TABLE daily_record ADD COLUMN active_energy_kcal INTEGER;
        ALTER TABLE daily_record ADD COLUMN workouts TEXT;
        ALTER TABLE daily_record ADD COLUMN flights_climbed INTEGER;
        ALTER TABLE daily_record ADD COLUMN resting_heart_rate INTEGER;
        ALTER TABLE daily_record ADD COLUMN heart_rate TEXT;
        ALTER TABLE daily_record ADD COLUMN mindful_minutes INTEGER;
        ALTER TABLE daily_record ADD COLUMN dietary_energy_kcal INTEGER;

        DROP VIEW daily_figures;
        CREATE VIEW daily_figures AS
            SELECT account, date, sleep_duration_min, wake_at, sns_minutes_total, steps, sedentary_minutes, coverage,
                distance_m, walking_cadence, active_energy_kcal, workouts, flights_climbed, resting_heart_rate,
                heart_rate, mindful_minutes, dietary_energy_kcal
            FROM daily_record AS r
            WHERE id = (SELECT max(id) FROM daily_record WHERE account = r.account AND date = r.date);

        DROP VIEW records;
        CREATE VIEW records AS
            SELECT id, received_at AS at, key, '/mobile/daily_metrics' AS path,
                (SELECT json_group_object(key, CASE WHEN type IN ('object', 'array') THEN json(value) ELSE value END)
                    FROM json_each(json_object('userId', account, 'date', date,
                        'sleepDurationMin', sleep_duration_min, 'wakeAt', wake_at, 'snsMinutesTotal', sns_minutes_total,
                        'steps', steps, 'sedentaryMinutes', sedentary_minutes, 'distanceM', distance_m,
                        'walkingCadence', walking_cadence, 'activeEnergyKcal', active_energy_kcal,
                        'workouts', json(workouts), 'flightsClimbed', flights_climbed,
                        'restingHeartRate', resting_heart_rate, 'heartRate', json(heart_rate),
                        'mindfulMinutes', mindful_minutes, 'dietaryEnergyKcal', dietary_energy_kcal,
                        'coverage', json(coverage)))
                    WHERE value IS NOT NULL) AS body
            FROM daily_record JOIN idempotency_key USING (id)
            UNION ALL
            SELECT id, received_at, key, '/nudge/trigger', json_object('eventType', type, 'eventPayload',
                (SELECT json_group_object(key, value) FROM json_each(json_object(
                    CASE event.type WHEN 'sedentary_long' THEN 'stationaryMinutes' ELSE 'thresholdMinutes' END, threshold,
                    'place', place)) WHERE value IS NOT NULL), 'timestamp', event.at)
            FROM event JOIN idempotency_key USING (id);
        """

    /// The coverage, as JSON.
    private static let second = """
        ALTER TABLE daily_record ADD COLUMN coverage TEXT;

        DROP VIEW daily_figures;
        CREATE VIEW daily_figures AS
            SELECT account, date, sleep_duration_min, wake_at, sns_minutes_total, steps, sedentary_minutes, coverage
            FROM daily_record AS r
            WHERE id = (SELECT max(id) FROM daily_record WHERE account = r.account AND date = r.date);

        DROP VIEW records;
        CREATE VIEW records AS
            SELECT id, received_at AS at, key, '/mobile/daily_metrics' AS path,
                (SELECT json_group_object(key, CASE type WHEN 'object' THEN json(value) ELSE value END)
                    FROM json_each(json_object('userId', account, 'date', date,
                        'sleepDurationMin', sleep_duration_min, 'wakeAt', wake_at, 'snsMinutesTotal', sns_minutes_total,
                        'steps', steps, 'sedentaryMinutes', sedentary_minutes, 'coverage', json(coverage)))
                    WHERE value IS NOT NULL) AS body
            FROM daily_record JOIN idempotency_key USING (id)
            UNION ALL
            SELECT id, received_at, key, '/nudge/trigger', json_object('eventType', type, 'eventPayload',
                (SELECT json_group_object(key, value) FROM json_each(json_object(
                    CASE event.type WHEN 'sedentary_long' THEN 'stationaryMinutes' ELSE 'thresholdMinutes' END, threshold,
                    'place', place)) WHERE value IS NOT NULL), 'timestamp', event.at)
            FROM event JOIN idempotency_key USING (id);
        """

    /// `owner` is the token's account, or `SQLiteStore.anyone`.
    private static let first = """
        CREATE TABLE device(
            token TEXT PRIMARY KEY, account TEXT NOT NULL, name TEXT NOT NULL, enrolled_at TEXT NOT NULL,
            revoked_at TEXT) WITHOUT ROWID;
        CREATE INDEX device_by_account ON device(account);

        -- The numbers tell the order in which requests came. A digest that is gone was of data that was erased.
        CREATE TABLE idempotency_key(
            id INTEGER PRIMARY KEY, owner TEXT NOT NULL, key TEXT NOT NULL, digest TEXT, received_at TEXT NOT NULL,
            repeats INTEGER NOT NULL DEFAULT 0, UNIQUE (owner, key));

        CREATE TABLE daily_record(
            id INTEGER PRIMARY KEY, owner TEXT NOT NULL, account TEXT NOT NULL, date TEXT NOT NULL,
            sleep_duration_min INTEGER, wake_at TEXT, sns_minutes_total INTEGER, steps INTEGER,
            sedentary_minutes INTEGER);
        CREATE INDEX daily_record_by_account ON daily_record(account, date);

        CREATE TABLE event(
            id INTEGER PRIMARY KEY, owner TEXT NOT NULL, type TEXT NOT NULL, at TEXT NOT NULL, threshold INTEGER,
            place TEXT);
        CREATE INDEX event_by_owner ON event(owner, at);

        -- Every record looks here, so an account has one row a name, however often it asks.
        CREATE TABLE erasure(
            owner TEXT NOT NULL, account TEXT NOT NULL, name TEXT NOT NULL, until TEXT NOT NULL, noted_at TEXT NOT NULL,
            PRIMARY KEY (owner, account, name)) WITHOUT ROWID;

        -- One row for each account and date: the latest received.
        CREATE VIEW daily_figures AS
            SELECT account, date, sleep_duration_min, wake_at, sns_minutes_total, steps, sedentary_minutes
            FROM daily_record AS r
            WHERE id = (SELECT max(id) FROM daily_record WHERE account = r.account AND date = r.date);

        -- What was accepted, in the order in which it came, with the body as it was sent but for what was erased.
        CREATE VIEW records AS
            SELECT id, received_at AS at, key, '/mobile/daily_metrics' AS path,
                (SELECT json_group_object(key, value) FROM json_each(json_object('userId', account, 'date', date,
                    'sleepDurationMin', sleep_duration_min, 'wakeAt', wake_at, 'snsMinutesTotal', sns_minutes_total,
                    'steps', steps, 'sedentaryMinutes', sedentary_minutes)) WHERE value IS NOT NULL) AS body
            FROM daily_record JOIN idempotency_key USING (id)
            UNION ALL
            SELECT id, received_at, key, '/nudge/trigger', json_object('eventType', type, 'eventPayload',
                (SELECT json_group_object(key, value) FROM json_each(json_object(
                    CASE event.type WHEN 'sedentary_long' THEN 'stationaryMinutes' ELSE 'thresholdMinutes' END, threshold,
                    'place', place)) WHERE value IS NOT NULL), 'timestamp', event.at)
            FROM event JOIN idempotency_key USING (id);

        -- Every request, for developers alone.
        CREATE TABLE requests(
            id INTEGER PRIMARY KEY, at TEXT NOT NULL, path TEXT NOT NULL, key TEXT, status INTEGER,
            duplicate INTEGER NOT NULL, note TEXT NOT NULL);
        """
}
