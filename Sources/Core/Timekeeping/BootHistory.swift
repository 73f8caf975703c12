import Quantities

/// A boot, as it was at one moment.
public struct BootReading: Equatable, Sendable {
    public let id: BootID
    public let seen: BootTime
    /// Nil while no time was trusted in it.
    public let clock: TrustedClock?

    public init(id: BootID, seen: BootTime, clock: TrustedClock?) {
        self.id = id
        self.seen = seen
        self.clock = clock
    }
}

/// Whatever is known about the time of one boot.
public struct BootLog: Sendable {
    /// The latest boot time of which something is stored: the boot lasted at least until then.
    public var seen = BootTime(nanoseconds: 0)
    /// Nil while no time was trusted in it.
    public var clock: TrustedClock?
    /// The dates that are final, because a record was made of them that may have been sent, from the start of the boot on.
    public private(set) var spans: [FinalSpan] = []
    /// The parts that only another version knows. They are written back as they were read.
    private var kept = Parts()

    public init() {}

    /// Takes what a session has read. A clock that was known before stays where the session knows of none.
    public mutating func take(_ reading: BootReading) {
        seen = max(seen, reading.seen)
        clock = reading.clock ?? clock
    }

    /// The boot time from which on dates are open.
    public var openFrom: BootTime? { spans.last?.until }

    /// Makes the dates up to `until` final.
    public mutating func settle(until: BootTime, began: WallTime, isLate: Bool) {
        guard until > openFrom ?? BootTime(nanoseconds: .min) else { return }
        if let last = spans.last, last.began == began, last.isLate == isLate { spans.removeLast() }
        spans.append(FinalSpan(until: until, began: began, isLate: isLate))
    }
}

/// A stretch of a boot whose dates are final. It begins where the one before ends.
public struct FinalSpan: Equatable, Sendable {
    /// Quarters that begin earlier belong to it.
    public let until: BootTime
    /// The wall time at boot time zero by which it was dated.
    public let began: WallTime
    /// Whether its quarters came too late for the record of their day.
    public let isLate: Bool
}

/// The day to which a quarter of an hour belongs (SPEC §10).
public enum QuarterDate: Equatable, Sendable {
    /// Known, and to be corrected if a trusted clock steps.
    case open(UTCDay)
    /// Counted in a record that may have been sent, or too late for it.
    case final(UTCDay, isLate: Bool)
    /// Not known. It is never guessed.
    case unknown
}

/// All boots that anything is stored of, in their order, and the dates that follow from it.
///
/// A boot without a trusted time lies between the trusted times of the boots around it. Where these leave a quarter no
/// other day, it has that date.
public struct BootHistory: Sendable {
    /// In their order.
    public let boots: [(id: BootID, log: BootLog)]
    /// For each boot the earliest and the latest wall time at its boot time zero; nil where nothing bounds it on one side.
    private var bounds: [ClosedRange<Int64>?]
    /// The latest that each boot can have ended.
    private var ends: [Int64?]

    public init(_ boots: [(id: BootID, log: BootLog)]) {
        self.boots = boots
        bounds = boots.map { boot in boot.log.clock.map { $0.began.nanoseconds...$0.began.nanoseconds } }
        ends = boots.map { boot in boot.log.clock.map { $0.time(at: boot.log.seen).wall.nanoseconds } }
        boundUnknown()
    }

    private mutating func boundUnknown() {
        // The earliest that a boot can have begun: after all that is known of those before it.
        var earliest: Int64?
        var lower: [Int64?] = []
        for (_, log) in boots {
            lower.append(earliest)
            if let clock = log.clock, clock.source != .unchecked {
                earliest = clock.time(at: log.seen).wall.nanoseconds
            } else if let known = earliest {
                earliest = known + max(log.seen.nanoseconds, 0)
            }
        }
        var latest: Int64?
        for index in boots.indices.reversed() {
            let log = boots[index].log
            if let clock = log.clock {
                latest = clock.source == .unchecked ? latest : clock.began.nanoseconds
                continue
            }
            // It was over before the next one began.
            guard let end = latest else { continue }
            ends[index] = end
            let began = end - max(log.seen.nanoseconds, 0)
            latest = began
            if let least = lower[index], least <= began { bounds[index] = least...began }
        }
    }

    /// The date of the quarter that begins at `start` in this boot: the day of its middle, as it belongs to one day whole.
    public func date(ofQuarterAt start: BootTime, length: Interval, inBoot index: Int) -> QuarterDate {
        let middle = (start + length / 2).nanoseconds
        for span in boots[index].log.spans where start < span.until {
            return .final(Self.day(span.began.nanoseconds, middle), isLate: span.isLate)
        }
        guard let bounds = bounds[index] else { return .unknown }
        let day = Self.day(bounds.lowerBound, middle)
        return day == Self.day(bounds.upperBound, middle) ? .open(day) : .unknown
    }

    /// A wall time at boot time zero that dates all quarters whose date is known; nil for a boot of which none is.
    public func began(ofBoot index: Int) -> WallTime? {
        bounds[index].map { WallTime(nanoseconds: $0.lowerBound) }
    }

    /// The latest that what is stored of this boot can be from; nil where it is not known.
    public func latestEnd(ofBoot index: Int) -> WallTime? { ends[index].map { WallTime(nanoseconds: $0) } }

    private static func day(_ began: Int64, _ middle: Int64) -> UTCDay {
        UTCDay(containing: WallTime(nanoseconds: began + middle))
    }
}

extension BootLog {
    /// Never reuse a tag.
    private enum Part {
        static let clock = Parts.Kind(1, version: 1)
        static let seen = Parts.Kind(2, version: 1)
        static let spans = Parts.Kind(3, version: 1)

        static let all = [clock, seen, spans]
    }

    /// As parts, so that later versions can add to it.
    public var parts: Parts {
        var parts = kept
        parts.put(Part.seen) { $0.put(seen) }
        if let clock { parts.put(Part.clock) { clock.pack(into: &$0) } }
        if !spans.isEmpty {
            parts.put(Part.spans) { packer in
                for span in spans {
                    packer.put(span.until)
                    packer.put(span.began.nanoseconds)
                    packer.put(span.isLate)
                }
            }
        }
        return parts
    }

    public init(_ parts: Parts) throws(Unpacker.Malformed) {
        if var unpacker = try parts[Part.seen]?.unpacker { seen = try unpacker.takeBootTime() }
        if var unpacker = try parts[Part.clock]?.unpacker { clock = try TrustedClock(from: &unpacker) }
        kept = parts.excluding(Part.all)
        guard var unpacker = try parts[Part.spans]?.unpacker else { return }
        while !unpacker.isAtEnd {
            settle(
                until: try unpacker.takeBootTime(), began: try unpacker.takeWallTime(), isLate: try unpacker.takeBool())
        }
    }
}
