import Domains
import Core

/// The stored figures of one closed day.
public struct HistoryDay: Equatable, Sendable {
    /// One figure, with its source and the consent under which it was collected.
    public struct Entry: Hashable, Sendable {
        public let figure: Figure
        /// Nil if the row was changed or moved outside this program and does not open.
        public let value: FigureValue?
        public let source: Source
        public let consent: ConsentEntry.ID
    }

    public let day: UTCDay
    /// In the order of `Figure`.
    public internal(set) var figures: [Entry]

    /// The value of a figure; nil if it is missing or does not open.
    public func value(of figure: Figure) -> FigureValue? { figures.value(of: figure) }
}

extension [HistoryDay.Entry] {
    /// The value of a figure; nil if it is missing or does not open.
    public func value(of figure: Figure) -> FigureValue? { first { $0.figure == figure }?.value }

    /// Whether the figure is that of a part of the day: its domain was observed for less than `Coverage.whole`. False if
    /// the observed time is unknown, as on a day that an earlier version closed, and for the observed time itself.
    public func isOfPart(_ figure: Figure) -> Bool {
        guard !figure.tellsObserved, let observed = value(of: figure.domain.observed) else { return false }
        return .minutes(observed.number) < Coverage.whole
    }
}

extension Ledger {
    /// The latest days with figures, newest first, at most `limit`.
    public func days(limit: Int) throws(LedgerError) -> [HistoryDay] {
        try days(where: "day IN (SELECT DISTINCT day FROM history ORDER BY day DESC LIMIT ?)", .integer(limit))
    }

    /// The stored figures of a day.
    public func figures(of day: UTCDay) throws(LedgerError) -> [HistoryDay.Entry] {
        try days(where: "day = ?", .integer(day.daysSinceEpoch)).first?.figures ?? []
    }

    private func days(where condition: String, _ value: SQLValue) throws(LedgerError) -> [HistoryDay] {
        let rows = try database.rows(
            """
            SELECT day, sealed, \(Provenance.columnNames) FROM history WHERE \(condition)
            ORDER BY day DESC, sample_type
            """, [value]
        ) { (day: $0.integer(0), sealed: $0.blob(1), provenance: Provenance($0, from: 2)) }
        var days: [HistoryDay] = []
        for row in rows {
            // An invalid row is skipped.
            guard let number = Int32(exactly: row.day), (0...106_750).contains(number), let provenance = row.provenance,
                let figure = figure(row.sealed, day: row.day, provenance)
            else { continue }
            let day = UTCDay(daysSinceEpoch: number)
            if days.last?.day != day { days.append(HistoryDay(day: day, figures: [])) }
            days[days.count - 1].figures.append(figure)
        }
        return days
    }

    private func figure(_ sealed: [UInt8], day: Int64, _ provenance: Provenance) -> HistoryDay.Entry? {
        guard let figure = Figure(id: provenance.sampleType) else { return nil }
        let value = openValue(of: figure, sealed, at: .history(day: day, provenance))
        return HistoryDay.Entry(figure: figure, value: value, source: provenance.source, consent: provenance.consent)
    }
}
