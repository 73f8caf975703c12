import Core

/// The sender's reports. A queued record is stored separately from its deliveries: each sink has a sealed state of its
/// own for each record. A report about a record that its sink has settled does not change it, except `markDelivered` of
/// a withheld one.
///
/// A record is finished when all its sinks have settled it. Its payload is deleted when all of them have it.
extension Ledger {
    /// Stands for the record itself among the sinks' states, and for the sender among their logs.
    static let wholeRecord: SinkID = 0

    /// Marks a record as delivered, even if it was withheld while it was being sent. Kind, time and key stay until
    /// `dropExpired`, so that the same record is not queued again.
    ///
    /// - Parameter sinks: all sinks for the record.
    public func markDelivered(
        _ id: OutboxRecord.ID, by sink: SinkID, of sinks: [SinkID], at now: TrustedTime
    ) throws(LedgerError) {
        let kind = try database.integer("SELECT kind FROM outbox WHERE id = ?", [.integer(id)]).map {
            OutboxRecord.Kind(row: $0)
        }
        try settle(id, at: sink, of: sinks, now, allowsWithheld: true) {
            $0.settle(.delivered, at: now.wall)
        } log: {
            $0.lastAttempt = now.wall
            $0.lastSuccess = now.wall
            $0.hold = nil
            if let kind { $0.kindHolds[kind] = nil }
        }
    }

    /// Notes a failed attempt that may be repeated.
    public func markRetry(
        _ id: OutboxRecord.ID, at sink: SinkID, notBefore: WallTime, error: String, now: TrustedTime
    ) throws(LedgerError) {
        let error = shortened(error)
        try settle(id, at: sink, of: [], now) {
            $0.failed(at: now.wall, notBefore: notBefore, error: error)
        } log: {
            $0.failed(error, at: now.wall)
        }
    }

    /// Gives up a request to erase that this sink has answered for `age` without complying. Returns false, with nothing
    /// noted, if that is not the case, or if the clock of `now` may not delete.
    public func giveUpErasure(
        _ id: OutboxRecord.ID, at sink: SinkID, of sinks: [SinkID], failingFor age: Interval, _ now: TrustedTime,
        by reading: BootReading? = nil
    ) throws(LedgerError) -> Bool {
        try transaction { (transaction) throws(LedgerError) in
            var states = try deliveryStates(of: id)[id] ?? [:]
            guard try isErasure(id), var state = states[sink], let since = state.firstFailure, now.wall - since >= age,
                try reading.map({ reading throws(LedgerError) in try mayDelete(by: reading) }) ?? true
            else { return false }
            state.settle(.withheld, at: now.wall)
            states[sink] = state
            try transaction.write(state, of: id, at: sink)
            try transaction.finish(id, states, of: sinks, at: now.wall)
            try transaction.updateLog(of: Ledger.wholeRecord) { $0.dropped &+= 1 }
            return true
        }
    }

    /// Marks a record that the sink will never accept. It stays with its error until it expires, and is not sent there
    /// again before `queueAgain` or another set-up.
    public func setAside(
        _ id: OutboxRecord.ID, by sink: SinkID, of sinks: [SinkID], error: String, at now: TrustedTime
    ) throws(LedgerError) {
        let error = shortened(error)
        try settle(id, at: sink, of: sinks, now) {
            $0.failed(at: now.wall, notBefore: nil, error: error)
            $0.settle(.setAside, at: now.wall, error: error)
        } log: {
            $0.failed(error, at: now.wall)
        }
    }

    /// Marks a record that this sink must not get.
    public func withhold(
        _ id: OutboxRecord.ID, from sink: SinkID, of sinks: [SinkID], at now: TrustedTime
    ) throws(LedgerError) {
        try settle(id, at: sink, of: sinks, now) {
            $0.settle(.withheld, at: now.wall)
        } log: { _ in
        }
    }

    /// Withholds a record that the wearer no longer allows: its payload is deleted and no sink gets it. Kind, time and
    /// key stay until `dropExpired`, so that the same record is not queued again.
    public func withhold(_ id: OutboxRecord.ID, at now: TrustedTime) throws(LedgerError) {
        try transaction { (transaction) throws(LedgerError) in
            guard try exists(id), try state(of: id, at: Ledger.wholeRecord).outcome == .queued else { return }
            try transaction.finish(id, .withheld, at: now.wall)
        }
    }

