import Quantities

/// A day that has ended, with every figure that was collected on it.
public struct ClosedDay: Equatable, Sendable {
    public let day: UTCDay
    /// In the order of `Figure.all`; a figure without data is absent.
    public let figures: [Entry]

    /// A figure and its value.
    public struct Entry: Equatable, Sendable {
        public let figure: Figure
        public let value: Int64

        public init(_ figure: Figure, _ value: Int64) {
            self.figure = figure
            self.value = value
        }
    }

    public init(day: UTCDay, figures: [Entry]) {
        self.day = day
        self.figures = figures
    }

    /// The source of a figure of this day.
    public func source(of figure: Figure) -> Source {
        guard let other = figure.otherSource, !figures.contains(where: { $0.figure.id == other.missing }) else {
            return figure.source
        }
        return other.source
    }
}

/// Folds amounts into one record per UTC day (SPEC §3, §4, §6), cut at 00:00 UTC: each figure as it declares.
///
/// A figure exists once its domain was observed on the day, even if it stayed zero; a day without any
/// observation leaves no record. Amounts that are held may yet count or not; they keep their day open for a while. Those of a
/// figure that this version does not know are kept as they are.
public struct Daybook: Sendable {
    /// The amounts of each figure: of one with `Fold.duration`, nanoseconds.
    private var tallies = ByID(usual: DayTally())
    /// Of the same, those of which it is not known yet whether they count.
    private var held = ByID(usual: DayTally())

    public init() {}

    /// Notes that a figure is being collected at `time`, so that it exists even when nothing happens.
    public mutating func observe(_ figure: Figure, at time: WallTime) {
        tallies[figure.id].add(0, on: UTCDay(containing: time))
    }

    /// Adds an amount to a figure of the day; of a figure whose latest value stands, replaces it.
    public mutating func add(_ amount: Int64, to figure: Figure, on day: UTCDay) {
        add(DayTally(amount, on: day), to: figure)
    }

    /// Adds amounts by day; of a figure whose latest value stands, they replace the earlier ones.
    public mutating func add(_ amounts: DayTally, to figure: Figure) {
        if figure.fold == .latest { for day in amounts.days { _ = tallies[figure.id].take(day) } }
        tallies[figure.id].add(amounts)
    }

    /// Holds amounts by day until they count or are discarded.
    public mutating func hold(_ amounts: DayTally, of figure: Figure) { held[figure.id].add(amounts) }

    /// Adds what is held of the figure.
    public mutating func count(_ figure: Figure) {
        tallies[figure.id].add(held[figure.id])
        discard(figure)
    }

    /// Drops what is held of the figure.
    public mutating func discard(_ figure: Figure) { held[figure.id] = DayTally() }

    /// Drops what is held of the figure on one day.
    public mutating func discard(_ figure: Figure, on day: UTCDay) { _ = held[figure.id].take(day) }

    /// The earliest day that has figures.
    public var earliestDay: UTCDay? { earliest(of: tallies) }
    /// The earliest day of which amounts are held.
    public var earliestHeldDay: UTCDay? { earliest(of: held) }

    private func earliest(of amounts: ByID<DayTally>) -> UTCDay? {
        var earliest: UTCDay?
        for figure in Figure.all {
            guard let day = amounts[figure.id].earliestDay else { continue }
            earliest = min(earliest ?? day, day)
        }
        return earliest
    }

    /// The figures of `day` so far, with what is held, as if it counted.
    public func figures(of day: UTCDay) -> [ClosedDay.Entry] {
        Figure.all.compactMap { figure in
            let (counted, held) = (tallies[figure.id], held[figure.id])
            guard counted.contains(day) || held.contains(day) else { return nil }
            return ClosedDay.Entry(figure, figure.value(of: counted.amount(on: day) + held.amount(on: day)))
        }
    }

    /// Moves amounts of dates after tomorrow to `today`. Without that, a clock that once ran ahead would keep every day
    /// open until then.
    public mutating func redate(to today: UTCDay) {
        for figure in Figure.all {
            tallies[figure.id].redate(to: today)
            held[figure.id].redate(to: today)
        }
    }

    /// Takes the earliest day out of the book when it ended before `settled`: nothing can be added to it any more. Held
    /// amounts of it count.
    public mutating func closeDay(before settled: WallTime) -> ClosedDay? {
        guard let day = earliestDay, day.end <= settled else { return nil }
        let closed = ClosedDay(day: day, figures: figures(of: day))
        for figure in Figure.all {
            _ = tallies[figure.id].take(day)
            discard(figure, on: day)
        }
        return closed
    }

    /// Deletes a domain's amounts that are not closed yet. Returns false when there were none.
    @discardableResult
    public mutating func drop(_ domain: Domain) -> Bool {
        var hadSome = false
        for figure in domain.figures {
            hadSome = hadSome || !tallies[figure.id].isEmpty
            tallies[figure.id] = DayTally()
            held[figure.id] = DayTally()
        }
        return hadSome
    }
}

extension Figure {
    /// The figure's value for the folded amount of a day.
    fileprivate func value(of amount: Int64) -> Int64 {
        switch fold {
        case .sum(let most): min(amount, most)
        case .duration(let most): min((Interval(nanoseconds: amount) + .seconds(30)).inMinutes, most)
        case .latest: amount
        }
    }
}

extension Daybook {
    public func pack(into packer: inout Packer) {
        tallies.pack(into: &packer)
        held.pack(into: &packer)
    }

    public mutating func unpack(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        try tallies.unpack(from: &unpacker)
        try held.unpack(from: &unpacker)
    }
}

extension ByID<DayTally> {
    fileprivate func pack(into packer: inout Packer) {
        packer.put(UInt8(ids.count))
        for id in ids {
            packer.put(id)
            self[id].pack(into: &packer)
        }
    }

    fileprivate mutating func unpack(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        self = ByID(usual: DayTally())
        for _ in 0..<(try unpacker.take(UInt8.self)) {
            let id = try unpacker.take(UInt8.self)
            var tally = DayTally()
            try tally.unpack(from: &unpacker)
            self[id] = tally
        }
    }
}
