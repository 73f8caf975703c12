import Foundation

extension SQLiteStore {
    func keep(_ batch: [Submission]) throws(StoreFailure) -> [Kept] {
        let outcomes = try database.transaction { () throws(StoreFailure) in
            var outcomes: [Kept] = []
            for submission in batch { outcomes.append(try keep(submission)) }
            return outcomes
        }
        if case .erasure? = batch.first?.content { try emptyLog() }
        return outcomes
    }

    /// Otherwise the log would keep pages from before an erasure.
    func emptyLog() throws(StoreFailure) { try database.rows("PRAGMA wal_checkpoint(TRUNCATE)") }

    /// Part of the caller's transaction.
    private func keep(_ submission: Submission) throws(StoreFailure) -> Kept {
        guard let owner = try owner(of: submission.sender) else { return .unknownSender }
        if case .holder = submission.sender, let account = submission.account, account != owner {
            return .otherAccount
        }
        if case .holder = submission.sender, try isTooMuch(submission, owner) { return .tooMany }
        let claimed = try database.rows(
            """
            INSERT INTO idempotency_key(owner, key, digest, received_at) VALUES(?, ?, ?, ?)
            ON CONFLICT(owner, key) DO UPDATE SET repeats = repeats + 1 RETURNING id, digest, repeats
            """, [.text(owner), .text(submission.key), .text(submission.digest.text), .text(SQLiteStore.now)])
        guard let row = claimed.first, let id = row[0].integer else {
            throw StoreFailure(.unavailable, "the store failed: a key was not kept")
        }
        guard row[2] == .integer(0) else {
            return row[1] == .null || row[1] == .text(submission.digest.text) ? .known : .conflicting
        }
        switch submission.content {
        case .day(let record): try insert(record, id, owner)
        case .event(let event): try insert(event, id, owner)
        case .erasure(let erasure): try erase(erasure, owner)
        }
        return .stored
    }

    /// Whether a new submission exceeds the account's limit for its day.
    private func isTooMuch(_ submission: Submission, _ owner: String) throws(StoreFailure) -> Bool {
        let sameDay: (condition: String, day: String, limit: Int)
        switch submission.content {
        case .day(let record):
            sameDay = ("daily_record WHERE account = ?1 AND date = ?2", record.date, DayLimit.records)
        case .event(let event):
            sameDay = (
                "event WHERE owner = ?1 AND at >= ?2 AND at < ?2 || 'U'", String(event.timestamp.prefix(10)),
                DayLimit.events
            )
        case .erasure: return false
        }
        return try !database.rows(
            """
            SELECT 1 WHERE \(sameDay.limit) <= (SELECT count(*) FROM \(sameDay.condition))
                AND NOT EXISTS (SELECT 1 FROM idempotency_key WHERE owner = ?1 AND key = ?3)
            """, [.text(owner), .text(sameDay.day), .text(submission.key)]
        ).isEmpty
    }

    private func owner(of sender: Submission.Sender) throws(StoreFailure) -> String? {
        switch sender {
        case .anyone: SQLiteStore.anyone
        case .holder(let token):
            try database.rows(
                "SELECT account FROM device WHERE token = ? AND revoked_at IS NULL", [.text(token.text)]
            ).first?.first?.text
        }
    }

    private func insert(_ record: DailyRecord, _ id: Int64, _ owner: String) throws(StoreFailure) {
        let erased = Set(
            try database.rows(
                "SELECT name FROM erasure WHERE account = ? AND owner = ? AND substr(until, 1, 10) > ?",
                [.text(record.account), .text(owner), .text(record.date)]
            ).compactMap { $0[0].text })
        guard let record = record.without(erased) else { return try forgetDigest(id) }
        if !erased.isEmpty { try forgetDigest(id) }
        try database.rows(
            """
            INSERT INTO daily_record(id, owner, account, date, coverage, device, quarters,
                \(RecordFigure.all.map(\.column).joined(separator: ", ")))
            VALUES(?, ?, ?, ?, ?, ?, ?, \(RecordFigure.all.map { _ in "?" }.joined(separator: ", ")))
            """,
            [
                .integer(id), .text(owner), .text(record.account), .text(record.date), Value(record.coverage),
                Value(record.device), Value(record.quarters),
            ]
                + RecordFigure.all.map { figure in
                    let value = record.figures[figure.name]
                    return value?.integer.map(Value.integer) ?? Value(value?.stored)
                })
    }

