import Core

/// The data collected in a quarter of an hour, with its boot and boot time (SPEC §10). It belongs to one UTC day,
/// whole.
public struct Quarter: Equatable, Sendable {
    /// An amount of one figure, in nanoseconds for `Fold.duration`. Only another version may know the figure.
    public struct Amount: Equatable, Sendable {
        public let figure: UInt8
        public var value: Int64

        public init(_ figure: UInt8, _ value: Int64) {
            self.figure = figure
            self.value = value
        }
    }

    public let boot: BootID
    /// Negative for time before the boot, if the gap between two boots is known.
    public let start: BootTime
    /// 15 minutes, or less if the clock was set.
    public let length: Interval
    /// In the order of figures. Zero means that the figure was collected.
    public var amounts: [Amount]

    public init(boot: BootID, start: BootTime, length: Interval = QuarterHour.length, amounts: [Amount]) {
        self.boot = boot
        self.start = start
        self.length = length
        self.amounts = amounts
    }

    public func isSame(as other: Quarter) -> Bool { boot == other.boot && start == other.start }

    /// The amount of a figure; for a table, the number of amounts; nil if it was not collected, or is chosen from no
    /// amounts. Amounts that are kept apart, as after a change of consent, are added up; if the figure's fold replaces,
    /// the last one counts.
    public func amount(of figure: Figure) -> Int64? {
        // Most figures have none.
        guard amounts.contains(where: { $0.figure == figure.id }) else { return nil }
        if figure.fold.chooses {
            return figure.fold.chosen(
                from: amounts.lazy.filter { $0.figure == figure.id && $0.value != 0 }.map(\.value))
        }
        var (whole, latest): (Int64?, Int64) = (nil, 0)
        for amount in amounts where amount.figure == figure.id {
            switch figure.fold {
            case .sum, .duration: whole = (whole ?? 0) &+ amount.value
            case .largest, .beside, .median, .least: whole = amount.value
            case .latest:
                latest = max(latest, amount.value)
                whole = ReportedTotal(stored: latest).amount
            case .table: whole = (whole ?? 0) + (amount.value == 0 ? 0 : 1)
            }
        }
        return whole
    }

    /// The amounts of one domain; nil without any.
    public func part(of domain: Domain) -> Quarter? {
        let part = amounts.filter { amount in domain.figures.contains { $0.id == amount.figure } }
        return part.isEmpty ? nil : Quarter(boot: boot, start: start, length: length, amounts: part)
    }

    /// With further amounts of the same quarter.
    public func adding(_ more: [Amount]) -> Quarter {
        var sum = self
        for amount in more {
            let figure = Figure(id: amount.figure)
            let place = sum.amounts.firstIndex { $0.figure == amount.figure }
            if let place, figure?.fold.keepsEach != true {
                let before = sum.amounts[place].value
                sum.amounts[place].value = figure?.fold.joined(before, with: amount.value) ?? before &+ amount.value
            } else {
                let place = sum.amounts.firstIndex { $0.figure > amount.figure } ?? sum.amounts.endIndex
                sum.amounts.insert(amount, at: place)
            }
        }
        return sum
    }

    /// Reduces each figure to the time that the figures with precedence leave: no minute is both asleep and sedentary
    /// (SPEC §5).
    ///
    /// - Parameter others: amounts of the same quarter that are kept apart.
    public func givingWay(to others: [Amount] = []) -> Quarter {
        var quarter = self
        for index in amounts.indices {
            guard let figure = Figure(id: amounts[index].figure), !figure.yieldsTo.isEmpty else { continue }
            let taken = (amounts + others).reduce(0) { taken, other in
                figure.yieldsTo.contains(other.figure) ? taken + min(max(other.value, 0), length.nanoseconds) : taken
            }
            if taken > 0 {
                quarter.amounts[index].value = min(amounts[index].value, max(length.nanoseconds - taken, 0))
            }
        }
        return quarter
    }

    /// The source of its amount of the figure.
    public func source(of figure: Figure) -> Source {
        figure.source { other in amounts.contains { $0.figure == other } }
    }
}

extension [Quarter] {
    /// Parts of one quarter that are kept apart, each reduced to the time that the others leave.
    public func givingWayToOneAnother() -> [Quarter] {
        indices.map { index in self[index].givingWay(to: indices.flatMap { $0 == index ? [] : self[$0].amounts }) }
    }

    /// With quarters that are not stored yet. Amounts of the same quarter are added, and figures give way as in the
    /// store.
    public func adding(_ held: [Quarter]) -> [Quarter] {
        var all = self
        for quarter in held {
            if let place = all.lastIndex(where: quarter.isSame) {
                all[place] = all[place].adding(quarter.amounts).givingWay()
            } else {
                all.append(quarter)
            }
        }
        return all
    }
}

