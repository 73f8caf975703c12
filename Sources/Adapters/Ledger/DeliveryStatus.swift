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
    /// Records that were too old before they could be delivered, since the store began.
    public let dropped: Int
    /// Waiting daily records; then waiting events; then records that the server will never take.
    public let queuedDays: Int
    public let queuedEvents: Int
    /// Waiting requests to erase.
    public let queuedErasures: Int
    public let setAside: Int
    /// Each sink that was ever tried, in the order of their numbers.
    public let sinks: [SinkStatus]

    /// Runs in a row that began with a sink and were never completed, of the sink that has most of them; a run under way is one.
    public var unfinishedRuns: Int { leastFinished?.unfinishedRuns ?? 0 }
    /// The time at which the latest of them began; nil before the first.
    public var lastRunBegan: WallTime? { leastFinished?.lastRunBegan }
    private var leastFinished: SinkStatus? { sinks.max { $0.unfinishedRuns < $1.unfinishedRuns } }

    /// All that waits.
    public var queued: Int { queuedDays + queuedEvents + queuedErasures }
}

/// The state of delivery by one sink.
public struct SinkStatus: Equatable, Sendable {
    public let sink: SinkID
    public let lastAttempt: WallTime?
    public let lastSuccess: WallTime?
    public let lastError: String?
    public let lastErrorAt: WallTime?
    public let isPaused: Bool
    /// Runs in a row that began with it and were never completed; a run under way is one of them.
    public let unfinishedRuns: Int
    /// The time at which the latest run began with it; nil before the first.
    public let lastRunBegan: WallTime?
    /// The time before which it is left alone, and why; may be over.
    public let hold: Hold?
    /// The same for one kind of record.
    public let kindHolds: [OutboxRecord.Kind: Hold]
    /// Whose what waits is.
    public let ownership: Ownership
    /// Records that the sink will never take.
    public let setAside: Int
}

extension Ledger {
    /// The present state of delivery.
    public func deliveryStatus() throws(LedgerError) -> DeliveryStatus {
        try database.snapshot { () throws(LedgerError) in
            let records = try database.rows("SELECT id, kind FROM outbox") { ($0.integer(0), $0.integer(1)) }
            let states = try deliveryStates()
            var status = DeliveryCounts()
            for (id, kind) in records { status.add(states[id] ?? [:], kind: kind) }
            let logs = try deliveryLogs()
            var owners: [SinkID: Ownership] = [:]
            for (sink, log) in logs { owners[sink] = try ownership(by: log) }
            return DeliveryStatus(logs, owners, status)
        }
    }
}

/// Counts over all records.
private struct DeliveryCounts {
    var queuedDays = 0
    var queuedEvents = 0
    var queuedErasures = 0
    var setAside = 0
    var setAsideBy: [SinkID: Int] = [:]

    mutating func add(_ states: [SinkID: DeliveryState], kind: Int64) {
        for (sink, state) in states where state.outcome == .setAside {
            if sink == Ledger.wholeRecord { setAside += 1 } else { setAsideBy[sink, default: 0] += 1 }
        }
        guard states[Ledger.wholeRecord]?.outcome ?? .queued == .queued else { return }
        switch kind {
        case OutboxRecord.dayKind: queuedDays += 1
        case OutboxRecord.erasureKind: queuedErasures += 1
        default: queuedEvents += 1
        }
    }
}

extension DeliveryStatus {
    fileprivate init(_ logs: [SinkID: DeliveryLog], _ owners: [SinkID: Ownership], _ counts: DeliveryCounts) {
        let ids = Set(logs.keys).union(counts.setAsideBy.keys).subtracting([Ledger.wholeRecord])
        sinks = ids.sorted().map {
            SinkStatus(
                $0, logs[$0] ?? DeliveryLog(), owners[$0] ?? Ownership(), setAside: counts.setAsideBy[$0] ?? 0)
        }
        let failed = sinks.max { ($0.lastErrorAt?.nanoseconds ?? 0) < ($1.lastErrorAt?.nanoseconds ?? 0) }
        lastAttempt = sinks.compactMap(\.lastAttempt).max()
        lastSuccess = sinks.compactMap(\.lastSuccess).max()
        lastError = failed?.lastError
        lastErrorAt = failed?.lastErrorAt
        isPaused = sinks.contains(where: \.isPaused)
        dropped = Int(clamping: logs[Ledger.wholeRecord]?.dropped ?? 0)
        queuedDays = counts.queuedDays
        queuedEvents = counts.queuedEvents
        queuedErasures = counts.queuedErasures
        setAside = counts.setAside
    }
}

extension SinkStatus {
    fileprivate init(_ sink: SinkID, _ log: DeliveryLog, _ ownership: Ownership, setAside: Int) {
        self.sink = sink
        lastAttempt = log.lastAttempt
        lastSuccess = log.lastSuccess
        lastError = log.lastError
        lastErrorAt = log.lastErrorAt
        isPaused = log.pausedFor != nil
        hold = log.hold
        kindHolds = log.kindHolds
        self.ownership = ownership
        unfinishedRuns = Int(clamping: log.unfinishedRuns)
        lastRunBegan = log.runBegan
        self.setAside = setAside
    }
}
