import Domains
import Core

/// The clear columns of a quarter of one domain, besides its boot.
struct QuarterKey {
    let start: BootTime
    let length: Interval
    let cameLate: Bool
    let provenance: Provenance

    static let furthest = Interval.days(36_525)
    static let longest = Interval.days(1)

    /// Whether the values are valid, so that callers can calculate with them.
    static func canBe(_ start: BootTime, _ length: Interval) -> Bool {
        start.nanoseconds.magnitude <= furthest.nanoseconds.magnitude
            && (0...longest.nanoseconds).contains(length.nanoseconds)
    }
}

/// A stored quarter of one domain.
struct StoredQuarter {
    let boot: StoredBoot
    /// The index of its boot among all.
    let bootIndex: Int
    let key: QuarterKey
    let sealed: [UInt8]

    func quarter(with amounts: [Quarter.Amount]) -> Quarter {
        Quarter(boot: boot.id, start: key.start, length: key.length, amounts: amounts)
    }
}

/// A quarter of an hour with its date, for all displays.
public struct DatedQuarter: Equatable, Sendable {
    public internal(set) var quarter: Quarter
    /// Nil if it belongs to no day.
    public let day: UTCDay?
    /// Nil if the clock of its boot is unknown.
    public let began: WallTime?

    public init(quarter: Quarter, day: UTCDay?, began: WallTime?) {
        self.quarter = quarter
        self.day = day
        self.began = began
    }

    public func amount(of figure: Figure) -> Int64? { quarter.amount(of: figure) }

    /// The time of a figure that is a time; nil for none, and if the start of the quarter is unknown.
    public func time(of figure: Figure) -> WallTime? {
        guard let began, let amount = amount(of: figure), amount > 0 else { return nil }
        return began + .milliseconds(amount - 1)
    }
}

/// Quarters of an hour, stamped with boot and boot time (SPEC §3, §10).
extension Ledger {
    /// All quarters, or those that match a condition with each set of values, in the order of the sets, of their boots
    /// and of their times. Rows without a boot, or with an invalid time, are left out; see `checkQuarters`.
    func quarterRows(
        _ condition: String = "", _ sets: [[SQLValue]] = [[]], _ boots: [StoredBoot]
    ) throws(LedgerError) -> [StoredQuarter] {
        let places = Dictionary(zip(boots.map(\.number), boots.indices)) { first, _ in first }
        let rows = try database.rows(
            "SELECT boot, start, length, late, sealed, \(Provenance.columnNames) FROM quarter \(condition) ORDER BY boot, start",
            each: sets
        ) { _, row -> StoredQuarter? in
            let (start, length) = (BootTime(nanoseconds: row.integer(1)), Interval(nanoseconds: row.integer(2)))
            guard let index = places[row.integer(0)], QuarterKey.canBe(start, length) else { return nil }
            let key = QuarterKey(
                start: start, length: length, cameLate: row.integer(3) != 0,
                provenance: Provenance(row, from: 5) ?? .unreadable)
            return StoredQuarter(boot: boots[index], bootIndex: index, key: key, sealed: row.blob(4))
        }
        return rows.compactMap(\.self)
    }

    /// The quarters of each boot with open dates.
    func openRows(_ boots: [StoredBoot]) throws(LedgerError) -> [StoredQuarter] {
        let sets = boots.map { boot -> [SQLValue] in
            [.integer(boot.number), .int64((boot.log.openFrom ?? BootTime(nanoseconds: .min)).nanoseconds)]
        }
        return try quarterRows("WHERE boot = ? AND start >= ?", sets, boots)
    }

    /// Throws `damaged` for quarters that belong to no day, with an unknown boot or an invalid time, or that are out of
    /// order, so that not all of them are found. Reads the whole table.
    func checkQuarters() throws(LedgerError) {
        let findings = try database.rows("PRAGMA integrity_check(quarter)") { $0.text(0) ?? "" }
        guard findings == ["ok"] else { throw .damaged(path: path, detail: findings.first ?? "no answer") }
        guard try database.integer("SELECT count(*) FROM quarter WHERE \(Ledger.stray)") == 0 else {
            throw .damaged(path: path, detail: "quarters of an hour have no boot or an impossible time")
        }
    }

    /// The SQL condition for a quarter that belongs to no day.
    static let stray = """
        boot NOT IN (SELECT id FROM boot WHERE length(boot) = 16)
            OR start NOT BETWEEN \(-QuarterKey.furthest.nanoseconds) AND \(QuarterKey.furthest.nanoseconds)
            OR length NOT BETWEEN 0 AND \(QuarterKey.longest.nanoseconds)
        """

    /// The amounts of a stored quarter; nil for one changed or moved outside this program.
    func open(_ row: StoredQuarter) -> [Quarter.Amount]? {
        vault.open(row.sealed, for: .quarter(row.key, of: row.boot.id), read: amounts(from:))
    }

    /// As a quarter with the amounts of its domain.
    func opened(_ row: StoredQuarter) -> Quarter? { open(row).map { row.quarter(with: $0) } }
}

