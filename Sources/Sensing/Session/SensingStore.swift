import Domains
import Store
import Core

/// Stores the batches of a session: in the ledger on the device, in memory in a replay.
public protocol SensingStore: AnyObject {
    /// Writes all of the batch durably or, when it throws, nothing of it. Returns what came of the days.
    func commit(_ batch: Batch) throws(LedgerError) -> Settlement

    /// Keeps the state where only a reboot loses it. Whatever was committed stays. Where more than the state waits for the next commit it is
    /// empty: a process that ends before has lost that, of these domains.
    func remember(
        _ checkpoint: [UInt8], consentRevision: ConsentEntry.ID, at now: BootTime,
        losing domains: @autoclosure () -> DomainSet)
}

extension SensingStore {
    public func remember(
        _ checkpoint: [UInt8], consentRevision: ConsentEntry.ID, at now: BootTime,
        losing domains: @autoclosure () -> DomainSet
    ) {}
}

/// The store of the device.
public final class LedgerStore: SensingStore {
    public let ledger: Ledger
    /// How days are made and kept.
    public var rule: DayRule
    /// Called when the store was opened anew because it was not what it had been, or could only be read until now.
    public var onRecovery: () -> Void = {}
    /// Called when rows were found removed or put back.
    public var onChangedTables: () -> Void = {}
    /// Called when the consent trail was found broken.
    public var onDistrust: () -> Void = {}
    /// Called when a commit completed a day, once a day.
    public var onClosedDay: () -> Void = {}
    /// Nil loses what came since the last commit with the process.
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

    /// Opens a store that was only read for writing too, if that is possible by now.
    public func writeAgain() throws(LedgerError) {
        guard ledger.isReadOnly else { return }
        try ledger.recover()
        onRecovery()
    }

    /// A store that turns out not to be the one that was opened is opened anew, and then takes the batch.
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
        // What says that something is lost stays until a commit has taken note of it.
        if ledger.lacksUnsaved { return }
        running?.write(checkpoint, consent: consentRevision, at: now, losing: domains())
    }

    /// The latest state of the last run: as it was killed, or as it committed; nil before the first commit. The caller wipes it.
    ///
    /// What is lost of more than a quarter of an hour becomes a gap.
    public func latestState(in boot: BootID, at now: BootTime) throws(LedgerError) -> StoredCheckpoint? {
        if let running, let since = running.lossSince, now - since > QuarterHour.length {
            ledger.noteUnsaved(since...now, of: running.lostDomains, in: boot)
        }
        if let running = running?.read() { return running }
        return try ledger.checkpoint()
    }
}

extension LedgerStore {
    /// Throws `LedgerError.newerPart` where a newer version of this program wrote a part of the checkpoint or a book. Sensing would
    /// begin it anew and overwrite it (SPEC §9: an older program refuses a newer store). What does not open is no reason to refuse.
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
    /// Takes everything of the other domains out of the batch.
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
