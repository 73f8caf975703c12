/// The tables in PostgreSQL (`anicca-receiver migrate`).
enum PostgreSQLSchema {
    /// Element n brings a database of version n to version n + 1. Never change one that was released.
    static let migrations = [first, second, third, fourth, fifth, sixth, seventh]

    /// Lets one process migrate at a time; the number is specific to this program.
    static let lock = "SELECT pg_advisory_xact_lock(4707193)"
    static let versionTable = "CREATE TABLE IF NOT EXISTS schema_version(version integer NOT NULL)"
    static let version = "SELECT coalesce(max(version), 0) FROM schema_version"

    /// Two devices of one person (SPEC §16): each quarter of an hour is taken from the device that observed more of it; figures that
    /// are no sums are those of the device that observed more of the day.
    private static let seventh = """
        -- `sent_by` is the device's own name for itself. `is_shared`: there was a record of another device for the day.
        ALTER TABLE daily_record ADD COLUMN sent_by text, ADD COLUMN quarters jsonb,
            ADD COLUMN is_shared boolean NOT NULL DEFAULT false;
        CREATE INDEX daily_record_shared ON daily_record(date, account) WHERE is_shared;

        -- The times for which a kind of data was observed are erased with any figure of it.
        CREATE FUNCTION quarters_without(quarters jsonb, erased text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
            SELECT jsonb_object_agg(kind, lists) FROM jsonb_each(quarters) AS kinds(kind, lists)
            WHERE NOT lists ?| coalesce(erased, '{}')
        $$;

        CREATE OR REPLACE VIEW daily_figures AS
            SELECT account, date, sleep_duration_min, wake_at, sns_minutes_total, steps, sedentary_minutes, received_at, coverage,
                distance_m, walking_cadence, active_energy_kcal, workouts, flights_climbed, resting_heart_rate, heart_rate,
                mindful_minutes, dietary_energy_kcal
            FROM daily_record WHERE superseded = 0 AND NOT is_shared
            UNION ALL
            SELECT account, date, day.* FROM daily_record AS last CROSS JOIN LATERAL (
                WITH record AS (
                    SELECT DISTINCT ON (sent_by) * FROM daily_record AS record
                    WHERE record.account = last.account AND record.date = last.date AND sent_by IS NOT NULL
                    ORDER BY sent_by, superseded = 0 DESC, superseded DESC
                ), amount AS (
                    SELECT sent_by, kind, figure, place, number::integer
                    FROM record, jsonb_each(quarters) AS kinds(kind, lists), jsonb_each(lists) AS list(figure, numbers),
                        jsonb_array_elements_text(numbers) WITH ORDINALITY AS element(number, place)
                    WHERE number IS NOT NULL
                ), chosen AS (
                    SELECT DISTINCT ON (kind, place) kind, place, sent_by FROM amount
                    WHERE figure = 'observed' ORDER BY kind, place, number DESC, sent_by
                ), total AS (
                    SELECT figure, sum(number)::integer AS number FROM amount JOIN chosen USING (kind, place, sent_by) GROUP BY figure
                ), ranked AS (
                    SELECT record.*, coalesce(
                        (SELECT sum(number) FROM amount WHERE amount.sent_by = record.sent_by AND figure = 'observed'), 0) AS observed
                    FROM record
                )
                SELECT \(first("sleep_duration_min")), \(first("wake_at", where: "sleep_duration_min")),
                    \(first("sns_minutes_total")), \(sum("steps", "steps")),
                    \(sum("sedentaryMinutes", "sedentary_minutes")), max(received_at), \(first("coverage")),
                    \(sum("distanceM", "distance_m")), \(first("walking_cadence")), \(sum("activeEnergyKcal", "active_energy_kcal")),
                    \(first("workouts")), \(sum("flightsClimbed", "flights_climbed")), \(first("resting_heart_rate")),
                    \(first("heart_rate")), \(first("mindful_minutes")), \(first("dietary_energy_kcal"))
                FROM ranked) AS day
            WHERE superseded = 0 AND is_shared;
        """