/// An amount or amounts of a figure, at boot times.
public enum Amounts: Equatable, Sendable {
    case one(Int64, at: BootTime)
    /// One for each time.
    case each([BootTime])
    /// The nanoseconds from one time to another.
    case time(from: BootTime, to: BootTime)
    /// The time itself, for a figure of this form: stored as milliseconds after the start of its quarter, plus one.
    case moment(BootTime)
    /// A positive amount below 2^53 of a table, with its time in the quarter: `DatedAmount`.
    case dated(Int64, at: BootTime)
}

/// The stored form of `Amounts.dated`: the seconds after the start of the quarter are the lowest ten bits.
public struct DatedAmount {
    public let amount: Int64
    public let seconds: Int64

    public init(stored: Int64) {
        amount = stored >> 10
        seconds = stored & 1023
    }

    public init(_ amount: Int64, seconds: Int64) {
        self.amount = min(max(amount, 1), 1 << 53 - 1)
        self.seconds = min(max(seconds, 0), 900)
    }

    public var stored: Int64 { amount << 10 | seconds }
}

/// The rule for making days from the collected data.
public struct DayRule: Equatable, Sendable {
    /// A day on which the device was worn less has no data.
    public var leastWear = Interval.minutes(10)
    /// The days kept in history.
    public var keepDays = 90
    /// Older records leave the outbox, delivered or not; nil leaves that to the sender.
    public var keepUndelivered: Interval?

    public init() {}
}

/// Folds the quarters of one UTC day into its figures, each as it declares (SPEC §3, §4, §6).
///
/// A figure exists if it was collected on the day, even if it stayed zero.
public struct DayFold: Sendable {
    private var totals = ByID<Int64?>(usual: nil)
    /// The amounts of tables, by figure.
    private var rows: [UInt8: [FigureTable.Dated]] = [:]
    /// By figure, the quarter that its value comes from.
    private var chosen = ByID<Key?>(usual: nil)
    /// By quarter, the knowledge about it.
    private var known: [Key: Knowledge] = [:]

    private struct Key: Hashable {
        let boot: BootID
        let start: Int64
    }

    private struct Knowledge {
        var tellsOfWear = false
        /// Whether it has data, and whether it has data of the domain that measures wear.
        var hasData = false
        var hasItsData = false
    }

    public init() {}

    /// Quarters must come in order of time. Without `began`, the quarter has no figures that are times.
    public mutating func add(_ quarter: Quarter, began: WallTime? = nil) {
        var knowledge = known[Key(boot: quarter.boot, start: quarter.start.nanoseconds)] ?? Knowledge()
        for amount in quarter.amounts {
            guard let figure = Figure(id: amount.figure) else { continue }
            add(amount.value, to: figure, of: quarter, began)
            if figure.tellsWear {
                knowledge.tellsOfWear = true
            } else if amount.value != 0, figure.needsWear {
                knowledge.hasData = true
                if figure.domain.figures.contains(where: \.tellsWear) { knowledge.hasItsData = true }
            }
        }
        known[Key(boot: quarter.boot, start: quarter.start.nanoseconds)] = knowledge
    }

    private mutating func add(_ amount: Int64, to figure: Figure, of quarter: Quarter, _ began: WallTime?) {
        let before = totals[figure.id] ?? 0
        switch figure.fold {
        case .sum, .duration:
            let (sum, overflows) = before.addingReportingOverflow(amount)
            totals[figure.id] = overflows ? .max : max(sum, 0)
        case .largest, .latest:
            guard amount >= before else { return }
            totals[figure.id] = max(amount, 0)
            chosen[figure.id] = Key(boot: quarter.boot, start: quarter.start.nanoseconds)
        case .beside(let other):
            guard chosen[other] == Key(boot: quarter.boot, start: quarter.start.nanoseconds) else { return }
            totals[figure.id] = figure.form == .time ? began.flatMap { Figure.seconds(of: amount, after: $0) } : amount
        case .median, .least, .table:
            if amount != 0 { rows[figure.id, default: []].append((amount, began)) }
            totals[figure.id] = before
        }
    }

    /// The figures with amounts that fill others (`Figure.fills`).
    public var fillers: [Figure] { Figure.all.filter { $0.fills != nil && totals[$0.id] != nil } }

