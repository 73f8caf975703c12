import Core

/// The log of one sink or, under `Ledger.wholeRecord`, of the sender's runs.
public struct DeliveryLog: Equatable, Sendable {
    /// The time of the latest request with a record; nil before the first.
    public internal(set) var lastAttempt: WallTime?
    /// The time of the latest delivery.
    public internal(set) var lastSuccess: WallTime?
    /// The latest error. It stays after a later success; compare `lastErrorAt`.
    public internal(set) var lastError: String?
    public internal(set) var lastErrorAt: WallTime?
    /// The fingerprint of the refused credentials; nil if none were refused.
    var pausedFor: [UInt8]?
    /// The start of the latest run with it; nil before the first.
    public internal(set) var runBegan: WallTime?
    /// Runs in a row that began with it and were not completed; includes a current run.
    public internal(set) var unfinishedRuns: UInt32 = 0
    var dropped: UInt32 = 0
    /// The time before which the sink is not contacted, and the reason; may be over.
    public internal(set) var hold: Hold?
    /// The same for one kind of record.
    public internal(set) var kindHolds: [OutboxRecord.Kind: Hold] = [:]
    var account: NotedAccount?
    /// The former accounts, the latest last.
    var formerAccounts: [NotedAccount] = []
    /// Whether something may have been delivered for a former account. Stays set even if both accounts belong to one
    /// person.
    var mayHaveDeliveredForOthers = false
    /// The fingerprint of the latest run's set-up.
    var setUp: [UInt8]?
    /// The last announcement that the receiver acknowledged.
    var announced: Announcement?
    /// As in `DeliveryState`.
    private var kept = Parts()

    init() {}

    /// The sink refused its credentials, and they have not changed since.
    public var isPaused: Bool { pausedFor != nil }

    /// Notes a failure, of an attempt or of a run.
    mutating func failed(_ error: String, at now: WallTime) {
        lastAttempt = now
        lastError = error
        lastErrorAt = now
    }

    mutating func endHolds() {
        hold = nil
        kindHolds = [:]
    }
}

extension DeliveryLog {
    /// The number of holds in a row for this reason, on the sink or on one kind of record.
    func holds(for reason: HoldReason, on kind: OutboxRecord.Kind? = nil) -> Int {
        guard let hold = kind.map({ kindHolds[$0] }) ?? hold,
            hold.reason == reason || hold.reason.isPassing && reason.isPassing
        else { return 0 }
        return hold.count
    }

    /// Never reuse a tag.
    private enum Part {
        static let lastAttempt = Parts.Kind(1, version: 1)
        static let lastSuccess = Parts.Kind(2, version: 1)
        static let lastError = Parts.Kind(3, version: 1)
        static let lastErrorAt = Parts.Kind(4, version: 1)
        static let pausedFor = Parts.Kind(5, version: 1)
        static let runBegan = Parts.Kind(6, version: 1)
        static let counts = Parts.Kind(7, version: 1)
        static let hold = Parts.Kind(8, version: 1)
        static let account = Parts.Kind(9, version: 1)
        static let setUp = Parts.Kind(10, version: 1)
        static let announced = Parts.Kind(11, version: 1)
        static let kindHolds = Parts.Kind(12, version: 1)
        static let formerAccounts = Parts.Kind(13, version: 1)
        static let others = Parts.Kind(14, version: 1)

        static let all = [
            lastAttempt, lastSuccess, lastError, lastErrorAt, pausedFor, runBegan, counts, hold, account, setUp,
            announced, kindHolds, formerAccounts, others,
        ]
    }

    var payload: [UInt8] {
        var parts = kept
        parts.put(Part.lastAttempt, time: lastAttempt)
        parts.put(Part.lastSuccess, time: lastSuccess)
        parts.put(Part.lastError, text: lastError)
        parts.put(Part.lastErrorAt, time: lastErrorAt)
        if let pausedFor { parts.put(Part.pausedFor, pausedFor) }
        parts.put(Part.runBegan, time: runBegan)
        parts.put(Part.counts) {
            $0.put(unfinishedRuns)
            $0.put(dropped)
        }
        if let hold { parts.put(Part.hold) { hold.pack(into: &$0) } }
        if let account { parts.put(Part.account) { account.pack(into: &$0) } }
        if let setUp { parts.put(Part.setUp, setUp) }
        if let announced { parts.put(Part.announced) { announced.pack(into: &$0) } }
        if !kindHolds.isEmpty {
            parts.put(Part.kindHolds) {
                for (kind, hold) in kindHolds.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                    $0.put(kind.rawValue)
                    hold.pack(into: &$0)
                }
            }
        }
        if !formerAccounts.isEmpty {
            parts.put(Part.formerAccounts) { for account in formerAccounts { account.pack(into: &$0) } }
        }
        if mayHaveDeliveredForOthers { parts.put(Part.others, []) }
        return parts.bytes
    }

    init(payload: UnsafeRawBufferPointer) throws(Unpacker.Malformed) {
        let parts = try Parts(Array(payload))
        lastAttempt = try parts.time(Part.lastAttempt)
        lastSuccess = try parts.time(Part.lastSuccess)
        lastError = try parts.text(Part.lastError)
        lastErrorAt = try parts.time(Part.lastErrorAt)
        pausedFor = try parts[Part.pausedFor].map { Array($0.content) }
        runBegan = try parts.time(Part.runBegan)
        if var unpacker = try parts[Part.counts]?.unpacker {
            unfinishedRuns = try unpacker.take()
            dropped = try unpacker.take()
        }
        if var unpacker = try parts[Part.hold]?.unpacker { hold = try Hold(from: &unpacker) }
        if var unpacker = try parts[Part.account]?.unpacker { account = try NotedAccount(from: &unpacker) }
        setUp = try parts[Part.setUp].map { Array($0.content) }
        if var unpacker = try parts[Part.announced]?.unpacker { announced = try Announcement(from: &unpacker) }
        if var unpacker = try parts[Part.kindHolds]?.unpacker {
            while !unpacker.isAtEnd {
                let kind = OutboxRecord.Kind(rawValue: try unpacker.take())
                let hold = try Hold(from: &unpacker)
                if let kind { kindHolds[kind] = hold }
            }
        }
        if var unpacker = try parts[Part.formerAccounts]?.unpacker {
            while !unpacker.isAtEnd { formerAccounts.append(try NotedAccount(from: &unpacker)) }
        }
        mayHaveDeliveredForOthers = try parts[Part.others] != nil
        kept = parts.excluding(Part.all)
    }
}

extension Parts {
    mutating func put(_ kind: Kind, time: WallTime?) {
        if let time { put(kind) { $0.put(time.nanoseconds) } }
    }

    mutating func put(_ kind: Kind, text: String?) {
        if let text { put(kind, Array(text.utf8)) }
    }

    /// Nil if there is none.
    func time(_ kind: Kind) throws(Unpacker.Malformed) -> WallTime? {
        guard var unpacker = try self[kind]?.unpacker else { return nil }
        return try unpacker.takeWallTime()
    }

    func text(_ kind: Kind) throws(Unpacker.Malformed) -> String? {
        try self[kind].map { String(decoding: $0.content, as: UTF8.self) }
    }
}

extension Unpacker {
    /// A time outside 1970 to 2116, which no clock shows, is malformed, so that callers can calculate with it.
    mutating func takeWallTime() throws(Malformed) -> WallTime {
        let nanoseconds: Int64 = try take()
        guard (0...1 << 62).contains(nanoseconds) else { throw Malformed() }
        return WallTime(nanoseconds: nanoseconds)
    }
}