extension Transaction {
    /// Stores a quarter, each domain's part under the entry by which it was collected. Its amounts are added to stored
    /// ones of the same quarter, and sitting is reduced to the time that sleep leaves.
    func keep(
        _ quarter: Quarter, in boots: [StoredBoot], asOf revision: ConsentEntry.ID, _ consent: ConsentSnapshot
    ) throws(LedgerError) {
        guard let boot = boots.first(where: { $0.id == quarter.boot }) else { return }
        let cameLate = boot.log.openFrom.map { quarter.start < $0 } ?? false
        for domain in Domain.all {
            guard let part = quarter.part(of: domain), let under = consent.entry(of: domain, asOf: revision),
                let first = part.amounts.first.flatMap({ Figure(id: $0.figure) })
            else { continue }
            let key = QuarterKey(
                start: part.start, length: part.length, cameLate: cameLate,
                provenance: Provenance(
                    source: part.source(of: first), sampleType: domain.id, granularity: .quarter, consent: under))
            try keep(part.amounts, at: key, in: boot)
        }
        // Only sleep is stored after the sitting that it contradicts.
        if quarter.amounts.contains(where: { $0.value != 0 && Figure.preferred.contains($0.figure) }) {
            try giveWay(at: quarter.start, cameLate: cameLate, in: boot)
        }
    }

    /// Corrects the stored parts of a quarter in which a figure has more than others leave: minutes that counted as
    /// sitting until they turned out to be asleep.
    private func giveWay(at start: BootTime, cameLate: Bool, in boot: StoredBoot) throws(LedgerError) {
        let rows = try ledger.quarterRows(
            "WHERE boot = ? AND start = ? AND late = ?",
            [[.integer(boot.number), .int64(start.nanoseconds), .integer(cameLate ? 1 : 0)]], [boot])
        let parts = rows.map { $0.quarter(with: ledger.open($0) ?? []) }
        for (index, corrected) in parts.givingWayToOneAnother().enumerated() where corrected != parts[index] {
            try write(corrected.amounts, at: rows[index].key, in: boot, "REPLACE")
        }
    }

    private func keep(_ amounts: [Quarter.Amount], at key: QuarterKey, in boot: StoredBoot) throws(LedgerError) {
        try write(amounts, at: key, in: boot, "INSERT OR IGNORE")
        guard database.changes == 0 else { return }
        let rows = try ledger.quarterRows(
            "WHERE boot = ? AND start = ? AND sample_type = ? AND consent = ? AND late = ?",
            [
                [
                    .integer(boot.number), .int64(key.start.nanoseconds), .integer(key.provenance.sampleType),
                    .int64(key.provenance.consent), .integer(key.cameLate ? 1 : 0),
                ]
            ], [boot])
        // A row that does not open is left to the check of its day.
        guard let stored = rows.first.flatMap(ledger.opened) else { return }
        try write(stored.adding(amounts).amounts, at: key, in: boot, "REPLACE")
    }

    private func write(
        _ amounts: [Quarter.Amount], at key: QuarterKey, in boot: StoredBoot, _ verb: String
    ) throws(LedgerError) {
        try database.run(
            "\(verb) INTO quarter(boot, start, length, late, \(Provenance.columnNames), sealed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                .integer(boot.number), .int64(key.start.nanoseconds), .int64(key.length.nanoseconds),
                .integer(key.cameLate ? 1 : 0),
            ] + key.provenance.columns + [.blob(ledger.seal(payload(of: amounts), for: .quarter(key, of: boot.id)))])
    }
}

extension Ledger {
    /// All quarters that open, or those with a wanted date, in the order of their boots and times, each with the data
    /// of every domain.
    ///
    /// - Parameters:
    ///   - days: limits the search; quarters of other days may be included.
    ///   - more: boots of which the store may be incomplete.
    ///   - held: quarters of these boots that are not stored yet.
    public func datedQuarters(
        of days: ClosedRange<UTCDay>? = nil, knowing more: [BootReading] = [], and held: [Quarter] = [],
        where isWanted: (QuarterDate) -> Bool = { _ in true }
    ) throws(LedgerError) -> [DatedQuarter] {
        try database.snapshot { () throws(LedgerError) in
            let boots = try storedBoots()
            let history = BootHistory(boots, and: more)
            var quarters: [Quarter] = []
            for row in try quarterRows(of: days, boots, history) where isWanted(history.date(of: row)) {
                guard let part = opened(row) else { continue }
                if let last = quarters.indices.last, quarters[last].isSame(as: part) {
                    quarters[last].amounts += part.amounts
                } else {
                    quarters.append(part)
                }
            }
            return quarters.adding(held).compactMap { quarter in
                let index = history.boots.firstIndex { $0.id == quarter.boot }
                let date = index.map {
                    history.date(ofQuarterAt: quarter.start, length: quarter.length, inBoot: $0)
                }
                guard isWanted(date ?? .unknown) else { return nil }
                return DatedQuarter(
                    quarter: quarter, day: date?.day,
                    began: index.flatMap { history.clock(ofBoot: $0)?.time(at: quarter.start).wall })
            }
        }
    }

