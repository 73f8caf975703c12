import Core

/// The present account of a sink, or a former one.
struct NotedAccount: Equatable, Sendable {
    let fingerprint: [UInt8]
    /// Data collected up to then belongs to another account; nil for the very first account.
    let since: WallTime?
    /// The same in boot time, independent of clock steps; nil if unknown.
    let moment: StoreGap.Moment?

    /// Stands for a boundary of unknown time: all data collected so far.
    static let untilNow = WallTime(nanoseconds: 0)

    func pack(into packer: inout Packer) {
        packer.put(fingerprint[...])
        packer.put(since != nil)
        if let since { packer.put(since.nanoseconds) }
        packer.put(moment != nil)
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
        moment = try unpacker.takeBool() ? try StoreGap.Moment(from: &unpacker) : nil
    }
}

/// The ownership of the data that waits for a sink. The present account may have signed in several times.
public struct Ownership: Equatable, Sendable {
    /// A period in which the present account was signed in: after `after`, up to and including `upTo`; nil is
    /// unbounded.
    struct Period: Equatable, Sendable {
        var after: WallTime?
        let upTo: WallTime?
    }

    var periods = [Period(after: nil, upTo: nil)]

    /// The present account's latest sign-in; nil if there was no other account before.
    public var since: WallTime? { periods.last?.after }

    /// Whether the record belongs to the present account. The day of a change belongs to both accounts, and so to
    /// neither.
    public func has(_ content: OutboxRecord.Content) -> Bool {
        switch content {
        case .day(let day, _):
            periods.contains { period in
                (period.after.map { day > UTCDay(containing: $0) } ?? true)
                    && (period.upTo.map { day < UTCDay(containing: $0) } ?? true)
            }
        case .event(let event, _): has(event.at)
        case .erasure(_, let until): has(until)
        case .unreadable: true
        }
    }

    private func has(_ time: WallTime) -> Bool {
        periods.contains { (($0.after.map { time > $0 }) ?? true) && (($0.upTo.map { time <= $0 }) ?? true) }
    }
}

extension Ledger {
    /// By the present knowledge of the boots, because the clock may have been set since.
    func ownership(by log: DeliveryLog) throws(LedgerError) -> Ownership {
        var owned = Ownership()
        guard let present = log.account else { return owned }
        let accounts = log.formerAccounts + [present]
        owned.periods = []
        for (index, account) in accounts.enumerated() where account.fingerprint == present.fingerprint {
            let upTo = index + 1 < accounts.count ? try boundary(of: accounts[index + 1]) : nil
            // The time of that sign-in is unknown.
            guard index + 1 == accounts.count || account.since != NotedAccount.untilNow else { continue }
            owned.periods.append(Ownership.Period(after: try boundary(of: account), upTo: upTo))
        }
        if owned.periods.last?.after == NotedAccount.untilNow {
            owned.periods[owned.periods.count - 1].after = WallTime(nanoseconds: .max)
        }
        return owned
    }

    private func boundary(of account: NotedAccount) throws(LedgerError) -> WallTime? {
        guard let since = account.since else { return nil }
        guard let moment = account.moment else { return since }
        let history = BootHistory(try storedBoots())
        guard let index = history.boots.firstIndex(where: { $0.id == moment.boot }) else { return since }
        return history.clock(ofBoot: index)?.time(at: moment.at).wall ?? since
    }

    /// Notes a sign-in: data collected so far for another account stays that account's.
    ///
    /// - Parameters:
    ///   - now: nil while the clock is not synchronised; if the boot never gets a trusted time, all data collected up
    ///     to the next run belongs to the other account.
    ///   - boot: this boot, and its boot time.
    public func noteSignIn(
        of account: [UInt8], to sink: SinkID, at now: TrustedTime?, in boot: (id: BootID, at: BootTime)? = nil
    ) throws(LedgerError) {
        let moment = boot.map { StoreGap.Moment(boot: $0.id, at: $0.at) }
        try transaction { (transaction) throws(LedgerError) in
            var log = try deliveryLogs()[sink] ?? DeliveryLog()
            let before = log
            log.note(account: vault.fingerprint(of: account), since: now?.wall, moment)
            if log != before { try transaction.write(log, of: sink) }
        }
    }

    /// The records that wait for an account other than the latest.
    public func waitingForAnotherAccount(at sink: SinkID) throws(LedgerError) -> [OutboxRecord.ID] {
        guard let log = try deliveryLogs()[sink] else { return [] }
        let owned = try ownership(by: log)
        return try undelivered().filter { item in
            !(item.deliveries[sink]?.isSettled ?? false) && !owned.has(item.content)
        }.map(\.id)
    }

    /// Notes that the latest account belongs to the same person as the previous one, whose waiting records then go to
    /// it. Messages handed over for the previous account get another key, because their bytes change; except if another
    /// sink may have them under this key.
    ///
    /// Returns false, with nothing noted, if there was no previous account.
    @discardableResult
    public func confirmSamePerson(at sink: SinkID) throws(LedgerError) -> Bool {
        try transaction { (transaction) throws(LedgerError) in
            guard var log = try deliveryLogs()[sink], let present = log.account,
                let former = log.formerAccounts.popLast()
            else { return false }
            log.account = NotedAccount(
                fingerprint: present.fingerprint, since: former.since, moment: former.moment)
            try transaction.write(log, of: sink)
            for (id, states) in try deliveryStates() where states[sink]?.message?.account == former.fingerprint {
                let isElsewhere = states.contains { $0.key != sink && $0.value.message != nil }
                if !isElsewhere { try transaction.renew(id, at: sink) }
            }
            return true
        }
    }
}

extension DeliveryLog {
    /// The most former accounts; older ones are dropped, because their data is too old to be sent.
    private static let mostFormerAccounts = 8

    /// - Parameter time: the latest time at which data may have been collected for another account; nil if unknown.
    mutating func note(account: [UInt8], since time: WallTime?, _ moment: StoreGap.Moment?) {
        guard let known = self.account else {
            self.account = NotedAccount(fingerprint: account, since: nil)
            return
        }
        if known.fingerprint == account {
            let isResolved = known.since == NotedAccount.untilNow && time != nil
            self.account = NotedAccount(
                fingerprint: account, since: isResolved ? time : known.since, moment: known.moment)
        } else {
            // An announcement to another receiver says nothing about this one, which may still show earlier data.
            announced = nil
            mayHaveDeliveredForOthers = mayHaveDeliveredForOthers || lastSuccess != nil
            formerAccounts = (formerAccounts + [known]).suffix(Self.mostFormerAccounts)
            self.account = NotedAccount(
                fingerprint: account, since: time ?? NotedAccount.untilNow, moment: moment)
        }
    }
}