    /// The figures, in the order of `Figure.all`.
    ///
    /// On a day without enough wear, figures that are sent and need wear are left out. This requires known wear for
    /// every quarter with data: of the domain that measures it for its own figures, of all domains for the others.
    ///
    /// - Parameters:
    ///   - rule: nil to ignore the wear time.
    ///   - off: by domain, the time of the day for which it was off; nil leaves out the figures that fill others, as on a
    ///     day that has not ended.
    public func figures(_ rule: DayRule?, off: ByID<Interval>? = nil) -> [ClosedDay.Entry] {
        let entries = entries(rule)
        return entries.compactMap { entry in
            guard let id = entry.figure.fills else { return entry }
            guard let off, let filled = entries.first(where: { $0.figure.id == id }),
                let observed = totals[filled.figure.domain.observed.id]
            else { return nil }
            let minutes = Self.filling(
                reported: entry.value.number, counted: filled.value.number,
                observed: Interval(nanoseconds: observed), off: off[filled.figure.domain.id])
            return ClosedDay.Entry(entry.figure, FigureValue(minutes))
        }
    }

    /// The minutes of a reported total that fill the time of a day which was not observed: those beyond the counted ones,
    /// and no more than fit. No minute is in two of the spans.
    static func filling(reported: Int64, counted: Int64, observed: Interval, off: Interval) -> Int64 {
        min(max(reported - counted, 0), max(.days(1) - observed - off, .zero).inMinutes)
    }

    private func entries(_ rule: DayRule?) -> [ClosedDay.Entry] {
        let wear = Figure.all.first { $0.tellsWear && totals[$0.id] != nil }
        let wasOff = wear.map { Interval(nanoseconds: totals[$0.id] ?? 0) < rule?.leastWear ?? .zero } ?? false
        let isKnown = !known.values.contains { $0.hasData && !$0.tellsOfWear }
        let isKnownOfItsOwn = !known.values.contains { $0.hasItsData && !$0.tellsOfWear }
        return Figure.all.compactMap { figure in
            guard let total = totals[figure.id] else { return nil }
            let isItsOwn = wear?.domain.figures.contains(figure) == true
            let isOff = wasOff && (isItsOwn ? isKnownOfItsOwn : isKnown)
            guard !(isOff && figure.isSent && figure.needsWear) else { return nil }
            if figure.fold.chooses {
                return figure.fold.chosen(from: (rows[figure.id] ?? []).map(\.amount)).map {
                    ClosedDay.Entry(figure, FigureValue($0))
                }
            }
            guard let table = figure.table else { return ClosedDay.Entry(figure, FigureValue(figure.value(of: total))) }
            let numbers = table.rows(rows[figure.id] ?? [])
            return table.hasOneRow && numbers.isEmpty ? nil : ClosedDay.Entry(figure, FigureValue(numbers))
        }
    }

    /// The day with its figures. A quarter across midnight belongs to the day of its middle, whole, so a time in it on
    /// the other side is moved to the first or the last second of the day. `off` is as for `figures`.
    public func closed(_ day: UTCDay, _ rule: DayRule, off: ByID<Interval> = ByID(usual: .zero)) -> ClosedDay {
        let seconds = day.start.secondsSinceEpoch...day.end.secondsSinceEpoch - 1
        let figures = figures(rule, off: off).map { entry in
            entry.figure.form == .time
                ? ClosedDay.Entry(
                    entry.figure, FigureValue(min(max(entry.value.number, seconds.lowerBound), seconds.upperBound)))
                : entry
        }
        return ClosedDay(day: day, figures: figures)
    }

    /// The start and boot of the quarter from which the value of such a figure comes; nil for other figures.
    public func origin(of figure: Figure) -> (boot: BootID, start: BootTime)? {
        let key: Key?
        switch figure.fold {
        case .sum, .duration, .median, .least, .table: key = nil
        case .largest, .latest: key = chosen[figure.id]
        case .beside(let other): key = chosen[other]
        }
        return key.map { ($0.boot, BootTime(nanoseconds: $0.start)) }
    }
}

extension Figure {
    /// The figure's value for the folded amount of a day.
    fileprivate func value(of amount: Int64) -> Int64 {
        switch fold {
        case .sum(let most): min(amount, most)
        case .duration(let most):
            min((Interval(nanoseconds: min(amount, Interval.days(36_525).nanoseconds)) + .seconds(30)).inMinutes, most)
        case .largest(let most): min(amount, most)
        case .latest(let most): min(ReportedTotal(stored: amount).amount, most)
        case .beside, .median, .least, .table: amount
        }
    }

    /// The time of an `Amounts.moment`, in seconds since the epoch; nil if out of range.
    fileprivate static func seconds(of moment: Int64, after start: WallTime) -> Int64? {
        guard 1...QuarterHour.length.inMilliseconds + 1 ~= moment else { return nil }
        return (start + .milliseconds(moment - 1)).secondsSinceEpoch
    }

    /// The source of an amount, given whether there are amounts of another figure beside it.
    func source(isThere: (_ figure: UInt8) -> Bool) -> Source {
        guard let otherSource, !isThere(otherSource.missing) else { return source }
        return otherSource.source
    }
}
