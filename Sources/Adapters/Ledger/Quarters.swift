import Domains
import Quantities
import Vault

/// One run of the kernel: its random identity (`/proc/sys/kernel/random/boot_id`, random(4)).
public struct BootID: Hashable, Sendable {
    let high: Int64
    let low: Int64

    /// Nil unless the text is a UUID, as the kernel writes it; a line end is cut off.
    public init?(_ text: some StringProtocol) {
        var digits: [UInt8] = []
        for character in text.utf8 where character != UInt8(ascii: "-") && character != UInt8(ascii: "\n") {
            guard let digit = UInt8(String(UnicodeScalar(character)), radix: 16) else { return nil }
            digits.append(digit)
        }
        guard digits.count == 32 else { return nil }
        let halves = [digits[..<16], digits[16...]].map { half in half.reduce(UInt64(0)) { $0 << 4 | UInt64($1) } }
        high = Int64(bitPattern: halves[0])
        low = Int64(bitPattern: halves[1])
    }

    var bytes: [UInt8] {
        var packer = Packer()
        packer.put(high)
        packer.put(low)
        return packer.bytes
    }
}

/// The figures of a quarter of an hour, counted from the start of a boot (SPEC §3, §10).
public struct Quarter: Equatable, Sendable {
    public static let length = Interval.minutes(15)

    /// The quarters since the boot that ended before this one began.
    public let index: Int32
    /// The time at which it began; nil while the clock of its boot is not known. Then it belongs to no day yet.
    public let start: WallTime?
    /// In the order of `Figure`; one that does not open has no value.
    public let figures: [HistoryDay.Entry]
}

/// The clock of a boot, once a trusted time was known in it: parts, so that later versions can say how it was known.
private struct BootClock {
    private static let began = Parts.Kind(1, version: 1)

    /// The wall time at which the boot-time clock stood at zero.
    var began: WallTime?
    /// The parts that only another version knows. They are written back as they were read.
    private var kept = Parts()

    var payload: [UInt8] {
        var parts = kept
        if let began { parts.put(BootClock.began) { $0.put(began.nanoseconds) } }
        return parts.bytes
    }

    init() {}

    init?(payload: UnsafeRawBufferPointer) {
        do throws(Unpacker.Malformed) {
            let parts = try Parts(Array(payload))
            kept = parts.excluding([BootClock.began])
            guard var unpacker = try parts[BootClock.began]?.unpacker else { return }
            let nanoseconds: Int64 = try unpacker.take()
            guard (0...1 << 62).contains(nanoseconds) else { return nil }
            began = WallTime(nanoseconds: nanoseconds)
        } catch {
            return nil
        }
    }
}

/// Quarters of an hour, stamped with boot and boot time. Nothing fills them yet.
extension Ledger {
    /// Stores the figures of a quarter under the entry of the trail under which each was collected, replacing those that were stored.
    public func keep(
        _ figures: [(entry: ClosedDay.Entry, consent: ConsentEntry.ID)], ofQuarter index: Int32, in boot: BootID
    ) throws(LedgerError) {
        try database.transaction { () throws(LedgerError) in
            let number = try self.number(of: boot)
            for (entry, consent) in figures {
                let provenance = Provenance(
                    source: entry.figure.source, sampleType: entry.figure.id, granularity: .quarter, consent: consent)
                let sealed = seal(entry.value.payload, for: .quarter(Int64(index), of: boot, provenance))
                try database.run(
                    "REPLACE INTO quarter(boot, quarter, \(Provenance.columnNames), sealed) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [.integer(number), .integer(index)] + provenance.columns + [.blob(sealed)])
            }
        }
    }

    /// Notes the trusted time at which a boot's clock stood at zero, which dates all of its quarters.
    public func date(_ boot: BootID, began: WallTime) throws(LedgerError) {
        try database.transaction { () throws(LedgerError) in
            let number = try self.number(of: boot)
            let rows = try database.rows("SELECT sealed FROM boot WHERE id = ?", [.integer(number)]) { $0.blob(0) }
            var clock = rows.first.flatMap { openClock($0, of: boot) } ?? BootClock()
            clock.began = began
            try database.run(
                "UPDATE boot SET sealed = ? WHERE id = ?",
                [.blob(seal(clock.payload, for: .boot(boot))), .integer(number)])
        }
    }

    /// The quarters of a boot, in their order; without a date where its clock is not known or does not open.
    public func quarters(of boot: BootID) throws(LedgerError) -> [Quarter] {
        try database.snapshot { () throws(LedgerError) in
            let boots = try database.rows("SELECT id, sealed FROM boot WHERE boot = ?", [.blob(boot.bytes)]) {
                (id: $0.integer(0), sealed: $0.blob(1))
            }
            guard let row = boots.first else { return [] }
            let began = openClock(row.sealed, of: boot)?.began
            let rows = try database.rows(
                """
                SELECT quarter, sealed, \(Provenance.columnNames) FROM quarter WHERE boot = ?
                ORDER BY quarter, sample_type
                """, [.integer(row.id)]
            ) { (index: $0.integer(0), sealed: $0.blob(1), provenance: Provenance($0, from: 2)) }
            var quarters: [Quarter] = []
            for row in rows {
                // A row that no version of this program writes is skipped. No boot lasts a million quarters, or 28 years.
                guard (0...1_000_000).contains(row.index), let provenance = row.provenance,
                    let figure = Figure(id: provenance.sampleType)
                else { continue }
                let index = Int32(row.index)
                let value = openValue(row.sealed, at: .quarter(row.index, of: boot, provenance))
                let entry = HistoryDay.Entry(
                    figure: figure, value: value, source: provenance.source, consent: provenance.consent)
                let earlier = quarters.last?.index == index ? quarters.removeLast().figures : []
                quarters.append(
                    Quarter(
                        index: index, start: began.map { $0 + Quarter.length * row.index },
                        figures: earlier + [entry]))
            }
            return quarters
        }
    }

    /// Part of the caller's transaction.
    private func number(of boot: BootID) throws(LedgerError) -> Int64 {
        try database.run(
            "INSERT INTO boot(boot, sealed) VALUES (?, ?) ON CONFLICT (boot) DO NOTHING",
            [.blob(boot.bytes), .blob(seal(BootClock().payload, for: .boot(boot)))])
        return try database.integer("SELECT id FROM boot WHERE boot = ?", [.blob(boot.bytes)]) ?? 0
    }

    private func openClock(_ sealed: [UInt8], of boot: BootID) -> BootClock? {
        do {
            return try vault.withOpened(sealed, for: .boot(boot)) { BootClock(payload: $0) }
        } catch {
            return nil
        }
    }

    private func openValue(_ sealed: [UInt8], at place: SealedPlace) -> Int64? {
        do {
            return try vault.withOpened(sealed, for: place) { Int64(payload: $0) }
        } catch {
            return nil
        }
    }
}