    /// The value of the record that has one and observed the most of the day.
    private static func first(_ column: String, where known: String? = nil) -> String {
        "(array_agg(\(column) ORDER BY observed DESC, sent_by) FILTER (WHERE \(known ?? column) IS NOT NULL))[1]"
    }

    /// The sum of the chosen quarters.
    private static func sum(_ figure: String, _ column: String) -> String {
        "coalesce((SELECT number FROM total WHERE figure = '\(figure)'), \(first(column)))"
    }

    /// Nudges that were given, and what decides about them.
    private static let sixth = """
        ALTER TABLE participant ADD COLUMN language text, ADD COLUMN time_zone text;
        CREATE TABLE nudge(
            account uuid NOT NULL, key uuid NOT NULL, rule text NOT NULL, strength text NOT NULL, message text NOT NULL,
            given_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (account, key));
        CREATE INDEX nudge_by_time ON nudge(account, given_at);
        """

    /// Devices that sign in by a code (RFC 8628), and the names of participants.
    private static let fifth = """
        CREATE TABLE participant(
            name text PRIMARY KEY, account uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(), added_at timestamptz NOT NULL DEFAULT now());

        -- Codes and tokens are hashes. Approved once it has an account, and used once it has a token.
        CREATE TABLE sign_in(
            device_code bytea PRIMARY KEY, user_code text NOT NULL UNIQUE, expires_at timestamptz NOT NULL, asked_at timestamptz,
            patience integer NOT NULL DEFAULT \(SignInCode.interval), account uuid, device text, token bytea);

        -- The token of an operator's enrolment has no end. `previous` is the token that this one replaces.
        ALTER TABLE device ADD COLUMN expires_at timestamptz, ADD COLUMN refresh bytea UNIQUE, ADD COLUMN previous bytea;
        CREATE INDEX device_by_previous ON device(previous) WHERE previous IS NOT NULL;

        -- A receiver gives tokens by these functions alone, and so only for a code that was approved or for a refresh token. They
        -- return the account, or a code of RFC 8628 §3.5 or RFC 6749 §5.2. What ends an account's tokens takes its turn first
        -- (take_turn), in a statement of its own, so that it sees every token given before and none is given after it.
        CREATE FUNCTION take_turn(account uuid) RETURNS void LANGUAGE sql AS $$
            SELECT pg_advisory_xact_lock(4707194, hashtext(account::text))
        $$;

        CREATE FUNCTION add_tokens(owner uuid, name text, access bytea, refresh bytea, replaced bytea) RETURNS void LANGUAGE sql AS $$
            INSERT INTO device(token, account, name, expires_at, refresh, previous, enrolled_at)
            VALUES (access, owner, name, now() + interval '30 days', refresh, replaced,
                coalesce((SELECT enrolled_at FROM device WHERE token = replaced), now()))
        $$;

        -- The answer may be lost, so a code can be used again for ten minutes, until a token of it was refreshed; the tokens of the
        -- earlier answer then end.
        CREATE FUNCTION redeem_code(code bytea, access bytea, refresh bytea)
        RETURNS TABLE(owner uuid, error text) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
        DECLARE
            found sign_in;
        BEGIN
            PERFORM take_turn(account) FROM sign_in WHERE device_code = code AND account IS NOT NULL;
            SELECT * INTO found FROM sign_in WHERE device_code = code AND expires_at >= now() FOR UPDATE;
            IF found.device_code IS NULL OR found.token IS NOT NULL AND (
                NOT EXISTS (SELECT FROM device WHERE token = found.token) OR EXISTS (SELECT FROM device WHERE previous = found.token))
            THEN
                RETURN QUERY SELECT NULL::uuid, 'expired_token';
                RETURN;
            END IF;
            IF found.account IS NULL THEN
                error := 'authorization_pending';
                IF found.asked_at > now() - make_interval(secs => found.patience) THEN
                    error := 'slow_down';
                    UPDATE sign_in SET patience = patience + 5 WHERE device_code = code;
                END IF;
                UPDATE sign_in SET asked_at = now() WHERE device_code = code;
                RETURN NEXT;
                RETURN;
            END IF;
            DELETE FROM device WHERE token = found.token;
            UPDATE sign_in SET token = access, expires_at = CASE WHEN token IS NULL THEN now() + interval '10 minutes' ELSE expires_at END
                WHERE device_code = code;
            PERFORM add_tokens(found.account, found.device, access, refresh, NULL);
            RETURN QUERY SELECT found.account, NULL;
        END $$;

        -- The given token stays valid until the new one is used here, in case this answer is lost. What it replaced ends, and so do
        -- the tokens of answers that were lost.
        CREATE FUNCTION refresh_tokens(given bytea, access bytea, refresh bytea)
        RETURNS TABLE(owner uuid, error text) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
        DECLARE
            found device;
        BEGIN
            PERFORM take_turn(account) FROM device WHERE device.refresh = given;
            SELECT * INTO found FROM device WHERE device.refresh = given AND revoked_at IS NULL FOR UPDATE;
            IF found.token IS NULL THEN RETURN QUERY SELECT NULL::uuid, 'invalid_grant'; RETURN; END IF;
            DELETE FROM device WHERE previous = found.token OR token = found.previous
                OR previous = found.previous AND token <> found.token;
            PERFORM add_tokens(found.account, found.name, access, refresh, found.token);
            RETURN QUERY SELECT found.account, NULL;
        END $$;
        REVOKE ALL ON FUNCTION take_turn, add_tokens, redeem_code, refresh_tokens FROM PUBLIC;
        """

