extension PostgreSQLStore {
    func keep(_ batch: [Submission]) throws(StoreFailure) -> [Kept] {
        for _ in 1..<DayLimit.records {
            do throws(StoreFailure) {
                return try keepOnce(batch)
            } catch  where error.kind == .collision {
                // Another connection stored a record of one of these days meanwhile; now its row is visible.
            }
        }
        return try keepOnce(batch)
    }

    /// Stores all of a kind with one statement, and so with one transaction and one flush of the server's log.
    private func keepOnce(_ batch: [Submission]) throws(StoreFailure) -> [Kept] {
        guard let first = batch.first else { return [] }
        let columns = Columns(batch)
        let rows: [PostgreSQLConnection.Row]
        switch first.content {
        case .day: rows = try connection.rows(.keepDays, columns.senders + days(of: batch))
        case .event: rows = try connection.rows(.keepEvents, columns.senders + events(of: batch))
        case .erasure(let erasure):
            rows = try connection.rows(
                .keepErasure, columns.senders + [array(erasure.figures + erasure.events), erasure.until])
        }
        guard rows.count == batch.count else {
            throw StoreFailure(.unavailable, "PostgreSQL: \(rows.count) outcomes for \(batch.count) requests")
        }
        let outcomes = rows.map(Kept.init)
        if case .erasure(let erasure) = first.content, [.stored, .known].contains(outcomes[0]) {
            try erase(erasure)
        }
        return outcomes
    }

    private func days(of batch: [Submission]) -> [String?] {
        let records = batch.compactMap { submission -> DailyRecord? in
            guard case .day(let record) = submission.content else { return nil }
            return record
        }
        return [
            array(records.map(\.date)), array(records.map(\.coverage)), array(records.map(\.device)),
            array(records.map(\.quarters)),
        ]
            + RecordFigure.all.map { figure in array(records.map { $0.figures[figure.name]?.stored }) }
    }

    private func events(of batch: [Submission]) -> [String?] {
        let events = batch.compactMap { submission -> Event? in
            guard case .event(let event) = submission.content else { return nil }
            return event
        }
        return [
            array(events.map(\.type)), array(events.map(\.timestamp)),
            array(events.map { $0.threshold.map(String.init) }), array(events.map(\.place)),
        ]
    }

    /// Deletes the data of a recorded erasure. It waits for submissions that were being stored when the erasure was
    /// recorded; later ones respect it. A repetition deletes again, because the first attempt may have been
    /// interrupted.
    private func erase(_ erasure: Erasure) throws(StoreFailure) {
        try waitForWriters()
        try transaction { () throws(StoreFailure) in
            if !erasure.figures.isEmpty {
                try connection.rows(.eraseFigures, [erasure.account, erasure.date, array(erasure.figures)])
                try connection.rows(.deleteEmptyDays, [erasure.account, erasure.date])
                try connection.rows(.countEarlierDays, [erasure.account, erasure.date])
            }
            if !erasure.events.isEmpty {
                try connection.rows(.eraseEvents, [erasure.account, erasure.until, array(erasure.events)])
            }
        }
    }

    /// The first columns of every kind: token, account, key and digest.
    private struct Columns {
        let senders: [String?]

        init(_ batch: [Submission]) {
            let tokens = batch.map { submission -> String? in
                guard case .holder(let token) = submission.sender else { return nil }
                return token.text
            }
            senders = [
                array(tokens), array(batch.map(\.account)), array(batch.map(\.key)), array(batch.map(\.digest.text)),
            ]
        }
    }
}

extension Kept {
    /// A row of `PostgreSQLStatement.keep…`: whether the token is known, the account is its own, the key repeats, the
    /// digest is the same, and the day's limit is reached.
    fileprivate init(_ row: PostgreSQLConnection.Row) {
        self =
            switch (row[0], row[1], row[2], row[3], row[4]) {
            case ("f", _, _, _, _): .unknownSender
            case (_, "f", _, _, _): .otherAccount
            case (_, _, _, _, "t"): .tooMany
            case (_, _, "0", _, _): .stored
            case (_, _, _, "t", _): .known
            default: .conflicting
            }
    }
}

