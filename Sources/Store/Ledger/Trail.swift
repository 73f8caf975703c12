import Domains
import Core

/// The append-only consent trail, and its fold, the snapshot.
extension Ledger {
    /// The present consent. Reads two rows, however long the trail is.
    public func consent() throws(LedgerError) -> ConsentSnapshot {
        let ends = try database.rows(
            """
            SELECT (SELECT sealed FROM consent_now), (SELECT max(id) FROM consent),
                (SELECT sealed FROM consent ORDER BY id DESC LIMIT 1), (SELECT sealed FROM meta)
            """
        ) {
            TrailEnds(
                snapshot: $0.blob(0), lastRow: SealedEntry(id: $0.integer(1), sealed: $0.blob(2)), mark: $0.blob(3))
        }
        var snapshot = ends.first.map(snapshot) ?? ConsentSnapshot(untrustedAfter: 0, head: .none)
        if trailIsBroken, !isAnswered(snapshot), snapshot.isTrusted {
            snapshot = ConsentSnapshot(untrustedAfter: snapshot.lastEntry, head: snapshot.head)
        }
        snapshot.settleTime = settleTime
        return snapshot
    }

    /// Whether the wearer has answered a trail that was found broken, in this process or another: entries have
    /// followed, and the resulting state is trusted.
    private func isAnswered(_ snapshot: ConsentSnapshot) -> Bool {
        guard let brokenAt else {
            brokenAt = snapshot.lastEntry
            return false
        }
        guard snapshot.isTrusted, snapshot.lastEntry > brokenAt else { return false }
        trailIsBroken = false
        return true
    }

    /// Runs the events through the state machine, on the stored state, and appends the recorded changes to the trail:
    /// all of them or, if it throws, none.
    ///
    /// If the snapshot is not trusted, the first change begins again: everything is off and no question is answered.
    /// Numbers and chain continue.
    @discardableResult
    public func change(_ events: [ConsentEvent], at time: WallTime) throws(LedgerError) -> ConsentOutcome {
        try transaction { (transaction) throws(LedgerError) in try transaction.handle(events, at: time) }
    }

    /// The entries after `id`, oldest first. Throws `unreadable`, with the entry's name, for one that does not open.
    public func trail(after id: ConsentEntry.ID = 0) throws(LedgerError) -> [ConsentEntry] {
        let rows = try database.rows("SELECT id, sealed FROM consent WHERE id > ? ORDER BY id", [.integer(id)]) {
            SealedEntry(id: $0.integer(0), sealed: $0.blob(1))
        }
        var entries: [ConsentEntry] = []
        for row in rows {
            guard let (link, _) = open(row), link.entry.id == row.id else {
                throw .unreadable(path: path, row: "entry \(row.id) of the consent trail")
            }
            entries.append(link.entry)
        }
        return entries
    }

    /// More than three days' quarters, with every domain on.
    private static let latestQuarters = 2000

    /// The highest number of an entry that any row outside the trail refers to; zero for none. Only the latest few days
    /// are read: earlier ones refer to earlier entries.
    func latestNameOfAnEntry() throws(LedgerError) -> ConsentEntry.ID {
        let latest = try database.integer(
            """
            SELECT max(latest) FROM (
                SELECT max(consent) AS latest FROM checkpoint
                UNION ALL SELECT max(consent) FROM history WHERE day > (SELECT max(day) FROM history) - 8
                UNION ALL SELECT max(consent) FROM
                    (SELECT consent FROM quarter ORDER BY boot DESC, start DESC LIMIT \(Ledger.latestQuarters)))
            """)
        return try queuedRows().flatMap { fields(of: $0) ?? [] }.map(\.provenance.consent).reduce(latest ?? 0, max)
    }

    /// A broken trail suspends every domain until the wearer has answered it, so all readers have to know.
    func suspendBrokenTrail() throws(LedgerError) {
        guard trailIsBroken else { return }
        try transaction { (transaction) throws(LedgerError) in try transaction.storeDistrust() }
    }

    func lastTrailRow() throws(LedgerError) -> SealedEntry? {
        try database.rows("SELECT id, sealed FROM consent ORDER BY id DESC LIMIT 1") {
            SealedEntry(id: $0.integer(0), sealed: $0.blob(1))
        }.first
    }

    /// Checks whether the stored snapshot is that of the trail's last row.
    private func snapshot(_ ends: TrailEnds) -> ConsentSnapshot {
        let stored = openSnapshot(ends.snapshot)
        let last = open(ends.lastRow).flatMap { $0.link.entry.id == ends.lastRow.id ? $0 : nil }
        let end = openMark(ends.mark)?.consentEnd ?? .max
        if let stored, stored.lastEntry == ends.lastRow.id, stored.lastEntry == 0 || stored.head == last?.hash,
            stored.lastEntry == end
        {
            return stored
        }
        let furthest = max(stored?.lastEntry ?? 0, ends.lastRow.id, mark.consentEnd)
        if let last, last.link.entry.id > stored?.lastEntry ?? 0 {
            return ConsentSnapshot(untrustedAfter: furthest, head: last.hash)
        }
        return ConsentSnapshot(untrustedAfter: furthest, head: stored?.head ?? .none)
    }
}

extension Transaction {
    /// Like `Ledger.change`.
    @discardableResult
    func handle(_ events: [ConsentEvent], at time: WallTime) throws(LedgerError) -> ConsentOutcome {
        var snapshot = try ledger.consent()
        let agreed = snapshot.state
        var machine = snapshot.state
        var effects: [ConsentEffect] = []
        var entries: [ConsentEntry] = []
        for event in events {
            for effect in machine.handle(event) {
                effects.append(effect)
                guard case .record(let change, let actor) = effect else { continue }
                entries.append(try append(change, at: time, by: actor, to: &snapshot))
            }
        }
        if let last = entries.last?.id {
            try write(snapshot)
            changeMark { $0.consentEnd = last }
            if snapshot.isTrusted { ledger.trailIsBroken = false }
            try narrowBooks(from: agreed, to: snapshot.state)
        }
        return ConsentOutcome(effects: effects, entries: entries, snapshot: snapshot)
    }