    /// Of several records for a day, the one received last counts. Their number is in the primary key, so that a query
    /// over all accounts finds those that count without sorting, and no day has two.
    private static let fourth = """
        -- 0 for the record that counts; earlier ones of the day are numbered in the order in which they were replaced.
        ALTER TABLE daily_record ADD COLUMN superseded smallint NOT NULL DEFAULT 0;
        UPDATE daily_record SET superseded = later FROM (
            SELECT account, date, key, row_number() OVER (PARTITION BY account, date ORDER BY received_at DESC, key) - 1 AS later
            FROM daily_record) AS ordered
        WHERE daily_record.account = ordered.account AND daily_record.date = ordered.date AND daily_record.key = ordered.key
            AND later > 0;
        ALTER TABLE daily_record DROP CONSTRAINT daily_record_pkey, ADD PRIMARY KEY (account, date, superseded);
        CREATE OR REPLACE VIEW daily_figures AS
            SELECT account, date, sleep_duration_min, wake_at, sns_minutes_total, steps, sedentary_minutes, received_at, coverage,
                distance_m, walking_cadence, active_energy_kcal, workouts, flights_climbed, resting_heart_rate, heart_rate,
                mindful_minutes, dietary_energy_kcal
            FROM daily_record WHERE superseded = 0;
        """

    private static let third = """
        ALTER TABLE daily_record ADD COLUMN distance_m integer, ADD COLUMN walking_cadence integer,
            ADD COLUMN active_energy_kcal integer, ADD COLUMN workouts json, ADD COLUMN flights_climbed integer,
            ADD COLUMN resting_heart_rate integer, ADD COLUMN heart_rate json,
            ADD COLUMN mindful_minutes integer, ADD COLUMN dietary_energy_kcal integer;
        CREATE OR REPLACE VIEW daily_figures AS
            SELECT DISTINCT ON (date, account) account, date, sleep_duration_min, wake_at, sns_minutes_total, steps,
                sedentary_minutes, received_at, coverage, distance_m, walking_cadence, active_energy_kcal, workouts,
                flights_climbed, resting_heart_rate, heart_rate, mindful_minutes, dietary_energy_kcal
            FROM daily_record ORDER BY date, account, received_at DESC, key;
        """