    /// Finishes the records that all sinks have settled, as after one of them was removed from the configuration.
    public func finishSettled(of sinks: [SinkID], at now: TrustedTime) throws(LedgerError) {
        try transaction { (transaction) throws(LedgerError) in
            let states = try deliveryStates()
            for (id, record) in states where record[Ledger.wholeRecord] == nil {
                try transaction.finish(id, record, of: sinks, at: now.wall)
            }
        }
    }

    /// Deletes the records of times more than `age` before `now`; the age of a day counts from its end. Returns the
    /// number of deleted records that were neither delivered to all sinks nor withheld.
    ///
    /// - Parameter reading: the boot whose clock shows `now`. If that clock has just leapt ahead, nothing is deleted.
    @discardableResult
    public func dropExpired(
        olderThan age: Interval, at now: TrustedTime, by reading: BootReading? = nil
    ) throws(LedgerError) -> Int {
        try transaction { (transaction) throws(LedgerError) in
            if let reading, try !mayDelete(by: reading) { return 0 }
            return try transaction.expire(before: now.wall - age)
        }
    }

    /// Notes a message before it is handed over for the first time. From now on the record does not change, because a
    /// server may have it, and its key belongs to this message.
    ///
    /// - Parameters:
    ///   - account: as for `standing(of:account:setUp:at:)`.
    ///   - entry: the last entry of the trail when the message was made; nil if it needs no consent.
    /// - Returns: the kept message; nil, with nothing noted, if it must not be sent: the record is no longer queued, or
    ///   consent has changed since `entry`.
    @discardableResult
    public func beginSending(
        _ id: OutboxRecord.ID, by sink: SinkID, account: [UInt8], figures: [UInt8] = [], body: [UInt8],
        asOf entry: ConsentEntry.ID? = nil, at now: TrustedTime
    ) throws(LedgerError) -> HandedMessage? {
        let message = HandedMessage(account: vault.fingerprint(of: account), figures: figures, body: body)
        return try transaction { (transaction) throws(LedgerError) -> HandedMessage? in
            guard try isQueued(id, for: sink) else { return nil }
            if let entry, try consent().lastEntry != entry { return nil }
            try transaction.makeFinal(dayOf: id)
            try transaction.makeFinal(event: id)
            var state = try state(of: id, at: sink)
            state.message = message
            try transaction.write(state, of: id, at: sink)
            try transaction.updateLog(of: sink) { $0.lastAttempt = now.wall }
            return message
        }
    }

    /// Notes that the sink could not be reached, and puts it on hold. This does not count as an attempt.
    ///
    /// - Parameter wasFirst: the message was noted for this attempt, and is dropped.
    public func noteUnreachable(
        _ id: OutboxRecord.ID, by sink: SinkID, wasFirst: Bool, until: WallTime, error: String, at now: TrustedTime
    ) throws(LedgerError) {
        let error = shortened(error)
        try transaction { (transaction) throws(LedgerError) in
            if wasFirst, try exists(id) {
                var state = try state(of: id, at: sink)
                state.message = nil
                try transaction.write(state, of: id, at: sink)
            }
            try transaction.updateLog(of: sink) {
                $0.failed(error, at: now.wall)
                $0.hold = Hold(reason: .unreachable, until: until, count: $0.holds(for: .unreachable) + 1)
            }
        }
    }

    /// Whether the message was made for this account.
    public func isMessage(_ message: HandedMessage, for account: [UInt8]) -> Bool {
        message.account == vault.fingerprint(of: account)
    }

    /// Notes that a run begins with a sink; until `noteRunCompleted` it counts as unfinished. Each sink has its own
    /// count, so that a sink that crashes the program does not delay the others.
    public func noteRunBegan(with sink: SinkID, at now: TrustedTime) throws(LedgerError) {
        try changeLog(of: sink) {
            $0.unfinishedRuns &+= 1
            $0.runBegan = now.wall
        }
    }

    /// Notes that the run with the sink ended, whatever the result.
    public func noteRunCompleted(with sink: SinkID) throws(LedgerError) {
        try changeLog(of: sink) { $0.unfinishedRuns = 0 }
    }

    /// The first 300 characters of an error, which may quote a long answer of the server.
    func shortened(_ error: String) -> String { String(error.prefix(300)) }
}

