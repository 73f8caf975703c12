import Domains
import Core

/// The origin of the figures of a day, as far as it is stored.
public struct DayExplanation: Sendable {
    /// The collected amounts of one domain in a quarter of an hour.
    public struct Part: Equatable, Sendable {
        /// Without amounts if it does not open.
        public fileprivate(set) var quarter: Quarter
        public let domain: Domain
        /// Nil if the clock of its boot is not known to the minute.
        public let began: WallTime?
        public let standing: Standing
    }

    /// Whether a part is in the figures, and if not, why.
    public enum Standing: String, Equatable, Sendable {
        case counted
        /// It came when the record of the day might already have been sent.
        case late
        /// Its domain was turned off and on again on the day: earlier data does not count.
        case superseded
        /// It was changed or moved outside this program.
        case unreadable
    }

    /// Whether a day has ended.
    public enum State: String, Sendable {
        /// It has not ended, or waits for a commit.
        case open
        /// It has ended, but later data for it still counts.
        case closed
        /// Its record may have been sent.
        case final
    }

    public let day: UTCDay
    public let state: State
    /// The domains with lost data. Their figures are not sent.
    public let lost: DomainSet
    /// In the order of boots and times.
    public let parts: [Part]
    /// The counted parts by quarter, in the same order.
    public let quarters: [DatedQuarter]
    /// The figures of the counted parts.
    public let figures: [ClosedDay.Entry]
    /// The same figures if the wear time is ignored.
    public let figuresUnworn: [ClosedDay.Entry]
    /// The stored figures of the day.
    public let stored: [HistoryDay.Entry]
    private let fold: DayFold
}

extension DayExplanation {
    /// The quarters from which the value of a figure is made.
    public func quarters(of figure: Figure) -> [DatedQuarter] {
        quarters.filter { dated in
            guard let amount = dated.amount(of: figure), amount != 0 else { return false }
            guard let origin = fold.origin(of: figure) else { return figure.fold.keepsEach || !figure.fold.replaces }
            return dated.quarter.boot == origin.boot && dated.quarter.start == origin.start
        }
    }

    /// The whole of a figure that is an amount of time.
    public func time(of figure: Figure) -> Interval {
        Interval(nanoseconds: quarters(of: figure).reduce(0) { $0 &+ ($1.amount(of: figure) ?? 0) })
    }
}

extension Ledger {
    /// Explains the figures of a day.
    ///
    /// - Parameters:
    ///   - more: boots of which the store may be incomplete.
    ///   - held: quarters of these boots that are not stored yet.
    public func explanation(
        of day: UTCDay, _ rule: DayRule, knowing more: [BootReading], and held: [Quarter]
    ) throws(LedgerError) -> DayExplanation {
        let stored = try figures(of: day)
        return try database.snapshot { () throws(LedgerError) in
            let boots = try storedBoots()
            let history = BootHistory(boots, and: more)
            let days = try storedDays(day)
            let rows = try quarterRows(of: day...day, boots, history).filter { history.date(of: $0).day == day }
            let collected = parts(of: rows, history, isFinal: days.isFinal(day))
            var parts = collected.parts
            for quarter in held {
                guard let index = history.boots.firstIndex(where: { $0.id == quarter.boot }),
                    history.date(ofQuarterAt: quarter.start, length: quarter.length, inBoot: index) == .open(day)
                else { continue }
                let began = history.wall(at: quarter.start, inBoot: index)
                for domain in Domain.all {
                    guard let part = quarter.part(of: domain) else { continue }
                    parts.append(
                        .init(
                            quarter: part, domain: domain, began: began,
                            standing: days.isFinal(day) ? .late : .counted))
                }
                let same = parts.indices.filter { parts[$0].quarter.isSame(as: quarter) }
                for (index, corrected) in zip(same, same.map { parts[$0].quarter }.givingWayToOneAnother()) {
                    parts[index].quarter = corrected
                }
            }
            let state: DayExplanation.State =
                days.isFinal(day) ? .final : days.folded[day] == nil ? .open : .closed
            let fillers = Figure.all.filter { figure in
                figure.filled != nil
                    && parts.contains { part in part.quarter.amounts.contains { $0.figure == figure.id } }
            }
            let off = try timesOff(on: day, filledBy: fillers) { collected.latest[$0.id] }
            // Figures that fill others are those of a whole day.
            return DayExplanation(
                day, state, lost: days.lost[day] ?? [], parts, rule,
                off: state == .open ? nil : off, stored: stored)
        }
    }

    /// With, by domain, the entry since which its data of the day counts.
    private func parts(
        of rows: [StoredQuarter], _ history: BootHistory, isFinal: Bool
    ) -> (parts: [DayExplanation.Part], latest: ByID<ConsentEntry.ID>) {
        let opened = rows.map { (row: $0, amounts: open($0), isLate: history.isLate($0, isFinal: isFinal)) }
        var latest = ByID<ConsentEntry.ID>(usual: 0)
        for (row, amounts, isLate) in opened where amounts != nil && !isLate {
            let domain = row.key.provenance.sampleType
            latest[domain] = max(latest[domain], row.key.provenance.consent)
        }
        let parts = opened.compactMap { row, amounts, isLate -> DayExplanation.Part? in
            let provenance = row.key.provenance
            guard let domain = Domain(id: provenance.sampleType) else { return nil }
            let isSuperseded = provenance.consent != latest[provenance.sampleType]
            return DayExplanation.Part(
                quarter: row.quarter(with: amounts ?? []), domain: domain,
                began: history.wall(at: row.key.start, inBoot: row.bootIndex),
                standing: amounts == nil ? .unreadable : isLate ? .late : isSuperseded ? .superseded : .counted)
        }
        return (parts, latest)
    }
}

extension DayExplanation {
    fileprivate init(
        _ day: UTCDay, _ state: State, lost: DomainSet, _ parts: [Part], _ rule: DayRule, off: ByID<Interval>?,
        stored: [HistoryDay.Entry]
    ) {
        self.day = day
        self.state = state
        self.lost = lost
        self.parts = parts
        self.stored = stored
        var quarters: [DatedQuarter] = []
        for part in parts where part.standing == .counted {
            if let index = quarters.lastIndex(where: { $0.quarter.isSame(as: part.quarter) }) {
                quarters[index].quarter.amounts += part.quarter.amounts
            } else {
                quarters.append(DatedQuarter(quarter: part.quarter, day: day, began: part.began))
            }
        }
        var fold = DayFold()
        for dated in quarters { fold.add(dated.quarter, began: dated.began) }
        figures = fold.figures(rule, off: off)
        figuresUnworn = fold.figures(nil, off: off)
        self.quarters = quarters
        self.fold = fold
    }
}

extension BootHistory {
    fileprivate func isLate(_ row: StoredQuarter, isFinal: Bool) -> Bool {
        switch date(of: row) {
        case .open: isFinal
        case .final(_, let isLate): isLate || row.key.cameLate
        case .unknown: false
        }
    }
}
