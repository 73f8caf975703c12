/// The tables in PostgreSQL (`anicca-receiver migrate`).
enum PostgreSQLSchema {
    /// Element n brings a database of version n to version n + 1. Never change one that was released.
    static let migrations = [first, second, third, fourth, fifth, sixth, seventh, eighth]

    /// Lets one process migrate at a time; the number is specific to this program.
    static let lock = "SELECT pg_advisory_xact_lock(4707193)"
    static let versionTable = "CREATE TABLE IF NOT EXISTS schema_version(version integer NOT NULL)"
    static let version = "SELECT coalesce(max(version), 0) FROM schema_version"

    /// Devices that leave, and the consent of participants.
    private static let eighth = """
        -- The version of the consent that a participant gave, as the operator noted it. The latest one counts on a day.
        CREATE TABLE consent(
            account uuid REFERENCES participant(account) ON DELETE CASCADE, since date, version text NOT NULL, PRIMARY KEY (account, since));

        -- Ends a device's sign-in by one of its tokens (RFC 7009): with it the tokens before and after it, and the code that gave them.
        CREATE FUNCTION end_sign_in(given bytea) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
        DECLARE
            found device;
        BEGIN
            PERFORM take_turn(account) FROM device WHERE token = given OR refresh = given;
            SELECT * INTO found FROM device WHERE token = given OR refresh = given;
            WITH ended AS (
                UPDATE device SET revoked_at = coalesce(revoked_at, now())
                WHERE found.token IN (token, previous) OR found.previous IN (token, previous) RETURNING token)
            DELETE FROM sign_in USING ended WHERE sign_in.token = ended.token;
        END $$;
        REVOKE ALL ON FUNCTION end_sign_in FROM PUBLIC;
        """

