import Core

/// The time before which a sink is not contacted, and the reason.
public struct Hold: Equatable, Sendable {
    public let reason: HoldReason
    public let until: WallTime
    /// The number of holds in a row, with this one.
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
        // A reason of another version is still a wait.
        reason = HoldReason(rawValue: try unpacker.take()) ?? .busy
        until = try unpacker.takeWallTime()
        let count: UInt32 = try unpacker.take()
        self.count = Int(clamping: count)
    }
}

/// The state of a sink at the beginning of a run.
public struct SinkStanding: Equatable, Sendable {
    public let log: DeliveryLog
    /// The ownership of the waiting records: those of another account are never sent for this one.
    public let ownership: Ownership
}

extension Ledger {
    /// Notes the account and the set-up of a sink at the beginning of a run, and returns its standing. A changed set-up
    /// (address, credentials, certificates) ends all waits except one that the server asked for, and refused records
    /// are tried once more.
    ///
    /// - Parameters:
    ///   - account: identifies the account; only a fingerprint is stored.
    ///   - setUp: everything besides the record that the answer depends on; only a fingerprint is stored.
    ///   - reading: the boot whose clock shows `now`, and its boot time.
    public func standing(
        of sink: SinkID, account: [UInt8], setUp: [UInt8], at now: TrustedTime, by reading: BootReading? = nil
    ) throws(LedgerError) -> SinkStanding {
        let setUp = vault.fingerprint(of: setUp)
        let account = vault.fingerprint(of: account)
        let known = try deliveryLogs()[sink] ?? DeliveryLog()
        if known.setUp == setUp, known.account?.fingerprint == account,
            known.account?.since != NotedAccount.untilNow
        {
            return SinkStanding(log: known, ownership: try ownership(by: known))
        }
        let moment = reading.map { StoreGap.Moment(boot: $0.id, at: $0.seen) }
        return try transaction { (transaction) throws(LedgerError) in
            var log = try deliveryLogs()[sink] ?? DeliveryLog()
            log.note(account: account, since: now.wall, moment)
            if log.setUp != setUp {
                log.setUp = setUp
                // A wait that the server asked for stays, even if the set-up changes.
                if log.hold?.reason != .busy { log.hold = nil }
                log.kindHolds = log.kindHolds.filter { $0.value.reason == .busy }
                log.pausedFor = nil
                try transaction.queueAgain(sink, where: { $0 == .setAside || $0 == .queued })
            }
            try transaction.write(log, of: sink)
            return SinkStanding(log: log, ownership: try ownership(by: log))
        }
    }

    /// Stops contact with the sink until a time, for all records or for one kind. `error` is the message for people.
    public func hold(
        _ sink: SinkID, _ hold: Hold, on kind: OutboxRecord.Kind? = nil, error: String, at now: TrustedTime
    ) throws(LedgerError) {
        try changeLog(of: sink) {
            if let kind { $0.kindHolds[kind] = hold } else { $0.hold = hold }
            $0.lastError = shortened(error)
            $0.lastErrorAt = now.wall
        }
    }

    /// Ends all waits of the sinks and of their records, including records without attempts left today.
    public func endWaits() throws(LedgerError) {
        try transaction { (transaction) throws(LedgerError) in
            for (sink, log) in try deliveryLogs() {
                var log = log
                log.endHolds()
                log.unfinishedRuns = 0
                try transaction.write(log, of: sink)
                try transaction.queueAgain(sink, where: { $0 == .queued })
            }
        }
    }

    /// Pauses a sink that refused this set-up, until it changes. Only a fingerprint is stored.
    public func pause(_ sink: SinkID, for setUp: [UInt8], error: String, at now: TrustedTime) throws(LedgerError) {
        let error = shortened(error)
        try changeLog(of: sink) {
            $0.pausedFor = vault.fingerprint(of: setUp)
            $0.failed(error, at: now.wall)
        }
    }
}
