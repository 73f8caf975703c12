import Domains
import Core

/// The days that were folded from quarters, and days whose row was removed outside this program.
struct StoredDays {
    /// By day, whether it is final.
    fileprivate(set) var folded: [UTCDay: Bool] = [:]
    /// Days with history but without a row. They are final: no day gets a second record.
    fileprivate(set) var others: Set<UTCDay> = []
    /// The days with lost data, and the domains concerned.
    fileprivate(set) var lost: [UTCDay: DomainSet] = [:]

    /// Whether the record of the day may have been sent, or can no longer be sent.
    func isFinal(_ day: UTCDay) -> Bool { folded[day] ?? others.contains(day) }
}

/// The sealed value of a day.
private enum DayState {
    static let final: Int64 = 1
    /// Data of all or unknown domains was lost.
    static let broken: Int64 = 2
    /// From here on, a bit for each domain with lost data, if known.
    static let domains: Int64 = 8

    static func lost(in value: Int64) -> DomainSet {
        value & broken != 0 ? .everything : DomainSet(packed: value >> domains)
    }

    static func value(isFinal: Bool, lost: DomainSet) -> Int64 {
        (isFinal ? final : 0) | (lost == .everything ? broken : lost.packed << domains)
    }
}

extension BootLog {
    /// Makes the dates of quarters final, up to the last of this day or an earlier one. Quarters without a date between
    /// others stay without one.
    fileprivate mutating func settle(
        _ quarters: [(start: BootTime, date: QuarterDate)], through day: UTCDay, began: WallTime, _ days: StoredDays
    ) {
        var undatedUntil: BootTime?
        for (start, date) in quarters {
            let end = start + Interval(nanoseconds: 1)
            switch date {
            case .unknown: undatedUntil = end
            case .open(let date) where date <= day:
                if let undatedUntil { settle(until: undatedUntil, began: FinalSpan.undated, isLate: false) }
                undatedUntil = nil
                settle(until: end, began: began, isLate: days.isFinal(date))
            case .open, .final: return
            }
        }
    }
}

extension Ledger {
    /// - Parameter only: the day to read; nil for all.
    func storedDays(_ only: UTCDay? = nil) throws(LedgerError) -> StoredDays {
        var days = StoredDays()
        let condition = only == nil ? "" : "WHERE day = ?"
        let values = only.map { [SQLValue.integer($0.daysSinceEpoch)] } ?? []
        let rows = try database.rows("SELECT day, sealed FROM day \(condition)", values) {
            (day: $0.integer(0), sealed: $0.blob(1))
        }
        for row in rows {
            guard let day = Int32(exactly: row.day).map(UTCDay.init) else { continue }
            // A changed row counts as final, so that its record is never sent a second time.
            let value = openValue(row.sealed, at: .day(day)) ?? DayState.final
            days.folded[day] = value & DayState.final != 0
            let lost = DayState.lost(in: value)
            if !lost.isEmpty { days.lost[day] = lost }
        }
        let history = try database.rows("SELECT DISTINCT day FROM history \(condition)", values) { $0.integer(0) }
        for number in history {
            guard let day = Int32(exactly: number).map(UTCDay.init), days.folded[day] == nil else { continue }
            days.others.insert(day)
        }
        return days
    }
}

/// Folding quarters into days (SPEC §6, §10).
extension Transaction {
    /// Whether data of the domain that was collected under the entry may be sent.
    typealias Sendability = (Domain, ConsentEntry.ID) -> Bool

