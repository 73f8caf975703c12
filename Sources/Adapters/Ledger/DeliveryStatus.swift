import Quantities

/// The state of delivery, for `anicca status` (SPEC §7).
public struct DeliveryStatus: Equatable, Sendable {
    /// The time of the latest request to the server to take a record; nil before the first.
    public let lastAttempt: WallTime?
    /// The time at which it last took one.
    public let lastSuccess: WallTime?
    /// The latest error. It stays after a later success; `lastErrorAt` tells which was later.
    public let lastError: String?
    public let lastErrorAt: WallTime?
    /// The server refused the token, and no other has been tried since.
    public let isPaused: Bool
    /// Runs of the sender in a row that began and were never completed; a run under way is one of them.
    public let unfinishedRuns: Int
    /// The time at which the latest run began; nil before the first.
    public let lastRunBegan: WallTime?
    /// Records that were too old before they could be delivered, since the store began.
    public let dropped: Int
    /// Waiting daily records; then waiting events; then records that the server will never take.
    public let queuedDays: Int
    public let queuedEvents: Int
    public let setAside: Int
}

extension Ledger {
    /// The present state of delivery.
    public func deliveryStatus() throws(LedgerError) -> DeliveryStatus {
        let statuses = try database.rows(
            """
            SELECT last_attempt, last_success, last_error, last_error_at, paused_for IS NOT NULL, unfinished_runs,
                dropped,
                (SELECT count(*) FROM outbox WHERE state = ?1 AND kind = ?3),
                (SELECT count(*) FROM outbox WHERE state = ?1 AND kind <> ?3),
                (SELECT count(*) FROM outbox WHERE state = ?2), run_began
            FROM delivery
            """,
            [
                .integer(OutboxState.queued.rawValue), .integer(OutboxState.setAside.rawValue),
                .integer(OutboxRecord.dayKind),
            ]
        ) { DeliveryStatus($0) }
        guard let status = statuses.first else { throw .damaged(path: path, detail: "no delivery status") }
        return status
    }
}

extension DeliveryStatus {
    fileprivate init(_ row: Row) {
        lastAttempt = row.time(0)
        lastSuccess = row.time(1)
        lastError = row.text(2)
        lastErrorAt = row.time(3)
        isPaused = row.integer(4) != 0
        unfinishedRuns = row.count(5)
        dropped = row.count(6)
        queuedDays = row.count(7)
        queuedEvents = row.count(8)
        setAside = row.count(9)
        lastRunBegan = row.time(10)
    }
}
