import Foundation

extension PostgreSQLStore {
    func contents(of account: String?) throws(StoreFailure) -> [StoredRecord] {
        let days = try connection.rows(.days, [account]).map { row in
            let record = DailyRecord(
                account: row[2] ?? "", date: row[3] ?? "", columns: Array(row[7...]), coverage: row[4],
                device: row[5], quarters: row[6].flatMap { JSON(Data($0.utf8)) }?.stored)
            return StoredRecord(key: row[0] ?? "", receivedAt: row[1] ?? "", content: .day(record))
        }
        let events = try connection.rows(.events, [account]).map { row in
            let event = Event(
                type: row[2] ?? "", timestamp: row[3] ?? "", threshold: row[4].flatMap(Int64.init), place: row[5])
            return StoredRecord(key: row[0] ?? "", receivedAt: row[1] ?? "", content: .event(event))
        }
        return (days + events).sorted { ($0.receivedAt, $0.key) < ($1.receivedAt, $1.key) }
    }

    func maintain(_ retention: Retention) throws(StoreFailure) -> MaintenanceReport {
        var report = MaintenanceReport()
        report.addedMonths = try addMonths(back: min(4, retention.months ?? 4))
        if let months = retention.months { report.droppedMonths = try dropMonths(before: months) }
        try connection.rows(.deleteOldErasures, [String(retention.keyDays)])
        // In parts, so that no transaction takes long.
        while true {
            let deleted = try connection.rows(.deleteOldKeys, [String(retention.keyDays)]).count
            report.deletedKeys += deleted
            if deleted == 0 { return report }
        }
    }

    /// A device may send data that is 90 days old, and its clock may be ahead.
    @discardableResult
    func addMonths(back: Int = 4) throws(StoreFailure) -> [String] {
        let rows = try transaction { () throws(StoreFailure) in
            try connection.execute(PostgreSQLSchema.lock)
            return try connection.execute(
                """
                SELECT DISTINCT to_char(month, 'YYYY-MM') FROM (
                    -- An array has both called, where OR would leave out the second.
                    SELECT month, true = ANY (ARRAY[add_month('daily_record', month::date), add_month('event', month::date)]) AS added
                    FROM generate_series(date_trunc('month', now()) - interval '\(back) months',
                        date_trunc('month', now()) + interval '3 months', interval '1 month') AS month) AS months
                WHERE added ORDER BY 1
                """)
        }
        return rows.compactMap { $0[0] }
    }

    private func dropMonths(before months: Int) throws(StoreFailure) -> [String] {
        let first = "(date_trunc('month', now()) - interval '\(months) months')"
        return try transaction { () throws(StoreFailure) in
            try connection.execute(PostgreSQLSchema.lock)
            let old = try connection.execute(
                """
                SELECT inhrelid::regclass, to_char(to_date(right(relname, 7), 'YYYY_MM'), 'YYYY-MM')
                FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
                WHERE inhparent IN ('daily_record'::regclass, 'event'::regclass) AND relname ~ '_[0-9]{4}_[0-9]{2}$'
                    AND to_date(right(relname, 7), 'YYYY_MM') < \(first) ORDER BY 2
                """)
            for row in old { try connection.execute("DROP TABLE \(row[0] ?? "")") }
            try connection.execute("DELETE FROM daily_record_default WHERE date < \(first)")
            try connection.execute("DELETE FROM combined_day WHERE date < \(first)")
            try connection.execute("DELETE FROM event_default WHERE at < \(first)")
            try connection.execute("DELETE FROM nudge WHERE given_at < \(first)")
            return Set(old.compactMap { $0[1] }).sorted()
        }
    }
}

extension PostgreSQLStatement {
    /// A time as the contract has it, of an expression; sessions are in UTC.
    static func time(_ column: String) -> String { #"to_char(\#(column), 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"# }

    fileprivate static let days = PostgreSQLStatement(
        name: "days",
        sql: """
            SELECT key, \(time("received_at")), account, date, coverage, sent_by, quarters,
                \(RecordFigure.all.map { $0.form == .time ? time($0.column) : $0.column }.joined(separator: ", "))
            FROM daily_record WHERE $1::uuid IS NULL OR account = $1
            """)
    fileprivate static let events = PostgreSQLStatement(
        name: "events",
        sql: """
            SELECT key, \(time("received_at")), type, \(time("at")), threshold, place
            FROM event WHERE $1::uuid IS NULL OR account = $1
            """)
    fileprivate static let deleteOldErasures = PostgreSQLStatement(
        name: "delete_old_erasures",
        sql: "DELETE FROM erasure WHERE noted_at < now() - make_interval(days => $1::integer)")
    fileprivate static let deleteOldKeys = PostgreSQLStatement(
        name: "delete_old_keys",
        sql: """
            DELETE FROM idempotency_key WHERE ctid = ANY(ARRAY(
                SELECT ctid FROM idempotency_key WHERE received_at < now() - make_interval(days => $1::integer) LIMIT 10000))
            RETURNING 1
            """)
}