    private func insert(_ event: Event, _ id: Int64, _ owner: String) throws(StoreFailure) {
        let isErased = try !database.rows(
            "SELECT 1 FROM erasure WHERE owner = ? AND name = ? AND until >= ? LIMIT 1",
            [.text(owner), .text(event.type), .text(event.timestamp)]
        ).isEmpty
        guard !isErased else { return try forgetDigest(id) }
        try database.rows(
            "INSERT INTO event(id, owner, type, at, threshold, place) VALUES(?, ?, ?, ?, ?, ?)",
            [
                .integer(id), .text(owner), .text(event.type), .text(event.timestamp), Value(event.threshold),
                Value(event.place),
            ])
    }

    /// A digest would reveal the few possible values of a body.
    private func forgetDigest(_ id: Int64) throws(StoreFailure) {
        try database.rows("UPDATE idempotency_key SET digest = NULL WHERE id = ?", [.integer(id)])
    }

    private func erase(_ erasure: Erasure, _ owner: String) throws(StoreFailure) {
        for name in erasure.figures + erasure.events {
            try database.rows(
                """
                INSERT INTO erasure(owner, account, name, until, noted_at) VALUES(?, ?, ?, ?, ?)
                ON CONFLICT(owner, account, name) DO UPDATE SET until = max(until, excluded.until), noted_at = excluded.noted_at
                """,
                [
                    .text(owner), .text(erasure.account), .text(name), .text(erasure.until), .text(SQLiteStore.now),
                ])
        }
        try eraseFigures(erasure, owner)
        for type in erasure.events {
            let events: [Value] = [.text(owner), .text(type), .text(erasure.until)]
            let condition = "owner = ? AND type = ? AND at <= ?"
            try database.rows(
                "UPDATE idempotency_key SET digest = NULL WHERE id IN (SELECT id FROM event WHERE \(condition))", events
            )
            try database.rows("DELETE FROM event WHERE \(condition)", events)
        }
    }

    private func eraseFigures(_ erasure: Erasure, _ owner: String) throws(StoreFailure) {
        let columns = erasure.figures.compactMap { RecordFigure.named($0)?.column }
        guard !columns.isEmpty else { return }
        let days: [Value] = [.text(owner), .text(erasure.account), .text(erasure.date)]
        let condition = "owner = ? AND account = ? AND date < ?"
        try database.rows(
            "UPDATE idempotency_key SET digest = NULL WHERE id IN (SELECT id FROM daily_record WHERE \(condition))",
            days)
        // The time for which a kind of data was observed goes with any figure of it.
        let kinds = RecordFigure.kinds(of: erasure.figures).map { "'$.\($0)'" }.joined(separator: ", ")
        let cleared =
            columns.map { "\($0) = NULL" }
            + ["coverage", "quarters"].map { "\($0) = nullif(json_remove(\($0), \(kinds)), '{}')" }
        try database.rows("UPDATE daily_record SET \(cleared.joined(separator: ", ")) WHERE \(condition)", days)
        let isEmpty = RecordFigure.all.map { "\($0.column) IS NULL" }.joined(separator: " AND ")
        try database.rows("DELETE FROM daily_record WHERE \(condition) AND \(isEmpty)", days)
    }
}

extension DailyRecord {
    /// From the columns of `RecordFigure.all`, in that order.
    init(
        account: String, date: String, columns: [String?], coverage: String?, device: String?, quarters: String?
    ) {
        self.init(account: account, date: date, coverage: coverage, device: device, quarters: quarters)
        for (figure, text) in zip(RecordFigure.all, columns) { figures[figure.name] = text.flatMap(figure.value) }
    }

    /// The record without some figures; nil if none is left.
    func without(_ names: Set<String>) -> DailyRecord? {
        var record = self
        for name in names { record.figures[name] = nil }
        let kinds = RecordFigure.kinds(of: names)
        record.coverage = record.coverage?.without(kinds)
        record.quarters = record.quarters?.without(kinds)
        return record.figures.isEmpty ? nil : record
    }
}

extension String {
    /// Of an object as JSON, without some members; nil if none is left.
    fileprivate func without(_ names: Set<String>) -> String? {
        guard case .object(let members)? = JSON(Data(utf8)) else { return nil }
        let left = members.filter { !names.contains($0.key) }
        return left.isEmpty ? nil : JSON.object(left).stored
    }
}