    /// Deletes data from the books that is outside a narrowed scope.
    private func narrowBooks(from old: ConsentState, to new: ConsentState) throws(LedgerError) {
        for domain in Domain.all where domain.leastScope != domain.wholeScope {
            let agreements = [old, new].map {
                $0.answer(to: domain.permission).agreement.intersection(domain.wholeScope)
            }
            if !agreements[0].isSubset(of: agreements[1]) { try narrowBooks(of: domain, to: agreements[1]) }
        }
    }

    /// Appends changes of parts of the domain to the trail. Not to an untrusted
    /// trail, where all parts are off: an entry would count as the wearer's answer to it.
    func record(_ turns: [PartTurn], of domain: Domain) throws(LedgerError) {
        guard !turns.isEmpty else { return }
        var snapshot = try ledger.consent()
        guard snapshot.isTrusted else { return }
        for turn in turns {
            let change = ConsentChange.part(turn.part, of: domain, from: !turn.isOn, to: turn.isOn)
            let entry = try append(change, at: turn.at, by: .wearer, to: &snapshot)
            changeMark { $0.consentEnd = entry.id }
        }
        try write(snapshot)
    }

    private func append(
        _ change: ConsentChange, at time: WallTime, by actor: ConsentActor, to snapshot: inout ConsentSnapshot
    ) throws(LedgerError) -> ConsentEntry {
        let last = snapshot.isTrusted ? snapshot.lastEntry : max(snapshot.lastEntry, try ledger.latestNameOfAnEntry())
        guard last < .max else { throw .unreadable(path: path, row: "entry \(last) of the consent trail") }
        let entry = ConsentEntry(id: last + 1, at: time, change: change, by: actor)
        let link = ChainLink(entry: entry, previous: snapshot.head, beginsAnew: snapshot.beginsAnew)
        var payload = link.payload
        defer { Vault.wipe(&payload) }
        try database.run(
            "INSERT INTO consent(id, sealed) VALUES (?, ?)",
            [.integer(entry.id), .blob(vault.seal(payload, for: .consent))])
        snapshot.add(entry, hash: ChainHash(of: payload, under: vault))
        return entry
    }

    /// Checks the whole trail. Otherwise, only changes at its end are noticed.
    func lookAtTrail() throws(LedgerError) {
        guard !ledger.trailIsBroken, try !ledger.trailReport().isAnswered else { return }
        ledger.trailIsBroken = true
        try storeDistrust()
    }

    fileprivate func storeDistrust() throws(LedgerError) {
        let consent = try ledger.consent()
        let stored = try database.rows("SELECT sealed FROM consent_now") { $0.blob(0) }.first.flatMap(
            ledger.openSnapshot)
        // It is already marked.
        if stored?.isTrusted == false, stored?.lastEntry == consent.lastEntry { return }
        let row = try ledger.lastTrailRow()
        let last = row.flatMap(ledger.open)
        let isWhole = last?.link.entry.id == consent.lastEntry
        // A trail with a missing end is untrusted in any case.
        guard let last, isWhole else { return }
        try write(ConsentSnapshot(untrustedAfter: consent.lastEntry, head: last.hash))
    }

    func write(_ snapshot: ConsentSnapshot) throws(LedgerError) {
        try database.run(
            "REPLACE INTO consent_now(id, sealed) VALUES (1, ?)",
            [.blob(ledger.seal(snapshot.payload, for: .consentNow))])
    }
}

// MARK: - Opening

/// A row of the trail as it is stored.
struct SealedEntry {
    let id: ConsentEntry.ID
    let sealed: [UInt8]
}

/// The snapshot and the last row of the trail, to check that they match.
private struct TrailEnds {
    let snapshot: [UInt8]
    /// The last row; its number is zero if there is none.
    let lastRow: SealedEntry
    let mark: [UInt8]
}

extension Ledger {
    /// The content of the row, whatever its number, and the hash to be stored in the next row; nil if it does not open.
    func open(_ row: SealedEntry) -> (link: ChainLink, hash: ChainHash)? {
        openPayload(row.sealed, at: .consent) { payload in
            ChainLink(payload: payload).map { ($0, ChainHash(of: payload, under: vault)) }
        }
    }

    /// The snapshot; nil if it does not open.
    func openSnapshot(_ sealed: [UInt8]) -> ConsentSnapshot? {
        openPayload(sealed, at: .consentNow) { ConsentSnapshot(payload: $0) }
    }

    /// The result of `read` for the plain bytes, which are wiped afterwards; nil if they do not open.
    private func openPayload<Value>(
        _ sealed: [UInt8], at place: SealedPlace, read: ([UInt8]) -> Value?
    ) -> Value? {
        vault.open(sealed, for: place) { plain throws(Unpacker.Malformed) in
            var payload = Array(plain)
            defer { Vault.wipe(&payload) }
            guard let value = read(payload) else { throw Unpacker.Malformed() }
            return value
        }
    }
}

/// The outcome of events that the consent machine handled.
public struct ConsentOutcome: Equatable, Sendable {
    /// The effects of the events, in order; those that record a change are already recorded.
    public let effects: [ConsentEffect]
    /// The entries added to the trail, oldest first.
    public let entries: [ConsentEntry]
    /// The snapshot after the events.
    public let snapshot: ConsentSnapshot
}