    /// Folds every day that ended before `settled` and is not final; a step of a trusted clock may have changed its
    /// content. Deletes data older than the history's or the outbox's limit.
    func settleDays(
        before settled: TrustedTime, _ boots: [StoredBoot], _ rule: DayRule, maySend: Sendability
    ) throws(LedgerError) -> Settlement {
        var (settlement, boots) = (Settlement(), boots)
        let history = BootHistory(boots)
        settlement.datedEvents = try dateMoments(of: boots, history)
        var days = try ledger.storedDays()
        let quarters = try openQuarters(boots, history) { $0 < settled.day && !days.isFinal($0) }
        // Before the record of a day is made or corrected. The quarters of a day may all be out of order, and then none
        // is found.
        if ledger.checkedDay != settled.day || quarters.keys.contains(where: { days.folded[$0] == nil }) {
            try ledger.checkSoundness()
            try checkRows()
            ledger.checkedDay = settled.day
        }
        for (day, rows) in quarters.sorted(by: { $0.key < $1.key }) {
            if try removeStranger(of: day) { settlement.strangers += 1 }
            let lost = try fold(day, rows, rule, history, lost: lost(on: day, history), maySend)
            if !lost.subtracting(days.lost[day] ?? []).isEmpty { settlement.incompleteDays[day] = lost }
            if lost != .everything, days.folded[day] == nil { settlement.closedDays.append(day) }
            days.folded[day] = false
        }
        for (day, isFinal) in days.folded where !isFinal && quarters[day] == nil {
            try unfold(day)
            days.folded[day] = nil
        }
        let oldest = settled.day + -Transaction.daysOpen
        let last = settled.day + -(rule.keepDays + 1)
        if history.mayDelete,
            let day = days.folded.filter({ !$0.value && ($0.key < oldest || $0.key <= last) }).keys.max()
        {
            try makeFinal(through: day)
        }
        if history.mayDelete {
            if let age = rule.keepUndelivered { settlement.expired = try expire(before: settled.wall - age) }
            (boots, days) = (try ledger.storedBoots(), try ledger.storedDays())
            if try purge(through: last, boots, days, history) {
                (boots, days) = (try ledger.storedBoots(), try ledger.storedDays())
            }
            try dropBookDays(before: last.next)
            dropGaps(through: last, history)
        }
        settlement.counts = try ledger.undatedCounts(boots, days: days)
        return settlement
    }

    /// A day whose record was not collected by a sender becomes final after this many days, when it is too old to be
    /// delivered.
    private static let daysOpen = 8

    /// The quarters whose day is known and may still change, by day.
    private func openQuarters(
        _ boots: [StoredBoot], _ history: BootHistory, of isWanted: (UTCDay) -> Bool
    ) throws(LedgerError) -> [UTCDay: [StoredQuarter]] {
        var days: [UTCDay: [StoredQuarter]] = [:]
        for row in try ledger.openRows(boots) {
            if case .open(let day) = history.date(of: row), isWanted(day) { days[day, default: []].append(row) }
        }
        return days
    }

    // MARK: A day

    /// A figure of a day, with its source.
    private struct DayValue: Equatable {
        let figure: Figure
        let value: FigureValue
        let provenance: Provenance
    }

    /// Returns the domains with lost data of the day.
    private func fold(
        _ day: UTCDay, _ rows: [StoredQuarter], _ rule: DayRule, _ history: BootHistory, lost: DomainSet,
        _ maySend: Sendability
    ) throws(LedgerError) -> DomainSet {
        let (values, allOpen) = try values(of: day, rows, rule, history)
        let lost = allOpen ? lost : .everything
        if try storedValues(of: day) != values {
            let number = SQLValue.integer(day.daysSinceEpoch)
            try delete(from: .history, where: "day = ?", each: [[number]])
            for value in values {
                let place = SealedPlace.history(day: Int64(day.daysSinceEpoch), value.provenance)
                try database.run(
                    "REPLACE INTO history(day, \(Provenance.columnNames), sealed) VALUES (?, ?, ?, ?, ?, ?)",
                    [number] + value.provenance.columns + [.blob(ledger.seal(value.value.payload, for: place))])
            }
        }
        try write(isFinal: false, lost: lost, day)
        // Incomplete figures are never sent.
        let fields = values.filter { $0.figure.isInRecord && !lost.allows($0.figure.domain) }.map { value in
            (
                field: RecordField(provenance: value.provenance, value: value.value),
                maySend: maySend(value.figure.domain, value.provenance.consent)
            )
        }
        try queue(fields, of: day)
        return lost
    }

    /// The day's data of each domain since it was last turned on; and whether all of it opens.
    private func values(
        of day: UTCDay, _ rows: [StoredQuarter], _ rule: DayRule, _ history: BootHistory
    ) throws(LedgerError) -> ([DayValue], allOpen: Bool) {
        var latest = ByID<Int64>(usual: 0)
        let opened = rows.compactMap { row in ledger.opened(row).map { (row: row, quarter: $0) } }
        for key in opened.map(\.row.key) {
            let domain = key.provenance.sampleType
            latest[domain] = max(latest[domain], key.provenance.consent)
        }
        var fold = DayFold()
        for (row, quarter) in opened where row.key.provenance.consent == latest[row.key.provenance.sampleType] {
            fold.add(quarter, began: history.wall(at: row.key.start, inBoot: row.bootIndex))
        }
        let closed = fold.closed(day, rule, off: try ledger.timesOff(on: day, filledBy: fold.fillers) { latest[$0.id] })
        let values = closed.figures.map { entry in
            DayValue(
                figure: entry.figure, value: entry.value,
                provenance: Provenance(
                    source: closed.source(of: entry.figure), sampleType: entry.figure.id, granularity: .day,
                    consent: latest[entry.figure.domain.id]))
        }
        return (values, opened.count == rows.count)
    }