    /// All quarters, or those that may belong to some days, and maybe others.
    func quarterRows(
        of days: ClosedRange<UTCDay>?, _ boots: [StoredBoot], _ history: BootHistory
    ) throws(LedgerError) -> [StoredQuarter] {
        guard let days else { return try quarterRows("", [[]], boots) }
        let sets = boots.indices.compactMap { index -> [SQLValue]? in
            history.starts(of: days, inBoot: index).map {
                [.integer(boots[index].number), .int64($0.lowerBound.nanoseconds), .int64($0.upperBound.nanoseconds)]
            }
        }
        return try quarterRows("WHERE boot = ? AND start BETWEEN ? AND ?", sets, boots)
    }

    /// The counts of quarters and events in no record.
    public func undatedCounts() throws(LedgerError) -> UndatedCounts {
        try database.snapshot { () throws(LedgerError) in
            try undatedCounts(try storedBoots(), days: try storedDays())
        }
    }

    func undatedCounts(_ boots: [StoredBoot], days: StoredDays) throws(LedgerError) -> UndatedCounts {
        let history = BootHistory(boots)
        var counts = UndatedCounts()
        let spans = boots.flatMap { boot in
            zip([BootTime(nanoseconds: .min)] + boot.log.spans.map(\.until), boot.log.spans).map { (boot, $0, $1) }
        }
        // A timely span may contain single late quarters.
        for (all, condition) in [(true, ""), (false, "AND late = 1")] {
            let spans = spans.filter { ($0.2.isLate || $0.2.isUndated) == all }
            let counted = try database.rows(
                "SELECT DISTINCT start FROM quarter WHERE boot = ? AND start >= ? AND start < ? \(condition)",
                each: spans.map { boot, from, span in
                    [.integer(boot.number), .int64(from.nanoseconds), .int64(span.until.nanoseconds)]
                }
            ) { number, _ in spans[number].2 }
            for span in counted {
                if span.isUndated { counts.undated += 1 } else { counts.late += 1 }
            }
        }
        let times = try database.rows(
            "SELECT start, max(length) FROM quarter WHERE boot = ? AND start >= ? GROUP BY start",
            each: boots.map {
                [.integer($0.number), .int64(($0.log.openFrom ?? BootTime(nanoseconds: .min)).nanoseconds)]
            }
        ) { index, row in
            (index, start: BootTime(nanoseconds: row.integer(0)), length: Interval(nanoseconds: row.integer(1)))
        }
        for (index, start, length) in times where QuarterKey.canBe(start, length) {
            switch history.date(ofQuarterAt: start, length: length, inBoot: index) {
            case .unknown where history.isLost(boot: index): counts.undated += 1
            case .unknown: counts.waiting += 1
            case .open(let day) where days.isFinal(day):
                if try holdsData(start, boots[index], boots) { counts.late += 1 }
            case .open, .final: break
            }
        }
        let events = try database.rows("SELECT boot FROM moment WHERE record = 0") { $0.integer(0) }
        for number in events {
            guard let index = boots.firstIndex(where: { $0.number == number }) else { continue }
            if history.isLost(boot: index) { counts.undatedEvents += 1 } else { counts.waitingEvents += 1 }
        }
        return counts
    }
}

extension Ledger {
    /// Whether the quarter has more than zero amounts.
    private func holdsData(_ start: BootTime, _ boot: StoredBoot, _ boots: [StoredBoot]) throws(LedgerError) -> Bool {
        let rows = try quarterRows(
            "WHERE boot = ? AND start = ?", [[.integer(boot.number), .int64(start.nanoseconds)]], boots)
        return rows.contains { row in open(row).map { $0.contains { $0.value != 0 } } ?? true }
    }
}

extension QuarterDate {
    /// Nil if unknown.
    public var day: UTCDay? {
        switch self {
        case .open(let day), .final(let day, isLate: _): day
        case .unknown: nil
        }
    }
}

extension BootHistory {
    func date(of row: StoredQuarter) -> QuarterDate {
        date(ofQuarterAt: row.key.start, length: row.key.length, inBoot: row.bootIndex)
    }
}

// MARK: - Storing

/// Never reuse a tag.
private let amountsPart = Parts.Kind(1, version: 1)

private func payload(of amounts: [Quarter.Amount]) -> [UInt8] {
    var parts = Parts()
    parts.put(amountsPart) { packer in
        for amount in amounts {
            packer.put(amount.figure)
            packer.put(short: amount.value)
        }
    }
    return parts.bytes
}

/// Nil for bytes that are not amounts of this version.
private func amounts(from payload: UnsafeRawBufferPointer) throws(Unpacker.Malformed) -> [Quarter.Amount] {
    guard let part = try Parts(Array(payload))[amountsPart] else { throw Unpacker.Malformed() }
    var unpacker = part.unpacker
    var amounts: [Quarter.Amount] = []
    // Each has two bytes at least.
    amounts.reserveCapacity(part.content.count / 2)
    while !unpacker.isAtEnd { amounts.append(Quarter.Amount(try unpacker.take(), try unpacker.takeShort())) }
    return amounts
}
