import Core

/// The state of delivery, for `anicca status` (SPEC §7).
public struct DeliveryStatus: Equatable, Sendable {
    /// Records that became too old before delivery, since the store began.
    public fileprivate(set) var dropped = 0
    /// Waiting daily records; waiting events; waiting requests to erase; records that the server will never accept.
    public fileprivate(set) var queuedDays = 0
    public fileprivate(set) var queuedEvents = 0
    public fileprivate(set) var queuedErasures = 0
    public fileprivate(set) var setAside = 0
    /// Each sink that was ever tried, ordered by number.
    public fileprivate(set) var sinks: [SinkStatus] = []

    /// As in the log of a sink, the latest of all sinks.
    public var lastAttempt: WallTime? { logs.compactMap(\.lastAttempt).max() }
    public var lastSuccess: WallTime? { logs.compactMap(\.lastSuccess).max() }
    public var lastError: String? { latestFailed?.lastError }
    public var lastErrorAt: WallTime? { latestFailed?.lastErrorAt }
    /// Whether any of the sinks is paused.
    public var isPaused: Bool { logs.contains(where: \.isPaused) }
    /// The greatest number of all sinks.
    public var unfinishedRuns: Int { Int(clamping: leastFinished?.unfinishedRuns ?? 0) }
    /// The start of the latest of these runs; nil before the first.
    public var lastRunBegan: WallTime? { leastFinished?.runBegan }
    /// All waiting records.
    public var queued: Int { queuedDays + queuedEvents + queuedErasures }

    private var logs: [DeliveryLog] { sinks.map(\.log) }
    private var latestFailed: DeliveryLog? {
        logs.max { ($0.lastErrorAt?.nanoseconds ?? 0) < ($1.lastErrorAt?.nanoseconds ?? 0) }
    }
    private var leastFinished: DeliveryLog? { logs.max { $0.unfinishedRuns < $1.unfinishedRuns } }

    fileprivate mutating func count(_ outcome: DeliveryState.Outcome, kind: Int64) {
        if outcome == .setAside { setAside += 1 }
        guard outcome == .queued else { return }
        switch kind {
        case OutboxRecord.dayKind: queuedDays += 1
        case OutboxRecord.erasureKind: queuedErasures += 1
        default: queuedEvents += 1
        }
    }
}

/// The state of delivery by one sink.
public struct SinkStatus: Equatable, Sendable {
    public let sink: SinkID
    public let log: DeliveryLog
    /// The ownership of the waiting records.
    public let ownership: Ownership
    /// Records that the sink will never accept.
    public let setAside: Int
}

extension Ledger {
    /// The present state of delivery.
    public func deliveryStatus() throws(LedgerError) -> DeliveryStatus {
        try database.snapshot { () throws(LedgerError) in
            let records = try database.rows("SELECT id, kind FROM outbox") { ($0.integer(0), $0.integer(1)) }
            let states = try deliveryStates()
            var status = DeliveryStatus()
            var setAside: [SinkID: Int] = [:]
            for (id, kind) in records {
                let states = states[id] ?? [:]
                status.count(states[Ledger.wholeRecord]?.outcome ?? .queued, kind: kind)
                for (sink, state) in states where state.outcome == .setAside { setAside[sink, default: 0] += 1 }
            }
            let logs = try deliveryLogs()
            status.dropped = Int(clamping: logs[Ledger.wholeRecord]?.dropped ?? 0)
            let sinks = Set(logs.keys).union(setAside.keys).subtracting([Ledger.wholeRecord])
            for sink in sinks.sorted() {
                let log = logs[sink] ?? DeliveryLog()
                status.sinks.append(
                    SinkStatus(
                        sink: sink, log: log, ownership: try ownership(by: log), setAside: setAside[sink] ?? 0))
            }
            return status
        }
    }
}