extension PostgreSQLStatement {
    /// The common beginning and end of both: the owners of the tokens, and the keys, each claimed once. It waits for a
    /// key that another transaction is claiming. `erased` has the data excluded by an erasure; if there is any, the
    /// digest is left out, because it would reveal the few possible values of a body. `sameDay` selects the stored data
    /// of the day, of which there may be `limit`; a batch, or a concurrent transaction, can exceed it once.
    private static func keeping(
        _ name: String, columns: String, types: [String], erased: String, sameDay: String, limit: Int, kept: String
    ) -> PostgreSQLStatement {
        let parameters = (["text[]", "uuid[]", "uuid[]", "text[]"] + types).enumerated()
            .map { "$\($0 + 1)::\($1)" }.joined(separator: ", ")
        return PostgreSQLStatement(
            name: name,
            sql: """
                WITH given AS (
                    SELECT given.*, device.account AS owner, decode(hash, 'hex') AS digest
                    FROM unnest(\(parameters)) WITH ORDINALITY AS given(token, named, key, hash, \(columns), number)
                    LEFT JOIN device ON device.token = decode(given.token, 'hex') AND \(isValid)
                ), sent AS (
                    SELECT given.*, (SELECT array_agg(name) FROM erasure WHERE account = owner AND \(erased)) AS erased,
                        EXISTS (SELECT FROM \(sameDay) OFFSET \(limit - 1)) AND NOT EXISTS (
                            SELECT FROM idempotency_key AS known WHERE known.account = owner AND known.key = given.key) AS is_full
                    FROM given
                ), claimed AS (
                    INSERT INTO idempotency_key AS known (account, key, digest, received_at)
                    SELECT owner, key, CASE WHEN erased IS NULL THEN digest END, now()
                    FROM sent WHERE owner = coalesce(named, owner) AND NOT is_full ORDER BY owner, key
                    ON CONFLICT (account, key) DO UPDATE SET repeats = known.repeats + 1
                    RETURNING account, key, digest, repeats
                ), \(kept)
                SELECT owner IS NOT NULL, coalesce(named = owner, true), repeats,
                    claimed.digest IS NULL OR claimed.digest = sent.digest, is_full
                FROM sent LEFT JOIN claimed ON claimed.account = owner AND claimed.key = sent.key ORDER BY number
                """)
    }

    /// Whether a row of `device` has a token that may send.
    private static let isValid = "revoked_at IS NULL AND coalesce(expires_at > now(), true)"

    private static let isNew = "JOIN claimed ON claimed.account = owner AND claimed.key = sent.key AND repeats = 0"

    private static let columns = RecordFigure.all.map(\.column).joined(separator: ", ")

    /// The values of a given record, without erased ones.
    private static let values = RecordFigure.all.map { figure in
        let type = figure.form == .json ? "::json" : ""
        return "CASE WHEN '\(figure.name)' = ANY(erased) THEN NULL ELSE \(figure.column)\(type) END AS \(figure.column)"
    }.joined(separator: ", ")

    /// A query for the kinds of data of some figures, as an array.
    private static func kinds(of names: String) -> String {
        let pairs = RecordFigure.all.map { "('\($0.name)', '\($0.kind)')" }.joined(separator: ", ")
        return
            "(SELECT array_agg(DISTINCT kind) FROM (VALUES \(pairs)) AS figure(name, kind) WHERE name = ANY(\(names)))"
    }

    /// The highest number of a record of this day.
    private static func latest(_ account: String, _ date: String) -> String {
        "(SELECT max(superseded) FROM daily_record AS kept WHERE kept.account = \(account) AND kept.date = \(date))"
    }

    fileprivate static let keepDays = keeping(
        "keep_days",
        columns: "date, coverage, sent_by, quarters, \(columns)",
        types: ["date[]", "text[]", "text[]", "text[]"] + RecordFigure.all.map(\.form.array),
        erased: "(until AT TIME ZONE 'UTC')::date > date",
        sameDay: "daily_record AS kept WHERE kept.account = owner AND kept.date = given.date", limit: DayLimit.records,
        // Of the records of a day in the batch the last one counts, and the one that counted before gets a number. Two
        // connections that do so for the same day collide, because both add a record with the number 0.
        kept: """
            added AS (
                SELECT *, row_number() OVER (PARTITION BY owner, date ORDER BY number DESC) - 1 AS later FROM (
                    SELECT number, owner, date, sent.key, \(values),
                        CASE WHEN erased IS NULL THEN coverage::json ELSE members_without(coverage::jsonb, kinds)::json END AS coverage, erased IS NULL AS is_whole, sent_by,
                        members_without(quarters::jsonb, kinds) AS quarters,
                        count(*) OVER (PARTITION BY owner, date) AS records
                    FROM sent \(isNew), LATERAL \(kinds(of: "erased")) AS gone(kinds)) AS new
                WHERE is_whole OR num_nonnulls(\(columns)) > 0
            ), replaced AS (
                UPDATE daily_record AS old SET superseded = 1 + \(latest("old.account", "old.date"))
                FROM added WHERE old.account = owner AND old.date = added.date AND later = 0 AND superseded = 0 RETURNING 1
            ), kept AS (
                INSERT INTO daily_record(account, date, key, received_at, \(columns), coverage, sent_by, quarters, superseded)
                SELECT owner, date, key, now(), \(columns), coverage, sent_by, quarters,
                    CASE later WHEN 0 THEN 0 ELSE 1 + records - later + coalesce(\(latest("owner", "added.date")), 0) END
                FROM added WHERE (SELECT count(*) FROM replaced) >= 0 ORDER BY owner, date
            )
            """)

