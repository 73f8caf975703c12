import Quantities
import Vault

/// The reports of the sender. A report about a record that is not queued any more does not change it, except
/// `markDelivered` of a withheld one.
extension Ledger {
    /// Marks a record that the server has, also one that was withheld while on its way. Its payload is deleted; kind,
    /// time and key stay until `dropExpired`, so that the same record is not queued again.
    public func markDelivered(_ id: OutboxRecord.ID, at now: WallTime) throws(LedgerError) {
        try database.transaction { () throws(LedgerError) in
            try database.run(
                "UPDATE outbox SET state = ?, settled_at = ?, error = NULL WHERE id = ? AND state IN (?, ?)",
                [
                    .integer(OutboxState.delivered.rawValue), .integer(now.nanoseconds), .integer(id), queuedState,
                    .integer(OutboxState.withheld.rawValue),
                ])
            guard database.changes == 1 else { return }
            try database.run("DELETE FROM outbox_field WHERE record = ?", [.integer(id)])
            try database.run(
                "UPDATE delivery SET last_attempt = ?1, last_success = ?1", [.integer(now.nanoseconds)])
        }
    }

    /// Notes an attempt that failed and may succeed later.
    public func markRetry(
        _ id: OutboxRecord.ID, notBefore: WallTime, error: String, at now: WallTime
    ) throws(LedgerError) {
        try database.transaction { () throws(LedgerError) in
            try database.run(
                """
                UPDATE outbox SET attempts = attempts + 1,
                    attempts_on_day = CASE WHEN attempt_day = ?1 THEN attempts_on_day + 1 ELSE 1 END,
                    attempt_day = ?1, not_before = ?2, error = ?3
                WHERE id = ?4 AND state = ?5
                """,
                [
                    .integer(UTCDay(containing: now).daysSinceEpoch), .integer(notBefore.nanoseconds),
                    .text(shortened(error)), .integer(id), queuedState,
                ])
            try noteFailure(error, at: now)
        }
    }

    /// Marks a record that the server will never take. It stays with its error until it expires, and is not sent again.
    public func setAside(_ id: OutboxRecord.ID, error: String, at now: WallTime) throws(LedgerError) {
        try database.transaction { () throws(LedgerError) in
            try database.run(
                "UPDATE outbox SET state = ?, settled_at = ?, error = ? WHERE id = ? AND state = ?",
                [
                    .integer(OutboxState.setAside.rawValue), .integer(now.nanoseconds), .text(shortened(error)),
                    .integer(id), queuedState,
                ])
            try noteFailure(error, at: now)
        }
    }

    /// Withholds a record that the wearer does not allow any more: its payload is deleted and it is never sent. Kind,
    /// time and key stay until `dropExpired`, so that the same record is not queued again.
    public func withhold(_ id: OutboxRecord.ID, at now: WallTime) throws(LedgerError) {
        try database.transaction { () throws(LedgerError) in
            try database.run(
                "UPDATE outbox SET state = ?, settled_at = ?, error = NULL WHERE id = ? AND state = ?",
                [.integer(OutboxState.withheld.rawValue), .integer(now.nanoseconds), .integer(id), queuedState])
            guard database.changes == 1 else { return }
            try database.run("DELETE FROM outbox_field WHERE record = ?", [.integer(id)])
        }
    }

    /// Deletes the records of times before `oldest`; a day is as old as its end. Returns the count of deleted records
    /// that were queued or set aside, which the server never gets.
    @discardableResult
    public func dropExpired(olderThan oldest: WallTime) throws(LedgerError) -> Int {
        try database.transaction { () throws(LedgerError) in
            let expired = SQLValue.integer(oldest.nanoseconds)
            let delivered = SQLValue.integer(OutboxState.delivered.rawValue)
            let withheld = SQLValue.integer(OutboxState.withheld.rawValue)
            try database.run(
                "DELETE FROM outbox_field WHERE record IN (SELECT id FROM outbox WHERE at < ?)", [expired])
            try database.run(
                "DELETE FROM outbox WHERE at < ? AND state IN (?, ?)", [expired, delivered, withheld])
            try database.run("DELETE FROM outbox WHERE at < ?", [expired])
            let dropped = database.changes
            if dropped > 0 { try database.run("UPDATE delivery SET dropped = dropped + ?", [.integer(dropped)]) }
            return dropped
        }
    }

    /// Notes that a run of the sender begins; until `noteRunCompleted` it counts as unfinished.
    public func noteRunBegan(at now: WallTime) throws(LedgerError) {
        try database.run(
            "UPDATE delivery SET unfinished_runs = unfinished_runs + 1, run_began = ?", [.integer(now.nanoseconds)])
    }

    /// Notes that the run came to its end, whatever it achieved.
    public func noteRunCompleted() throws(LedgerError) {
        try database.run("UPDATE delivery SET unfinished_runs = 0")
    }

    /// Pauses sending after the server refused `token`, until there is another token or `resume` is called. Only a
    /// fingerprint of the token is stored.
    public func pause(for token: [UInt8], error: String, at now: WallTime) throws(LedgerError) {
        try database.transaction { () throws(LedgerError) in
            try database.run("UPDATE delivery SET paused_for = ?", [.blob(vault.fingerprint(of: token))])
            try noteFailure(error, at: now)
        }
    }

    /// Ends the pause, whatever the token.
    public func resume() throws(LedgerError) { try database.run("UPDATE delivery SET paused_for = NULL") }

    /// Whether sending is paused because the server refused this token.
    public func isPaused(for token: [UInt8]) throws(LedgerError) -> Bool {
        let refused = try database.rows("SELECT paused_for FROM delivery") { $0.blob(0) }
        return refused == [vault.fingerprint(of: token)]
    }

    private var queuedState: SQLValue { .integer(OutboxState.queued.rawValue) }

    private func noteFailure(_ error: String, at now: WallTime) throws(LedgerError) {
        try database.run(
            "UPDATE delivery SET last_attempt = ?1, last_error = ?2, last_error_at = ?1",
            [.integer(now.nanoseconds), .text(shortened(error))])
    }

    /// The first 300 characters of an error, which may quote a long answer of the server.
    private func shortened(_ error: String) -> String { String(error.prefix(300)) }
}