    /// Two devices of one person (SPEC §16, docs/decisions/0071-two-devices-of-one-person.md).
    private static let seventh = """
        -- `sent_by` is the device's own name for itself; absent for one that sends no quarters.
        ALTER TABLE daily_record ADD COLUMN sent_by text, ADD COLUMN quarters jsonb;

        -- An object without some members.
        CREATE FUNCTION members_without(members jsonb, names text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
            SELECT nullif(members - coalesce(names, '{}'), '{}')
        $$;

        CREATE FUNCTION numbers(list jsonb) RETURNS integer[] LANGUAGE sql IMMUTABLE AS $$
            SELECT array_agg(number::integer ORDER BY place) FROM jsonb_array_elements_text(list) WITH ORDINALITY AS element(number, place)
        $$;

        -- The figures of a day with records of several devices. A trigger keeps it up to date.
        CREATE TABLE combined_day(
            account uuid, date date, sleep_duration_min integer, wake_at timestamptz, sns_minutes_total integer, steps integer,
            sedentary_minutes integer, received_at timestamptz NOT NULL, coverage json, distance_m integer, walking_cadence integer,
            active_energy_kcal integer, workouts json, flights_climbed integer, resting_heart_rate integer, heart_rate json,
            mindful_minutes integer, dietary_energy_kcal integer, PRIMARY KEY (account, date));

        -- Each quarter of an hour is taken from the device that observed more of it, for each figure that is a sum and of which every
        -- device has quarters; another figure is that of the device that observed more of its kind of data on the day.
        CREATE FUNCTION combine(owner uuid, day date) RETURNS void LANGUAGE sql AS $$
            DELETE FROM combined_day WHERE account = owner AND date = day;
            WITH record AS (
                SELECT DISTINCT ON (sent_by) * FROM daily_record WHERE account = owner AND date = day AND sent_by IS NOT NULL
                ORDER BY sent_by, superseded = 0 DESC, superseded DESC
            ), sent AS (
                SELECT sent_by, figure, value, minutes.*
                FROM record, LATERAL (VALUES ('steps', 'steps', steps), ('motion', 'sedentaryMinutes', sedentary_minutes),
                        ('walks', 'distanceM', distance_m), ('walks', 'activeEnergyKcal', active_energy_kcal),
                        ('floors', 'flightsClimbed', flights_climbed)) AS sums(kind, figure, value),
                    LATERAL (SELECT numbers(quarters -> kind -> figure), numbers(quarters -> kind -> 'observed')) AS minutes(amounts, observed)
                WHERE value IS NOT NULL
            ), usable AS (
                SELECT figure FROM sent, LATERAL (SELECT coalesce(sum(amount), 0) FROM unnest(amounts) AS amount) AS told(sum)
                GROUP BY figure HAVING bool_and(amounts IS NOT NULL AND (sum = value OR figure = 'sedentaryMinutes' AND sum < value))
            ), chosen AS (
                SELECT DISTINCT ON (figure, place) figure, amount
                FROM sent JOIN usable USING (figure), unnest(amounts, observed) WITH ORDINALITY AS quarter(amount, minutes, place)
                WHERE amount IS NOT NULL ORDER BY figure, place, coalesce(minutes, 0) DESC, sent_by
            ), total AS (
                SELECT figure, sum(amount)::integer AS amount FROM chosen GROUP BY figure
            )
            INSERT INTO combined_day
            SELECT owner, day, \(first("sleep_duration_min", "sleep")), CASE WHEN count(sleep_duration_min) > 0
                    THEN \(first("wake_at", "sleep", where: "sleep_duration_min")) ELSE \(first("wake_at", "sleep")) END,
                \(first("sns_minutes_total", "screenTime")), \(sum("steps", "steps", "steps")),
                \(sum("sedentary_minutes", "motion", "sedentaryMinutes")), max(received_at), (
                    SELECT json_object_agg(kind, minutes) FROM (
                        SELECT DISTINCT ON (kind) kind, minutes FROM record, json_each(coverage) AS covered(kind, minutes)
                        ORDER BY kind, (minutes ->> 'observed')::integer DESC, sent_by) AS most),
                \(sum("distance_m", "walks", "distanceM")), \(first("walking_cadence", "walks")),
                \(sum("active_energy_kcal", "walks", "activeEnergyKcal")), \(first("workouts", "walks")),
                \(sum("flights_climbed", "floors", "flightsClimbed")), \(first("resting_heart_rate", "heart")),
                \(first("heart_rate", "heart")), \(first("mindful_minutes", "phone")), \(first("dietary_energy_kcal", "phone"))
            FROM record
            HAVING count(*) > 1 AND EXISTS (
                SELECT FROM daily_record WHERE account = owner AND date = day AND superseded = 0 AND sent_by IS NOT NULL)
        $$;

        -- For the receivers, who may not change the table themselves. Once for each day that a statement changes. A month that gets a
        -- partition of its own changes no day, and no trigger: its rows move between partitions.
        CREATE FUNCTION combine_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
        BEGIN
            PERFORM combine(account, date) FROM (
                SELECT DISTINCT account, date FROM changed
                WHERE EXISTS (SELECT FROM combined_day WHERE account = changed.account AND date = changed.date) OR EXISTS (
                    SELECT FROM daily_record AS other
                    WHERE other.account = changed.account AND other.date = changed.date AND other.sent_by <> changed.sent_by)) AS day;
            RETURN NULL;
        END $$;
        CREATE TRIGGER combine_new AFTER INSERT ON daily_record REFERENCING NEW TABLE AS changed
            FOR EACH STATEMENT EXECUTE FUNCTION combine_changed();
        CREATE TRIGGER combine_changed AFTER UPDATE ON daily_record REFERENCING NEW TABLE AS changed
            FOR EACH STATEMENT EXECUTE FUNCTION combine_changed();
        CREATE TRIGGER combine_left AFTER DELETE ON daily_record REFERENCING OLD TABLE AS changed
            FOR EACH STATEMENT EXECUTE FUNCTION combine_changed();
        REVOKE ALL ON FUNCTION combine, combine_changed FROM PUBLIC;

        CREATE OR REPLACE VIEW daily_figures AS
            SELECT record.account, record.date, \(shown(["sleep_duration_min", "wake_at", "sns_minutes_total", "steps",
                "sedentary_minutes", "received_at", "coverage", "distance_m", "walking_cadence", "active_energy_kcal", "workouts",
                "flights_climbed", "resting_heart_rate", "heart_rate", "mindful_minutes", "dietary_energy_kcal"]))
            FROM daily_record AS record LEFT JOIN combined_day AS combined USING (account, date) WHERE superseded = 0;
        """

    /// The value of the record that has one and observed the most of a kind of data.
    private static func first(_ column: String, _ kind: String, where known: String? = nil) -> String {
        """
        (array_agg(\(column) ORDER BY coalesce((coverage -> '\(kind)' ->> 'observed')::integer, 0) DESC, sent_by) \
        FILTER (WHERE \(known ?? column) IS NOT NULL))[1]
        """
    }

    /// The sum of the chosen quarters, where there are some.
    private static func sum(_ column: String, _ kind: String, _ figure: String) -> String {
        "coalesce((SELECT amount FROM total WHERE figure = '\(figure)'), \(first(column, kind)))"
    }

    private static func shown(_ columns: [String]) -> String {
        columns.map { "CASE WHEN combined.account IS NULL THEN record.\($0) ELSE combined.\($0) END AS \($0)" }
            .joined(separator: ", ")
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
