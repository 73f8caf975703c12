import Quantities
import Schedule
import Timekeeping

/// The time before which a sink is left alone, and why.
public struct Hold: Equatable, Sendable {
    public let reason: HoldReason
    public let until: WallTime
    /// How often in a row the sink was left alone, this time included.
    public let count: Int

    public init(reason: HoldReason, until: WallTime, count: Int) {
        self.reason = reason
        self.until = until
        self.count = count
    }

    func pack(into packer: inout Packer) {
        packer.put(reason.rawValue)
        packer.put(until.nanoseconds)
        packer.put(UInt32(clamping: count))
    }

    init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        // A reason that only another version knows is a wait all the same.
        reason = HoldReason(rawValue: try unpacker.take()) ?? .busy
        until = try unpacker.takeWallTime()
        let count: UInt32 = try unpacker.take()
        self.count = Int(clamping: count)
    }
}

/// The account that a sink delivers to.
struct NotedAccount: Equatable, Sendable {
    let fingerprint: [UInt8]
    /// What was collected up to then is another account's; nil for the first account of all.
    let since: WallTime?
    /// The same by boot time, which no step of the clock moves; nil where it is not known.
    let moment: StoreGap.Moment?

    /// Stands for a boundary whose time is not known yet: everything collected so far.
    static let untilNow = WallTime(nanoseconds: 0)

    func pack(into packer: inout Packer) {
        packer.put(fingerprint[...])
        packer.put(since != nil)
        if let since { packer.put(since.nanoseconds) }
        moment?.pack(into: &packer)
    }

    init(fingerprint: [UInt8], since: WallTime?, moment: StoreGap.Moment? = nil) {
        self.fingerprint = fingerprint
        self.since = since
        self.moment = moment
    }

    init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        fingerprint = Array(try unpacker.takeBytes(HandedMessage.fingerprintLength))
        since = try unpacker.takeBool() ? try unpacker.takeWallTime() : nil
        moment = unpacker.isAtEnd ? nil : try StoreGap.Moment(from: &unpacker)
    }
}

/// The state of a sink before a run hands it anything.
public struct SinkStanding: Equatable, Sendable {
    /// It refused the credentials that it has.
    public let isPaused: Bool
    public let hold: Hold?
    /// What was collected up to then is another account's, and is never sent for this one; nil where there was no other.
    public let accountSince: WallTime?
}

extension Ledger {
    /// Notes the account and the set-up of a sink at the beginning of a run, and tells how the sink stands. With another set-up
    /// (address, credentials, certificates) all waits are over but one that the server asked for, and whatever it refused is tried
    /// once more.
    ///
    /// - Parameters:
    ///   - account: names the account; only a fingerprint is stored.
    ///   - setUp: everything that an answer depends on beside the record; only a fingerprint is stored.
    ///   - reading: the boot whose clock tells `now`, and its boot time.
    public func standing(
        of sink: SinkID, account: [UInt8], setUp: [UInt8], at now: TrustedTime, by reading: BootReading? = nil
    ) throws(LedgerError) -> SinkStanding {
        let setUp = vault.fingerprint(of: setUp)
        let account = vault.fingerprint(of: account)
        let known = try deliveryLogs()[sink] ?? DeliveryLog()
        if known.setUp == setUp, known.account?.fingerprint == account, known.account?.since != NotedAccount.untilNow {
            return SinkStanding(known, accountSince: try boundary(of: known.account))
        }
        let moment = reading.map { StoreGap.Moment(boot: $0.id, at: $0.seen) }
        return try database.transaction { () throws(LedgerError) in
            var log = try deliveryLogs()[sink] ?? DeliveryLog()
            log.note(account: account, since: now.wall, moment)
            if log.setUp != setUp {
                log.setUp = setUp
                // A wait that the server asked for is not over because somebody else asks.
                if log.hold?.reason != .busy { log.hold = nil }
                log.pausedFor = nil
                try queueAgain(sink, where: { $0 == .setAside || $0 == .queued })
            }
            try write(log, of: sink)
            return SinkStanding(log, accountSince: try boundary(of: log.account))
        }
    }

