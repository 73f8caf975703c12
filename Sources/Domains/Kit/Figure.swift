/// A figure of one UTC day, kept in history and sent in the daily record (SPEC §6).
///
/// The domain that makes it declares it. Two values with the same id are equal.
public struct Figure: Listed {
    /// The way to combine several amounts of a day into one value.
    public enum Fold: Sendable {
        /// The sum, at most `most`.
        case sum(most: Int64)
        /// The sum of nanoseconds, rounded to whole minutes, at most `mostMinutes`.
        case duration(mostMinutes: Int64)
        /// The largest amount, the latest among equals; at most `most`.
        case largest(most: Int64)
        /// The amount in the quarter from which the value of another figure is.
        case beside(UInt8)
        /// Every amount is kept, and the value is their median; at most `most`. Without amounts there is no value.
        case median(most: Int64)
        /// Every amount is kept, and the value is the least of them; at most `most`. Without amounts there is no value.
        case least(most: Int64)
        /// Every amount is kept, and the rows are made from them.
        case table(FigureTable)
        /// A total of the whole day that is reported again and again: the one reported last, at most `most`. The amounts
        /// are `ReportedTotal.stored`.
        case latest(most: Int64)

        /// Whether a new amount replaces the earlier one of its quarter.
        public var replaces: Bool { !isSum }

        /// Whether a quarter of an hour keeps each amount on its own.
        public var keepsEach: Bool {
            switch self {
            case .sum, .duration, .largest, .beside, .latest: false
            case .median, .least, .table: true
            }
        }

        /// The value of a fold that chooses from amounts that are all kept; nil for other folds, and without amounts.
        func chosen(from amounts: some Sequence<Int64>) -> Int64? {
            switch self {
            case .sum, .duration, .largest, .beside, .latest, .table: nil
            case .median(let most): amounts.median.map { min($0, most) }
            case .least(let most): amounts.min().map { min($0, most) }
            }
        }

        /// Whether `chosen` makes its value.
        var chooses: Bool {
            switch self {
            case .sum, .duration, .largest, .beside, .latest, .table: false
            case .median, .least: true
            }
        }

        /// Whether the value of a day is the sum of those of its quarters of an hour.
        public var isSum: Bool {
            switch self {
            case .sum, .duration: true
            case .largest, .beside, .median, .least, .table, .latest: false
            }
        }

        /// The amount of a quarter of an hour that had one and gets another.
        func joined(_ amount: Int64, with other: Int64) -> Int64 {
            switch self {
            case .sum, .duration: amount &+ other
            case .latest: max(amount, other)
            case .largest, .beside, .median, .least, .table: other
            }
        }
    }

    /// The form in which the value is stored, shown and sent.
    public enum Form: Equatable, Sendable {
        case number
        /// A time: stored in seconds since the epoch, shown and sent as RFC 3339. In a quarter it is `Amounts.moment`.
        case time
        /// Rows with columns: an object or a list of objects.
        case table
    }

    /// The unit of a figure that is a number; always minutes with `Fold.duration`.
    public enum Unit: Equatable, Sendable {
        case minutes
        /// A count of items with this name, in the plural.
        case count(String?)
    }

    /// A second source, for days without another figure.
    public struct OtherSource: Sendable {
        public let source: Source
        let missing: UInt8
        /// The member that names the source of a day in machine-readable output.
        public let key: String

        public init(_ source: Source, without missing: Figure, key: String) {
            self.source = source
            self.missing = missing.id
            self.key = key
        }
    }

    /// From 1 to 192; stored, never reused for another figure. The higher ones are for `observed(_:_:)`.
    public let id: UInt8
    public let form: Form
    /// The unit of a number.
    public let unit: Unit
    public let fold: Fold
    /// The source, unless `otherSource` applies to a day.
    public let source: Source
    /// The source on some days; nil for a figure with one source.
    public let otherSource: OtherSource?
    /// Whether it is a member of the daily record; see also `isInRecord`.
    public let isSent: Bool
    /// Whether it is the time for which its domain was observed.
    public private(set) var tellsObserved = false
    /// Whether it is the time that the device was worn. Without enough of it, a day has no data of figures that need
    /// wear.
    public let tellsWear: Bool
    /// Whether it is meaningful only while the device is worn (SPEC §3); not so for a phone's reports.
    public let needsWear: Bool
    /// The id of the figure of minutes to which the daily record adds it, for time that the domain of that figure did not
    /// observe; nil for most. A day then has the minutes that are added, not the reported ones.
    public let fills: UInt8?
    /// The ids of figures of time with precedence: it gets at most the time that they leave of a quarter of an hour.
    let yieldsTo: [UInt8]
    private let name: String
    /// For people, in the question: `the number of steps`.
    public let meaning: String