    fileprivate static let keepEvents = keeping(
        "keep_events", columns: "type, at, threshold, place",
        types: ["text[]", "timestamptz[]", "integer[]", "text[]"],
        erased: "erasure.name = type AND until >= at",
        sameDay: """
            event AS kept WHERE kept.account = owner AND kept.at >= date_trunc('day', given.at, 'UTC')
                AND kept.at < date_trunc('day', given.at, 'UTC') + interval '1 day'
            """, limit: DayLimit.events,
        kept: """
            kept AS (
                INSERT INTO event(account, at, key, received_at, type, threshold, place)
                SELECT owner, at, sent.key, now(), type, threshold, place FROM sent \(isNew) WHERE erased IS NULL
            )
            """)

    fileprivate static let keepErasure = PostgreSQLStatement(
        name: "keep_erasure",
        sql: """
            WITH sent AS (
                SELECT given.*, device.account AS owner, decode(hash, 'hex') AS digest
                FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[]) AS given(token, named, key, hash)
                LEFT JOIN device ON device.token = decode(given.token, 'hex') AND \(isValid)
            ), claimed AS (
                INSERT INTO idempotency_key AS known (account, key, digest, received_at)
                SELECT owner, key, digest, now() FROM sent WHERE owner = named
                ON CONFLICT (account, key) DO UPDATE SET repeats = known.repeats + 1
                RETURNING account, key, digest, repeats
            ), noted AS (
                INSERT INTO erasure(account, name, until)
                SELECT DISTINCT owner, name, $6::timestamptz FROM sent \(isNew), unnest($5::text[]) AS name ORDER BY name
                ON CONFLICT (account, name) DO UPDATE
                SET until = greatest(erasure.until, excluded.until), noted_at = excluded.noted_at
            )
            SELECT owner IS NOT NULL, named = owner, repeats, claimed.digest = sent.digest, false
            FROM sent LEFT JOIN claimed ON claimed.account = owner AND claimed.key = sent.key
            """)

    fileprivate static let eraseFigures = PostgreSQLStatement(
        name: "erase_figures",
        sql: """
            WITH changed AS (
                UPDATE daily_record
                SET \(RecordFigure.all.map { figure in
                    "\(figure.column) = CASE WHEN '\(figure.name)' = ANY($3::text[]) THEN NULL ELSE \(figure.column) END"
                }.joined(separator: ", ")),
                    coverage = members_without(coverage::jsonb, kinds)::json, quarters = members_without(quarters, kinds)
                FROM \(kinds(of: "$3::text[]")) AS gone(kinds)
                WHERE account = $1::uuid AND date < $2::date AND (coverage::jsonb ?| kinds OR quarters ?| kinds OR \(RecordFigure.all.map {
                    "\($0.column) IS NOT NULL AND '\($0.name)' = ANY($3::text[])"
                }.joined(separator: " OR ")))
                RETURNING account, key
            )
            UPDATE idempotency_key AS known SET digest = NULL FROM changed
            WHERE known.account = changed.account AND known.key = changed.key
            """)

    fileprivate static let deleteEmptyDays = PostgreSQLStatement(
        name: "delete_empty_days",
        sql: """
            DELETE FROM daily_record WHERE account = $1::uuid AND date < $2::date
                AND num_nonnulls(\(columns)) = 0
            """)

    /// Where the record that counted is gone, the one before it counts again.
    fileprivate static let countEarlierDays = PostgreSQLStatement(
        name: "count_earlier_days",
        sql: """
            UPDATE daily_record AS last SET superseded = 0
            FROM (
                SELECT account, date, max(superseded) AS superseded FROM daily_record
                WHERE account = $1::uuid AND date < $2::date GROUP BY account, date HAVING min(superseded) > 0) AS hidden
            WHERE last.account = hidden.account AND last.date = hidden.date AND last.superseded = hidden.superseded
            """)

    fileprivate static let eraseEvents = PostgreSQLStatement(
        name: "erase_events",
        sql: """
            WITH deleted AS (
                DELETE FROM event WHERE account = $1::uuid AND at <= $2::timestamptz AND type = ANY($3::text[])
                RETURNING account, key
            ), nudges AS (
                DELETE FROM nudge USING deleted WHERE nudge.account = deleted.account AND nudge.key = deleted.key
            )
            UPDATE idempotency_key AS known SET digest = NULL FROM deleted
            WHERE known.account = deleted.account AND known.key = deleted.key
            """)
}

extension RecordFigure.Form {
    /// The type of a parameter with the values of several records.
    fileprivate var array: String {
        switch self {
        case .integer: "integer[]"
        case .time: "timestamptz[]"
        case .json: "text[]"
        }
    }
}