    /// By what is known of the boots now: the clock may have been set since.
    private func boundary(of account: NotedAccount?) throws(LedgerError) -> WallTime? {
        guard let account, let since = account.since else { return nil }
        guard let moment = account.moment else { return since }
        let history = BootHistory(try storedBoots())
        guard let index = history.boots.firstIndex(where: { $0.id == moment.boot }) else { return since }
        return history.clock(ofBoot: index)?.time(at: moment.at).wall ?? since
    }

    /// Notes that somebody signed in: what was collected so far for another account stays that account's.
    ///
    /// - Parameters:
    ///   - now: nil while nobody knows what the time is; where that is never known of the boot, all that was collected up to the
    ///     next run is the other's.
    ///   - boot: this boot, and its boot time.
    public func noteSignIn(
        of account: [UInt8], to sink: SinkID, at now: TrustedTime?, in boot: (id: BootID, at: BootTime)? = nil
    ) throws(LedgerError) {
        let moment = boot.map { StoreGap.Moment(boot: $0.id, at: $0.at) }
        try database.transaction { () throws(LedgerError) in
            var log = try deliveryLogs()[sink] ?? DeliveryLog()
            let before = log
            log.note(account: vault.fingerprint(of: account), since: now?.wall, moment)
            if log != before { try write(log, of: sink) }
        }
    }

    /// Leaves the sink alone until a time. `count` tells how often in a row, `error` what a person is told.
    public func hold(
        _ sink: SinkID, _ hold: Hold, error: String, at now: TrustedTime
    ) throws(LedgerError) {
        try database.transaction { () throws(LedgerError) in
            try updateLog(of: sink) {
                $0.hold = hold
                $0.lastError = shortened(error)
                $0.lastErrorAt = now.wall
            }
        }
    }

    /// Ends all waits of the sinks and of their records, those of records that were tried too often today included.
    public func endWaits() throws(LedgerError) {
        try database.transaction { () throws(LedgerError) in
            for (sink, log) in try deliveryLogs() {
                var log = log
                log.hold = nil
                log.unfinishedRuns = 0
                try write(log, of: sink)
                try queueAgain(sink, where: { $0 == .queued })
            }
        }
    }

    /// Pauses a sink that refused this set-up, until there is another. Only a fingerprint is stored.
    public func pause(_ sink: SinkID, for setUp: [UInt8], error: String, at now: TrustedTime) throws(LedgerError) {
        let error = shortened(error)
        try database.transaction { () throws(LedgerError) in
            try updateLog(of: sink) {
                $0.pausedFor = vault.fingerprint(of: setUp)
                $0.failed(error, at: now.wall)
            }
        }
    }
}

extension SinkStanding {
    fileprivate init(_ log: DeliveryLog, accountSince: WallTime?) {
        isPaused = log.pausedFor != nil
        hold = log.hold
        self.accountSince = accountSince
    }
}

extension DeliveryLog {
    /// - Parameter time: the latest time at which something may have been collected for another account; nil where the time is
    ///   not known.
    fileprivate mutating func note(account: [UInt8], since time: WallTime?, _ moment: StoreGap.Moment?) {
        guard let known = self.account else {
            self.account = NotedAccount(fingerprint: account, since: nil)
            return
        }
        if known.fingerprint != account {
            // What another receiver was told says nothing of this one, which may show what it got in former times.
            announced = nil
            self.account = NotedAccount(
                fingerprint: account, since: time ?? NotedAccount.untilNow, moment: moment)
        } else if known.since == NotedAccount.untilNow, let time {
            self.account = NotedAccount(fingerprint: account, since: time, moment: known.moment)
        }
    }
}