    private func storedValues(of day: UTCDay) throws(LedgerError) -> [DayValue] {
        let number = Int64(day.daysSinceEpoch)
        let rows = try database.rows(
            "SELECT sealed, \(Provenance.columnNames) FROM history WHERE day = ? ORDER BY sample_type", [.int64(number)]
        ) { (sealed: $0.blob(0), provenance: Provenance($0, from: 1)) }
        return rows.compactMap { row in
            guard let provenance = row.provenance, let figure = Figure(id: provenance.sampleType),
                let value = ledger.openValue(of: figure, row.sealed, at: .history(day: number, provenance))
            else { return nil }
            return DayValue(figure: figure, value: value, provenance: provenance)
        }
    }

    /// Removes a day that no longer exists: the clock was set back before its end, or its data has another date.
    private func unfold(_ day: UTCDay) throws(LedgerError) {
        let number = SQLValue.integer(day.daysSinceEpoch)
        try delete(from: .history, where: "day = ?", each: [[number]])
        try delete(from: .day, where: "day = ?", each: [[number]])
        try queue([], of: day)
    }

    // MARK: Final days

    /// Makes the day and all earlier folded days final: its record may reach a server from now on. Later data for it is
    /// kept, counted as late, and never sent. Does nothing if the day is already final.
    func makeFinal(through day: UTCDay) throws(LedgerError) {
        let days = try ledger.storedDays()
        guard days.folded[day] == false else { return }
        let boots = try ledger.storedBoots()
        let history = BootHistory(boots)
        let rows = Dictionary(grouping: try ledger.openRows(boots), by: \.bootIndex)
        for (index, boot) in boots.enumerated() {
            guard let began = history.began(ofBoot: index), let rows = rows[index] else { continue }
            var log = boot.log
            log.settle(rows.map { ($0.key.start, history.date(of: $0)) }, through: day, began: began, days)
            if log.openFrom != boot.log.openFrom {
                try write(StoredBoot(number: boot.number, id: boot.id, log: log))
            }
        }
        for (other, isFinal) in days.folded where !isFinal && other <= day {
            try write(isFinal: true, lost: days.lost[other] ?? [], other)
        }
    }

    func write(isFinal: Bool, lost: DomainSet, _ day: UTCDay) throws(LedgerError) {
        let value = DayState.value(isFinal: isFinal, lost: lost)
        let rows = try database.rows("SELECT sealed FROM day WHERE day = ?", [.integer(day.daysSinceEpoch)]) {
            $0.blob(0)
        }
        if let row = rows.first, ledger.openValue(row, at: .day(day)) == value { return }
        try database.run(
            "REPLACE INTO day(day, sealed) VALUES (?, ?)",
            [.integer(day.daysSinceEpoch), .blob(ledger.seal(value.payload, for: .day(day)))])
    }

    // MARK: The end of history

    /// Returns whether it deleted any day or boot.
    private func purge(
        through last: UTCDay, _ boots: [StoredBoot], _ days: StoredDays, _ history: BootHistory
    ) throws(LedgerError) -> Bool {
        var deleted = 0
        for day in Array(days.folded.keys) + Array(days.others) where day <= last && days.isFinal(day) {
            let number = SQLValue.integer(day.daysSinceEpoch)
            deleted += try delete(from: .history, where: "day = ?", each: [[number]])
            deleted += try delete(from: .day, where: "day = ?", each: [[number]])
        }
        let events = try ledger.moments(of: boots)
        var starts: [[SQLValue]] = []
        for (index, boot) in boots.enumerated() {
            if let end = history.latestEnd(ofBoot: index), UTCDay(containing: end) <= last {
                try deleteQuarters(where: "boot = ?", each: [[.integer(boot.number)]], of: boots)
                for event in events where event.boot.number == boot.number { try delete(event) }
                // The remaining rows need their boot.
                let isEmpty = "id NOT IN (SELECT boot FROM quarter UNION SELECT boot FROM moment)"
                deleted += try delete(from: .boot, where: "id = ? AND \(isEmpty)", each: [[.integer(boot.number)]])
            } else if let began = history.began(ofBoot: index) {
                // Quarters without a final day may still get another day.
                let first = min(last.end.nanoseconds - began.nanoseconds, boot.log.openFrom?.nanoseconds ?? .min)
                starts.append([.integer(boot.number), .int64(first)])
            }
        }
        try deleteQuarters(where: "boot = ? AND start < ?", each: starts, of: boots)
        return deleted > 0
    }
}