extension Transaction {
    /// Like `Ledger.dropExpired`, by a clock that may delete. The time of a record that
    /// does not open is unknown: its age counts from the time at which it was set aside.
    func expire(before oldest: WallTime) throws(LedgerError) -> Int {
        let states = try ledger.wholeStates()
        let expired = try ledger.queuedRows().filter { row in
            let at = ledger.fields(of: row) != nil ? WallTime(nanoseconds: row.at) : states[row.id]?.settledAt
            // Requests to erase do not expire here.
            return row.kind != OutboxRecord.erasureKind && at.map { $0 < oldest } ?? false
        }
        for record in expired { try makeFinal(dayOf: record.id) }
        for record in expired { try deleteRecord(record.id) }
        let dropped = expired.count {
            switch states[$0.id]?.outcome ?? .queued {
            case .queued, .setAside: true
            case .delivered, .withheld: false
            }
        }
        if dropped > 0 { try updateLog(of: Ledger.wholeRecord) { $0.dropped &+= UInt32(clamping: dropped) } }
        return dropped
    }

    fileprivate func makeFinal(dayOf id: OutboxRecord.ID) throws(LedgerError) {
        guard let row = try ledger.queuedRow(id), row.kind == OutboxRecord.dayKind, ledger.fields(of: row) != nil else {
            return
        }
        try makeFinal(through: UTCDay(containing: WallTime(nanoseconds: row.at)))
    }
}

// MARK: - Changing states

extension Ledger {
    private func settle(
        _ id: OutboxRecord.ID, at sink: SinkID, of sinks: [SinkID], _ now: TrustedTime, allowsWithheld: Bool = false,
        _ change: (inout DeliveryState) -> Void, log: (inout DeliveryLog) -> Void
    ) throws(LedgerError) {
        try transaction { (transaction) throws(LedgerError) in
            var states = try deliveryStates(of: id)[id] ?? [:]
            let whole = states[Ledger.wholeRecord]?.outcome ?? .queued
            let wasWithheld = allowsWithheld && whole == .withheld
            if try exists(id), whole == .queued || wasWithheld, states[sink]?.outcome ?? .queued == .queued {
                var state = states[sink] ?? DeliveryState()
                change(&state)
                states[sink] = state
                try transaction.write(state, of: id, at: sink)
                if wasWithheld {
                    try transaction.finish(id, .delivered, at: now.wall)
                } else {
                    try transaction.finish(id, states, of: sinks, at: now.wall)
                }
            } else if allowsWithheld {
                return
            }
            try transaction.updateLog(of: sink, log)
        }
    }

    func exists(_ id: OutboxRecord.ID) throws(LedgerError) -> Bool {
        try database.integer("SELECT 1 FROM outbox WHERE id = ?", [.integer(id)]) != nil
    }
}

extension Transaction {
    /// Finishes the record if all these sinks have settled it; never without sinks.
    fileprivate func finish(
        _ id: OutboxRecord.ID, _ states: [SinkID: DeliveryState], of sinks: [SinkID], at now: WallTime
    ) throws(LedgerError) {
        let settled = sinks.compactMap { sink in states[sink].flatMap { $0.outcome == .queued ? nil : $0 } }
        guard !sinks.isEmpty, settled.count == sinks.count else { return }
        if let refusal = settled.first(where: { $0.outcome == .setAside }) {
            return try finish(id, .setAside, at: now, error: refusal.error)
        }
        let isDelivered = settled.contains { $0.outcome == .delivered }
        try finish(id, isDelivered ? .delivered : .withheld, at: now)
    }

    func finish(
        _ id: OutboxRecord.ID, _ outcome: DeliveryState.Outcome, at now: WallTime, error: String? = nil
    ) throws(LedgerError) {
        var whole = DeliveryState()
        whole.settle(outcome, at: now, error: error)
        try write(whole, of: id, at: Ledger.wholeRecord)
        guard outcome != .setAside else { return }
        // An identical request is never queued again, so the record is not needed.
        if try ledger.isErasure(id) { return try deleteRecord(id) }
        try emptyRecord(id)
        // The message contains the payload too.
        for (sink, state) in try ledger.deliveryStates(of: id)[id] ?? [:] where state.message != nil {
            var state = state
            state.message = nil
            try write(state, of: id, at: sink)
        }
    }

    /// Queues the sink's records with these outcomes, without a wait.
    func queueAgain(
        _ sink: SinkID, where isWanted: (DeliveryState.Outcome) -> Bool, only: OutboxRecord.ID? = nil
    ) throws(LedgerError) {
        for (id, states) in try ledger.deliveryStates(of: only) {
            let whole = states[Ledger.wholeRecord]?.outcome ?? .queued
            guard var state = states[sink], isWanted(state.outcome), whole == .queued || whole == .setAside else {
                continue
            }
            guard state.outcome != .queued || state.notBefore != nil else { continue }
            try queueAgain(id, &state, at: sink)
        }
    }

