import Domains
import Store
import Core

/// Stores the batches of a session: in the ledger on the device, in memory in a replay.
public protocol SensingStore: AnyObject {
    /// Stores the whole batch durably or, if it throws, nothing. Returns the effects on the days.
    func commit(_ batch: Batch) throws(LedgerError) -> Settlement

    /// The row of a book of one row; nil if it cannot be read.
    func row<Row: BookRow>(of book: Row.Type) -> Row?

    /// Keeps the state until a reboot; committed data stays. An empty state means that other data waits for the next
    /// commit: if the process ends before, that data of these domains is lost.
    func remember(
        _ checkpoint: [UInt8], consentRevision: ConsentEntry.ID, at now: BootTime,
        losing domains: @autoclosure () -> DomainSet)
}

extension SensingStore {
    public func row<Row: BookRow>(of book: Row.Type) -> Row? { nil }

    public func remember(
        _ checkpoint: [UInt8], consentRevision: ConsentEntry.ID, at now: BootTime,
        losing domains: @autoclosure () -> DomainSet
    ) {}
}

/// The store of the device.
public final class LedgerStore: SensingStore {
    public let ledger: Ledger
    /// The rule by which days are made and kept.
    public var rule: DayRule
    /// Called when the store was opened again because it was damaged or replaced, or was read-only until now.
    public var onRecovery: () -> Void = {}
    /// Called when rows were found removed or put back.
    public var onChangedTables: () -> Void = {}
    /// Called when the consent trail was found broken.
    public var onDistrust: () -> Void = {}
    /// Called after a commit that completed days.
    public var onClosedDay: () -> Void = {}
    /// Without it, the end of the process loses the data since the last commit.
    public var running: RunningState?

    public init(_ ledger: Ledger, rule: DayRule, running: RunningState? = nil) {
        self.ledger = ledger
        self.rule = rule
        self.running = running
    }

    public func commit(_ batch: Batch) throws(LedgerError) -> Settlement {
        let wasTrusted = !ledger.distrusts
        let changes = ledger.changedTables.count
        let settlement = try commitRecovering(batch)
        running?.committed()
        if wasTrusted, ledger.distrusts { onDistrust() }
        if ledger.changedTables.count > changes { onChangedTables() }
        if !settlement.closedDays.isEmpty { onClosedDay() }
        return settlement
    }

    /// Opens a store for writing that was read-only, if that is possible now.
    public func writeAgain() throws(LedgerError) {
        guard ledger.isReadOnly else { return }
        try ledger.recover()
        onRecovery()
    }

    // `try?`: a store that does not open is reported with the next commit.
    public func row<Row: BookRow>(of book: Row.Type) -> Row? { try? ledger.book(book) }

    /// A store that proves damaged or replaced is opened again, and then takes the batch.
    private func commitRecovering(_ batch: Batch) throws(LedgerError) -> Settlement {
        try writeAgain()
        if !ledger.isClosed {
            do {
                return try ledger.commit(batch, rule: rule)
            } catch {
                guard case .damaged = error else { throw error }
            }
        }
        try ledger.recover()
        onRecovery()
        return try ledger.commit(batch, rule: rule)
    }

    public func remember(
        _ checkpoint: [UInt8], consentRevision: ConsentEntry.ID, at now: BootTime,
        losing domains: @autoclosure () -> DomainSet
    ) {
        // A noted loss stays until a commit has recorded it.
        if ledger.lacksUnsaved { return }
        running?.write(checkpoint, consent: consentRevision, at: now, losing: domains())
    }

    /// The latest state of the last run, kept or committed; nil before the first commit. The caller wipes it.
    ///
    /// A loss of more than a quarter of an hour becomes a gap.
    public func latestState(in boot: BootID, at now: BootTime) throws(LedgerError) -> StoredCheckpoint? {
        if let running, let since = running.lossSince, now - since > QuarterHour.length {
            ledger.noteUnsaved(since...now, of: running.lostDomains, in: boot)
        }
        if let running = running?.read() { return running }
        return try ledger.checkpoint()
    }
}

extension LedgerStore {
    /// Throws `LedgerError.newerPart` if a newer version of this program wrote a part of the checkpoint or a book.
    /// Sensing would replace it (SPEC §9: an older program refuses a newer store). An unreadable row is no reason to
    /// refuse.
    public func refuseNewerParts() throws(LedgerError) {
        try ledger.refuseNewerBooks()
        guard var checkpoint = try readableCheckpoint() else { return }
        defer { checkpoint.wipe() }
        guard let part = SensingSession.newerPart(of: checkpoint.bytes) else { return }
        throw .newerPart(
            path: ledger.path, part: "part \(part.tag) of the state of sensing", found: part.found, known: part.known)
    }

    private func readableCheckpoint() throws(LedgerError) -> StoredCheckpoint? {
        do {
            return try ledger.checkpoint()
        } catch .unreadable {
            return nil
        }
    }
}

extension Batch {
    /// Removes all data of the other domains from the batch.
    mutating func keep(domainsWhere isKept: (Domain) -> Bool) {
        events.removeAll { !isKept($0.kind.domain) }
        notes.removeAll { !isKept($0.domain) }
        for index in collected.quarters.indices {
            collected.quarters[index].amounts.removeAll { amount in
                Figure(id: amount.figure).map { !isKept($0.domain) } ?? false
            }
        }
        collected.quarters.removeAll(where: \.amounts.isEmpty)
    }
}
