import Foundation

extension SQLiteStore {
    func contents(of account: String?) throws(StoreFailure) -> [StoredRecord] {
        let days = try database.rows(
            """
            SELECT id, k.key, k.received_at, account, date, coverage, device, quarters,
                \(RecordFigure.all.map(\.column).joined(separator: ", ")) FROM daily_record JOIN idempotency_key AS k USING (id) WHERE ?1 IS NULL OR account = ?1
            """, [Value(account)]
        ).map { row in
            let record = DailyRecord(
                account: row[3].text ?? "", date: row[4].text ?? "",
                columns: row[8...].map { $0.integer.map(String.init) ?? $0.text }, coverage: row[5].text,
                device: row[6].text, quarters: row[7].text)
            return (id: row[0].integer ?? 0, record: stored(row, .day(record)))
        }
        let events = try database.rows(
            """
            SELECT id, k.key, k.received_at, type, at, threshold, place
            FROM event JOIN idempotency_key AS k USING (id) WHERE ?1 IS NULL OR event.owner = ?1
            """, [Value(account)]
        ).map { row in
            let event = Event(
                type: row[3].text ?? "", timestamp: row[4].text ?? "", threshold: row[5].integer, place: row[6].text)
            return (id: row[0].integer ?? 0, record: stored(row, .event(event)))
        }
        return (days + events).sorted { $0.id < $1.id }.map(\.record)
    }

    private func stored(_ row: [Value], _ content: Submission.Content) -> StoredRecord {
        StoredRecord(key: row[1].text ?? "", receivedAt: row[2].text ?? "", content: content)
    }

    /// Records of all months share tables here. A key stays while its record exists, because the record refers to it.
    func maintain(_ retention: Retention) throws(StoreFailure) -> MaintenanceReport {
        try database.transaction { () throws(StoreFailure) in
            var report = MaintenanceReport()
            if let months = retention.months {
                let first = "date('now', 'start of month', '-\(months) months')"
                report.droppedMonths = try database.rows(
                    """
                    SELECT DISTINCT substr(date, 1, 7) FROM daily_record WHERE date < \(first)
                    UNION SELECT DISTINCT substr(at, 1, 7) FROM event WHERE at < \(first) ORDER BY 1
                    """
                ).compactMap { $0[0].text }
                try database.rows("DELETE FROM daily_record WHERE date < \(first)")
                try database.rows("DELETE FROM event WHERE at < \(first)")
            }
            let oldest = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-\(retention.keyDays) days')"
            try database.rows(
                """
                DELETE FROM idempotency_key WHERE received_at < \(oldest)
                    AND id NOT IN (SELECT id FROM daily_record UNION ALL SELECT id FROM event)
                """)
            report.deletedKeys = database.changes
            try database.rows("DELETE FROM erasure WHERE noted_at < \(oldest)")
            return report
        }
    }
}
