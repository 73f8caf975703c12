import Consent
import Quantities
import Vault

/// The consent trail. Entries are only ever added; the present state is what the latest ones say.
extension Ledger {
    /// Every entry, oldest first. An entry that does not open makes the trail untrustworthy and is an error.
    public func trail() throws(LedgerError) -> [ConsentEntry] {
        let rows = try database.rows("SELECT id, domain, what, sealed FROM consent ORDER BY id") { SealedEntry($0) }
        var entries: [ConsentEntry] = []
        for row in rows { entries.append(try open(row)) }
        return entries
    }

    /// Which domains are on. A domain whose latest entry does not open counts as off.
    public func toggles() throws(LedgerError) -> Toggles {
        var toggles = Toggles()
        for domain in Domain.allCases { toggles.set(domain, to: try allowance(of: domain)?.isStillOn == true) }
        return toggles
    }

    /// The latest entry of the domain; nil while it was never turned on.
    public func currentEntry(for domain: Domain) throws(LedgerError) -> ConsentEntry? {
        guard let row = try latestEntries(of: domain).first else { return nil }
        return try open(row)
    }

    /// Turns a domain on or off and returns the entry that says so. When it already is what it should be, nothing is
    /// added, and the entry is the latest one: nil if there never was any.
    @discardableResult
    public func setToggle(
        _ domain: Domain, on isOn: Bool, at time: WallTime, by actor: ConsentActor
    ) throws(LedgerError) -> ConsentEntry.ID? {
        try database.transaction { () throws(LedgerError) in
            let wasOn = try allowance(of: domain)?.isStillOn == true
            guard wasOn != isOn else { return try latestEntries(of: domain).first?.id }
            return try append(.toggle(from: wasOn, to: isOn), of: domain, at: time, by: actor)
        }
    }

    /// Under which entry the domain's data is collected; nil when it never was allowed.
    func allowance(of domain: Domain) throws(LedgerError) -> Allowance? {
        for (age, row) in try latestEntries(of: domain).enumerated() {
            do {
                if try open(row).isOn { return Allowance(entry: row.id, isStillOn: age == 0) }
            } catch .unreadable {
                continue  // What cannot be read allows nothing.
            }
        }
        return nil
    }

    /// The latest toggle entries, newest first. Two are enough to find one that turned the domain on.
    private func latestEntries(of domain: Domain) throws(LedgerError) -> [SealedEntry] {
        try database.rows(
            "SELECT id, domain, what, sealed FROM consent WHERE domain = ? AND what = ? ORDER BY id DESC LIMIT 2",
            [.integer(domain.rawValue), .integer(ConsentEntry.Change.toggleKind)]
        ) { SealedEntry($0) }
    }

    /// Part of the caller's transaction.
    private func append(
        _ change: ConsentEntry.Change, of domain: Domain, at time: WallTime, by actor: ConsentActor
    ) throws(LedgerError) -> ConsentEntry.ID {
        let id = (try database.integer("SELECT max(id) FROM consent") ?? 0) + 1
        let entry = ConsentEntry(id: id, at: time, domain: domain, change: change, by: actor)
        let place = SealedPlace.consent(id: id, domain: domain.rawValue, what: change.kind)
        try database.run(
            "INSERT INTO consent(id, domain, what, sealed) VALUES (?, ?, ?, ?)",
            [
                .integer(id), .integer(domain.rawValue), .integer(change.kind),
                .blob(seal(entry.payload, for: place)),
            ])
        return id
    }

    private func open(_ row: SealedEntry) throws(LedgerError) -> ConsentEntry {
        let place = SealedPlace.consent(id: row.id, domain: row.domain, what: row.kind)
        return try opened(row.sealed, at: place, called: "entry \(row.id) of the consent trail") {
            ConsentEntry(id: row.id, domain: row.domain, kind: row.kind, payload: $0)
        }
    }
}

/// The wearer's leave to collect a domain's data.
struct Allowance {
    /// The latest entry that turned the domain on.
    let entry: ConsentEntry.ID
    /// Whether nothing turned it off since.
    let isStillOn: Bool
}

/// An entry as it is stored.
private struct SealedEntry {
    let id: ConsentEntry.ID
    let domain: UInt8
    let kind: UInt8
    let sealed: [UInt8]

    init(_ row: Row) {
        id = row.integer(0)
        domain = UInt8(truncatingIfNeeded: row.integer(1))
        kind = UInt8(truncatingIfNeeded: row.integer(2))
        sealed = row.blob(3)
    }
}