    public init(
        id: UInt8, name: String, meaning: String, form: Form = .number, unit: Unit = .count(nil), fold: Fold,
        source: Source,
        otherSource: OtherSource? = nil, isSent: Bool = true, tellsWear: Bool = false, needsWear: Bool = true,
        yieldsTo: [Figure] = [], fills: Figure? = nil
    ) {
        self.id = id
        if case .table = fold { self.form = .table } else { self.form = form }
        if case .duration = fold { self.unit = .minutes } else { self.unit = unit }
        self.fold = fold
        self.source = source
        self.otherSource = otherSource
        self.isSent = isSent
        self.tellsWear = tellsWear
        self.needsWear = needsWear
        self.yieldsTo = yieldsTo.map { $0.id }
        self.fills = fills?.id
        self.name = name
        self.meaning = meaning
    }
}

extension Sequence<Int64> {
    /// The median, the lower one of two; nil without elements.
    fileprivate var median: Int64? {
        let sorted = sorted()
        return sorted.isEmpty ? nil : sorted[(sorted.count - 1) / 2]
    }
}

extension Figure {
    /// The time for which a domain was observed. Every domain has it; its id follows from that of the domain.
    static func observed(_ domain: (id: UInt8, name: String), _ source: Source) -> Figure {
        var figure = Figure(
            id: 192 &+ domain.id, name: "\(domain.name)Observed",
            meaning: "minutes for which \(domain.name) was observed", fold: .duration(mostMinutes: 1440),
            source: source, isSent: false, needsWear: false)
        figure.tellsObserved = true
        return figure
    }
}

extension Figure {
    /// Every figure of every domain, in the order of ids, which is that of the daily record.
    public static let all: [Figure] = Domain.all.flatMap(\.figures).sorted { $0.id < $1.id }
    /// The figures with a value of their own in displays: all but the observed time.
    public static let shown: [Figure] = all.filter { !$0.tellsObserved }

    /// The figure that it fills; nil for most.
    public var filled: Figure? { fills.flatMap { Figure(id: $0) } }

    /// Whether the daily record tells it, in a member of its own or within that of another figure.
    public var isInRecord: Bool { isSent || fills != nil }

    /// Whether a server can take it by quarters of an hour: a sum that a sensor of this device finds.
    public var hasQuarters: Bool { isSent && fold.isSum && domain.hardware.isSensor }

    /// Whether it is stored: of the observed times, only those of sensors are.
    public var isStored: Bool { !tellsObserved || domain.hardware.isSensor }

    /// The domain whose consent covers it.
    public var domain: Domain {
        for domain in Domain.all where domain.figures.contains(self) { return domain }
        preconditionFailure("a figure belongs to a domain that Domain.all lists")
    }
}

extension Figure {
    /// The ids of figures that have precedence over figures of other domains.
    public static let preferred: [UInt8] = all.flatMap { figure in
        figure.yieldsTo.filter { id in !figure.domain.figures.contains { $0.id == id } }
    }
}

extension Figure {
    /// Its columns; nil for a figure that is one number.
    public var table: FigureTable? {
        if case .table(let table) = fold { table } else { nil }
    }
}

extension Figure: CustomStringConvertible {
    /// The name of its field in the daily record (SPEC §6).
    public var description: String { name }
}

/// The part of the device that a figure comes from. Raw values are stored; never reuse one. Another version may have
/// stored a value without a name here.
public struct Source: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let imu = Source(rawValue: 1)
    public static let pulses = Source(rawValue: 2)
    public static let companion = Source(rawValue: 3)
    public static let gps = Source(rawValue: 4)
    /// Several parts: the state of the sensing session.
    public static let session = Source(rawValue: 5)
    public static let barometer = Source(rawValue: 6)
    public static let pulseOximeter = Source(rawValue: 7)
}