    private static let second = """
        ALTER TABLE daily_record ADD COLUMN coverage json;
        CREATE OR REPLACE VIEW daily_figures AS
            SELECT DISTINCT ON (date, account) account, date, sleep_duration_min, wake_at, sns_minutes_total, steps,
                sedentary_minutes, received_at, coverage
            FROM daily_record ORDER BY date, account, received_at DESC, key;
        """

    private static let first = """
        CREATE TABLE device(
            token bytea PRIMARY KEY,  -- the SHA-256 hash of it
            account uuid NOT NULL, name text NOT NULL, enrolled_at timestamptz NOT NULL DEFAULT now(),
            revoked_at timestamptz);
        CREATE INDEX device_by_account ON device(account);

        -- What was sent once is known by its key. A digest that is gone was of data that was erased.
        CREATE TABLE idempotency_key(
            account uuid NOT NULL, key uuid NOT NULL, digest bytea, received_at timestamptz NOT NULL,
            repeats integer NOT NULL DEFAULT 0, PRIMARY KEY (account, key));
        CREATE INDEX idempotency_key_by_age ON idempotency_key USING brin(received_at);

        CREATE TABLE daily_record(
            account uuid NOT NULL, date date NOT NULL, key uuid NOT NULL, received_at timestamptz NOT NULL,
            sleep_duration_min integer, wake_at timestamptz, sns_minutes_total integer, steps integer,
            sedentary_minutes integer, PRIMARY KEY (account, date, key)) PARTITION BY RANGE (date);
        CREATE TABLE daily_record_default PARTITION OF daily_record DEFAULT;
        -- Records of a date arrive together, so a few bytes for each 32 pages lead to those of one date.
        CREATE INDEX daily_record_by_date ON daily_record USING brin(date) WITH (pages_per_range = 32, autosummarize = on);

        CREATE TABLE event(
            account uuid NOT NULL, at timestamptz NOT NULL, key uuid NOT NULL, received_at timestamptz NOT NULL,
            type text NOT NULL, threshold integer, place text, PRIMARY KEY (account, at, key)) PARTITION BY RANGE (at);
        CREATE TABLE event_default PARTITION OF event DEFAULT;

        -- What an account had erased: a figure of the days before the date of the time, or a type of events up to it. What comes
        -- later of that is not kept. Every record looks here, so an account has one row a name, however often it asks.
        CREATE TABLE erasure(
            account uuid NOT NULL, name text NOT NULL, until timestamptz NOT NULL, noted_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (account, name));

        -- One row for each account and date: the latest received.
        CREATE VIEW daily_figures AS
            SELECT DISTINCT ON (date, account) account, date, sleep_duration_min, wake_at, sns_minutes_total, steps,
                sedentary_minutes, received_at
            FROM daily_record ORDER BY date, account, received_at DESC, key;

        -- Gives a month a partition of its own, with the rows of it that came before. False where it has one.
        CREATE FUNCTION add_month(parent text, month date) RETURNS boolean LANGUAGE plpgsql AS $$
        DECLARE
            partition text := format('%s_%s', parent, to_char(month, 'YYYY_MM'));
            next date := (month + interval '1 month')::date;
            field text := CASE parent WHEN 'event' THEN 'at' ELSE 'date' END;
        BEGIN
            IF to_regclass(partition) IS NOT NULL THEN RETURN false; END IF;
            EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', parent);
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', partition, parent);
            EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %I >= %L AND %I < %L RETURNING *)
                INSERT INTO %I SELECT * FROM moved', parent || '_default', field, month, field, next, partition);
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, partition, month, next);
            RETURN true;
        END $$;
        """
}
