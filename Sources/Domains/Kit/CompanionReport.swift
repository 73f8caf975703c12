import Core

/// A report of the paired phone (SPEC §8).
public enum CompanionReport: Equatable, Sendable {
    /// Use of social apps: its start and its end, by the phone's clock; empty for no use.
    case use(Range<WallTime>)
    case total(DayTotal)
}

/// A total of a day by the phone's clock. A later report about the same day replaces it.
public struct DayTotal: Equatable, Sendable {
    /// Raw values are the types of reports.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// Minutes of sitting.
        case sitting
        /// Minutes of mindfulness.
        case mindful
        /// Kilocalories of food.
        case nutrition

        /// The greatest total of a day.
        public var most: Int64 { self == .nutrition ? 20_000 : 1440 }
    }

    public let kind: Kind
    /// The start of the day by the phone's clock. It has 24 hours, since the report has one offset.
    public let start: WallTime
    /// From 0 to `Kind.most`.
    public let amount: Int64
    /// The time at which the report was written, by this device's clock.
    public let written: WallTime

    public init(_ kind: Kind, of start: WallTime, amount: Int64, written: WallTime) {
        self.kind = kind
        self.start = start
        self.amount = amount
        self.written = written
    }

    public var end: WallTime { start + .days(1) }
    /// The UTC day to which it counts: the one in which the noon of the phone's day lies.
    public var day: UTCDay { UTCDay(containing: start + .hours(12)) }
}

/// The stored form of a total that later ones replace: the greatest is the one that was reported last, and among those of
/// the same millisecond the largest. It has 60 bits, as an amount of the daybook may have.
public struct ReportedTotal {
    /// From 0 to 32,767.
    public let amount: Int64
    /// Milliseconds since the epoch, in 45 bits.
    private let milliseconds: Int64

    private static let bits: Int64 = 15
    private static let most: Int64 = 1 << bits - 1

    public init(_ amount: Int64, at time: WallTime) {
        self.amount = min(max(amount, 0), Self.most)
        milliseconds = min(max((time - WallTime(nanoseconds: 0)).inMilliseconds, 0), 1 << 45 - 1)
    }

    public init(stored: Int64) {
        amount = stored & Self.most
        milliseconds = stored >> Self.bits
    }

    public var stored: Int64 { milliseconds << Self.bits | amount }
}
