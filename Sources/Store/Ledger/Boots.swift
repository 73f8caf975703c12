import Core

/// A row of `boot`.
struct StoredBoot {
    let number: Int64
    let id: BootID
    var log: BootLog
}

/// The boots of this machine, in their order, and the clock of each.
extension Ledger {
    /// The known clock of this boot, including a date set by another program in the same boot. Nil for a boot that the
    /// store does not know, or without a trusted clock.
    public func clock(of boot: BootID) throws(LedgerError) -> TrustedClock? {
        try storedBoots(of: [boot]).first?.log.clock
    }

    /// The boot time until which nothing is sent by this boot's clock, because it leapt; nil if it never did.
    public func sendingHeld(in boot: BootID) throws(LedgerError) -> BootTime? {
        try storedBoots(of: [boot]).first?.log.heldUntil
    }

    /// Notes the wearer's confirmation of this boot's clock.
    public func vouch(for reading: BootReading) throws(LedgerError) {
        try transaction { (transaction) throws(LedgerError) in try transaction.note(reading) }
    }

    /// Whether data may be deleted by the clock of the present boot, which may be missing in the store.
    func mayDelete(by reading: BootReading) throws(LedgerError) -> Bool {
        BootHistory(try storedBoots(), and: [reading]).mayDelete
    }

    /// All boots, oldest first, or those with these ids.
    func storedBoots(of ids: [BootID]? = nil) throws(LedgerError) -> [StoredBoot] {
        let sets = ids.map { $0.map { [SQLValue.blob($0.bytes)] } } ?? [[]]
        let rows = try bootRows(ids == nil ? "" : "WHERE boot = ?", each: sets)
        changedBoots = rows.filter { $0.boot == nil }.map(\.number)
        return rows.compactMap(\.boot)
    }

    /// The rows of boots; `boot` is nil if a row does not open.
    func bootRows(
        _ condition: String, each sets: [[SQLValue]]
    ) throws(LedgerError) -> [(number: Int64, boot: StoredBoot?)] {
        try database.rows("SELECT id, boot, sealed FROM boot \(condition) ORDER BY id", each: sets) { _, row in
            let number = row.integer(0)
            guard let id = BootID(bytes: row.blob(1)),
                let log = vault.open(row.blob(2), for: .boot(id, number), read: BootLog.init(payload:))
            else { return (number, nil) }
            return (number, StoredBoot(number: number, id: id, log: log))
        }
    }
}

extension Transaction {
    /// Data of a boot whose row was changed has no day any more, so all days that are not final are incomplete. The row
    /// is reset to that of an unknown boot.
    func giveUpChangedBoots() throws(LedgerError) {
        guard !ledger.changedBoots.isEmpty else { return }
        for number in ledger.changedBoots {
            let all = Int64.min...Int64.max
            let boot = StoredBoot(
                number: number, id: BootID(high: .random(in: all), low: .random(in: all)), log: BootLog())
            try database.run("UPDATE boot SET boot = ? WHERE id = ?", [.blob(boot.id.bytes), .integer(number)])
            try write(boot)
        }
        ledger.noteChanged("boot")
        addGap(StoreGap(from: nil))
    }

    func note(_ reading: BootReading) throws(LedgerError) {
        var boot: StoredBoot
        if let stored = try ledger.storedBoots(of: [reading.id]).first {
            boot = stored
        } else {
            boot = try newBoot(reading.id)
        }
        boot.log.take(reading)
        try write(boot)
    }

    private func newBoot(_ id: BootID) throws(LedgerError) -> StoredBoot {
        try database.run("INSERT INTO boot(boot, sealed) VALUES (?, ?)", [.blob(id.bytes), .blob([])])
        return StoredBoot(number: database.lastInsertedRow, id: id, log: BootLog())
    }

    func write(_ boot: StoredBoot) throws(LedgerError) {
        try database.run(
            "UPDATE boot SET sealed = ? WHERE id = ?",
            [.blob(ledger.seal(boot.log.parts.bytes, for: .boot(boot.id, boot.number))), .integer(boot.number)])
    }
}

extension BootLog {
    fileprivate init(payload: UnsafeRawBufferPointer) throws(Unpacker.Malformed) {
        try self.init(Parts(Array(payload)))
    }
}

extension BootID {
    /// Nil unless there are 16.
    init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        var unpacker = Unpacker(bytes)
        // `try?`: two numbers are always 16 bytes.
        guard let id = try? BootID(from: &unpacker) else { return nil }
        self = id
    }
}

extension BootHistory {
    /// The knowledge about all stored boots, and about further boots, of which the store may be incomplete. Unknown
    /// boots are last. Nothing of them is stored, so a clock among them that contradicts the latest stored one is
    /// left out, and these boots have no date: a simulation stores days on which this machine ran, too.
    init(_ stored: [StoredBoot], and more: [BootReading] = []) {
        var boots = stored.map { (id: $0.id, log: $0.log) }
        let latest = boots.last { $0.log.clock != nil }?.log
        let end = latest?.clock?.time(at: latest?.seen ?? BootTime(nanoseconds: 0)).wall
        for reading in more {
            if let index = boots.firstIndex(where: { $0.id == reading.id }) {
                boots[index].log.take(reading)
            } else {
                var log = BootLog()
                let disproves = end.flatMap { end in reading.clock.map { $0.began < end - Self.slack } } ?? false
                log.take(disproves ? BootReading(id: reading.id, seen: reading.seen, clock: nil) : reading)
                boots.append((reading.id, log))
            }
        }
        self.init(boots)
    }
}