    func queueAgain(_ id: OutboxRecord.ID, _ state: inout DeliveryState, at sink: SinkID) throws(LedgerError) {
        state.queueAgain()
        try write(state, of: id, at: sink)
        try database.run(
            "DELETE FROM outbox_delivery WHERE record = ? AND sink = ?",
            [.integer(id), .integer(Ledger.wholeRecord)])
    }
}

// MARK: - Stored states

extension Ledger {
    /// By record and sink; for all records, or for one.
    func deliveryStates(
        of id: OutboxRecord.ID? = nil
    ) throws(LedgerError) -> [OutboxRecord.ID: [SinkID: DeliveryState]] {
        var states: [OutboxRecord.ID: [SinkID: DeliveryState]] = [:]
        for row in try stateRows(id == nil ? "1" : "record = ?", id.map { [.integer($0)] } ?? []) {
            states[row.record, default: [:]][row.sink] = row.state
        }
        return states
    }

    /// The states of whole records that are finished or withheld.
    func wholeStates() throws(LedgerError) -> [OutboxRecord.ID: DeliveryState] {
        var states: [OutboxRecord.ID: DeliveryState] = [:]
        for row in try stateRows("sink = ?", [.integer(Ledger.wholeRecord)]) { states[row.record] = row.state }
        return states
    }

    func state(of id: OutboxRecord.ID, at sink: SinkID) throws(LedgerError) -> DeliveryState {
        try stateRows("record = ? AND sink = ?", [.integer(id), .integer(sink)]).first?.state ?? DeliveryState()
    }

    private func stateRows(
        _ condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [(record: OutboxRecord.ID, sink: SinkID, state: DeliveryState)] {
        let rows = try database.rows("SELECT record, sink, sealed FROM outbox_delivery WHERE \(condition)", values) {
            (record: $0.integer(0), sink: UInt8(exactly: $0.integer(1)), sealed: $0.blob(2))
        }
        return rows.compactMap { row in
            row.sink.map { (row.record, $0, openState(row.sealed, of: row.record, at: $0)) }
        }
    }

    /// A state that does not open was changed or moved outside this program. The record counts as never tried, and is
    /// sent again under the same key, so that the server recognises it.
    private func openState(_ sealed: [UInt8], of id: OutboxRecord.ID, at sink: SinkID) -> DeliveryState {
        let place = SealedPlace.outboxDelivery(record: id, sink: sink)
        if let state = vault.open(sealed, for: place, read: DeliveryState.init(payload:)) { return state }
        var state = DeliveryState()
        state.error = "the state of its delivery did not open: it was changed or moved"
        return state
    }

    /// By sink. A log that does not open starts again.
    func deliveryLogs() throws(LedgerError) -> [SinkID: DeliveryLog] {
        let rows = try database.rows("SELECT sink, sealed FROM delivery") {
            (sink: UInt8(exactly: $0.integer(0)), sealed: $0.blob(1))
        }
        var logs: [SinkID: DeliveryLog] = [:]
        for row in rows {
            guard let sink = row.sink else { continue }
            logs[sink] = vault.open(row.sealed, for: .delivery(sink: sink), read: DeliveryLog.init(payload:))
        }
        return logs
    }

    func changeLog(of sink: SinkID, _ change: (inout DeliveryLog) -> Void) throws(LedgerError) {
        try transaction { (transaction) throws(LedgerError) in try transaction.updateLog(of: sink, change) }
    }
}

extension Transaction {
    func write(_ state: DeliveryState, of id: OutboxRecord.ID, at sink: SinkID) throws(LedgerError) {
        try makeFinal(dayOf: id)
        try database.run(
            "REPLACE INTO outbox_delivery(record, sink, sealed) VALUES (?, ?, ?)",
            [
                .integer(id), .integer(sink),
                .blob(ledger.seal(state.payload, for: .outboxDelivery(record: id, sink: sink))),
            ])
    }

    func updateLog(of sink: SinkID, _ change: (inout DeliveryLog) -> Void) throws(LedgerError) {
        var log = try ledger.deliveryLogs()[sink] ?? DeliveryLog()
        change(&log)
        try write(log, of: sink)
    }

    func write(_ log: DeliveryLog, of sink: SinkID) throws(LedgerError) {
        try database.run(
            "REPLACE INTO delivery(sink, sealed) VALUES (?, ?)",
            [.integer(sink), .blob(ledger.seal(log.payload, for: .delivery(sink: sink)))])
    }
}
