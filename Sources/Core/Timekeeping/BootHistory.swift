// A microcontroller keeps no store of earlier boots.

/// A session's reading of a boot.
public struct BootReading: Equatable, Sendable {
    public let id: BootID
    public let seen: BootTime
    /// Nil while this boot has no trusted time.
    public let clock: TrustedClock?

    public init(id: BootID, seen: BootTime, clock: TrustedClock?) {
        self.id = id
        self.seen = seen
        self.clock = clock
    }
}

/// The knowledge about the time of one boot.
public struct BootLog: Sendable {
    /// The latest stored boot time: the boot lasted at least until then.
    public var seen = BootTime(nanoseconds: 0)
    /// Nil while this boot has no trusted time.
    public private(set) var clock: TrustedClock?
    /// The latest earlier clock that had stood for a day, or else the first; nil if the clock never stepped in this
    /// boot.
    public private(set) var clockBefore: TrustedClock?
    /// The dates that are final because a record of them may have been sent, from the start of the boot on.
    public private(set) var spans: [FinalSpan] = []
    /// Parts of other versions, written back as they were read.
    private var kept = Parts()

    public init() {}

    /// Stores a session's reading. A reading without a clock does not erase a known one.
    public mutating func take(_ reading: BootReading) {
        seen = max(seen, reading.seen)
        guard let next = reading.clock?.witnessed(by: clock) else { return }
        if let clock, clock.differs(from: next) {
            // A clock that stood for less than a day proves nothing about the next.
            if clockBefore == nil || next.since - clock.since >= .days(1) { clockBefore = clock }
        }
        clock = next
    }

    /// The boot time from which on dates are open.
    public var openFrom: BootTime? { spans.last?.until }

    /// The time until which nothing is sent by this clock, because it leapt and may be set back; nil if it never leapt.
    public var heldUntil: BootTime? {
        guard let clock, let clockBefore, clockBefore.leaps(to: clock) else { return nil }
        return clock.since + clockBefore.sendingPause(afterLeapTo: clock)
    }

    /// Makes the dates up to `until` final.
    public mutating func settle(until: BootTime, began: WallTime, isLate: Bool) {
        guard until > openFrom ?? BootTime(nanoseconds: .min) else { return }
        if let last = spans.last, last.began == began, last.isLate == isLate { spans.removeLast() }
        spans.append(FinalSpan(until: until, began: began, isLate: isLate))
    }
}

/// A span of a boot whose dates are final. It begins where the previous one ends.
public struct FinalSpan: Equatable, Sendable {
    /// The span holds the quarters that begin before this.
    public let until: BootTime
    /// The wall time at boot time zero that dated the span.
    public let began: WallTime
    /// Whether its quarters came too late for the record of their day.
    public let isLate: Bool

    /// The date of a span without one, between dated spans: the earliest time that can be stored.
    public static let undated = WallTime(nanoseconds: -(1 << 62))

    /// Whether its quarters will never have a date.
    public var isUndated: Bool { began == Self.undated }
}

/// The day to which a quarter of an hour belongs (SPEC §10).
public enum QuarterDate: Equatable, Sendable {
    /// Known, and to be corrected if a trusted clock steps.
    case open(UTCDay)
    /// Counted in a record that may have been sent, or too late for one.
    case final(UTCDay, isLate: Bool)
    /// Unknown. It is never guessed.
    case unknown
}

/// All boots with stored data, in their order, and the dates that follow from it.
///
/// A boot without a trusted time lies between the trusted times of the boots around it. If only one day fits a quarter,
/// the quarter has that date. Boots follow one another, so if two clocks contradict this, one is wrong. The believed
/// clocks agree with the latest one and, among one another, cover the longest time. The others date nothing.
public struct BootHistory: Sendable {
    /// Oldest first.
    public let boots: [(id: BootID, log: BootLog)]
    /// For each boot the earliest and the latest wall time at its boot time zero; nil if one side is unbounded.
    private var bounds: [ClosedRange<Int64>?]
    /// The latest possible end of each boot.
    private var ends: [Int64?]
    /// Whether the clock of the boot is believed.
    private var isBelieved: [Bool]

    /// The tolerance between right clocks: a time set by hand, and the rest of a boot after it was last seen.
    public static let slack = Interval.minutes(10)
    /// The most boots that are compared with one another.
    private static let compared = 400

    public init(_ boots: [(id: BootID, log: BootLog)]) {
        self.boots = boots
        bounds = boots.map { _ in nil }
        ends = bounds.map { _ in nil }
        isBelieved = boots.map { _ in false }
        disbelieve()
        for (index, boot) in boots.enumerated() {
            guard let clock = boot.log.clock, isBelieved[index] else { continue }
            bounds[index] = clock.began.nanoseconds...clock.began.nanoseconds
            ends[index] = clock.time(at: boot.log.seen).wall.nanoseconds
        }
        boundUnknown()
    }

    /// Finds the chain of boots that ends with the latest, in which each ends before the next begins, of the longest
    /// total time.
    private mutating func disbelieve() {
        let clocked = boots.indices.filter { boots[$0].log.clock != nil }.suffix(Self.compared)
        guard let latest = clocked.last else { return }
        var longest: [Int: (length: Int64, before: Int?)] = [:]
        // Of the boots so far. Usually a boot can follow the last to end, and so all of them.
        var (top, lastToEnd): ((length: Int64, before: Int?), Int?) = ((0, nil), nil)
        for index in clocked {
            var best = top
            if let lastToEnd, !canFollow(index, lastToEnd) {
                best = (0, nil)
                for earlier in clocked where earlier < index && canFollow(index, earlier) {
                    if let chain = longest[earlier], chain.length > best.length { best = (chain.length, earlier) }
                }
            }
            let length = best.length + max(boots[index].log.seen.nanoseconds, 1)
            longest[index] = (length, best.before)
            if length > top.length { top = (length, index) }
            if lastToEnd.map({ end(of: $0) < end(of: index) }) ?? true { lastToEnd = index }
        }
        var next: Int? = latest
        while let index = next {
            isBelieved[index] = true
            next = longest[index]?.before
        }
    }

    private func canFollow(_ index: Int, _ earlier: Int) -> Bool {
        guard let clock = boots[index].log.clock else { return false }
        return end(of: earlier) - Self.slack <= clock.began
    }

    /// By its own clock. The boot must have one.
    private func end(of index: Int) -> WallTime {
        let log = boots[index].log
        return log.clock?.time(at: log.seen).wall ?? WallTime(nanoseconds: .max)
    }

    private mutating func boundUnknown() {
        // The earliest possible start of a boot: after the known times of all earlier ones.
        var earliest: Int64?
        var lower: [Int64?] = []
        for index in boots.indices {
            let log = boots[index].log
            lower.append(earliest)
            if let clock = log.clock, isBelieved[index] {
                earliest = clock.time(at: log.seen).wall.nanoseconds
            } else if let known = earliest {
                earliest = known + max(log.seen.nanoseconds, 0)
            }
        }
        var latest: Int64?
        for index in boots.indices.reversed() {
            let log = boots[index].log
            if let clock = log.clock, isBelieved[index] {
                latest = clock.began.nanoseconds
                continue
            }
            // The boot ended before the next one began.
            guard let end = latest else { continue }
            ends[index] = end
            let began = end - max(log.seen.nanoseconds, 0)
            latest = began
            guard let least = lower[index], least - began <= Self.slack.nanoseconds else { continue }
            bounds[index] = min(least, began)...max(least, began)
            // The last clock of the boot was wrong; the one before may have been right.
            if let before = log.clockBefore?.began.nanoseconds, (least - Self.slack.nanoseconds) <= before,
                before <= began + Self.slack.nanoseconds
            {
                bounds[index] = before...before
            }
        }
    }

    /// Whether the boot will never have a believed clock: it has none, and a later boot has one.
    public func isLost(boot index: Int) -> Bool { !isBelieved[index] && isBelieved[(index + 1)...].contains(true) }

    /// The clock that gives exact times in this boot; nil if none is believed.
    public func clock(ofBoot index: Int) -> TrustedClock? { isBelieved[index] ? boots[index].log.clock : nil }

    /// Whether data may be deleted for its age by the clock of the latest boot. That clock has to be proven: a second
    /// source agrees, or it stood for a day, in this boot or in boots that agree. Otherwise it must not have leapt, nor
    /// be more than `surprise` beyond the last proven time.
    public var mayDelete: Bool {
        guard boots.last?.log.clock != nil else { return false }
        var known: WallTime?
        // Of boots without proof so far: their end, and how long their clocks have stood.
        var pending: (end: WallTime, stood: Interval)?
        var isSettled = false
        for (_, log) in boots {
            guard let clock = log.clock else { continue }
            let (start, end) = (clock.time(at: clock.since).wall, clock.time(at: log.seen).wall)
            var stood = log.seen - clock.since
            let leapt = log.clockBefore?.leaps(to: clock) ?? false
            if leapt, let before = log.clockBefore, clock.since - before.since >= .days(1) {
                known = before.time(at: clock.since).wall
            }
            // Agreeing clocks may be corrected in each boot.
            if let pending, start - pending.end <= Self.surprise, pending.end - start <= Self.slack,
                !(log.clockBefore?.leaps(to: clock, by: Self.slack) ?? false)
            {
                stood += pending.stood
            }
            let isProven = clock.isAgreed || stood >= .days(1)
            isSettled = isProven || (!leapt && known.map { start - $0 <= Self.surprise } ?? false)
            if isProven { known = end }
            pending = isProven ? nil : (end, stood)
        }
        return isSettled
    }

    /// A device can be off for this long without doubt about its clock.
    private static let surprise = Interval.days(2)

    /// The date of the quarter that begins at `start` in this boot: a quarter belongs to the day of its middle.
    public func date(ofQuarterAt start: BootTime, length: Interval, inBoot index: Int) -> QuarterDate {
        let middle = (start + length / 2).nanoseconds
        for span in boots[index].log.spans where start < span.until {
            if span.isUndated { return .unknown }
            return .final(Self.day(span.began.nanoseconds, middle), isLate: span.isLate)
        }
        guard let bounds = bounds[index] else { return .unknown }
        let day = Self.day(bounds.lowerBound, middle)
        return day == Self.day(bounds.upperBound, middle) ? .open(day) : .unknown
    }

    /// A range of start times that covers all quarters of these days in this boot, and maybe others; nil if it has
    /// none.
    public func starts(of days: ClosedRange<UTCDay>, inBoot index: Int) -> ClosedRange<BootTime>? {
        var begins = boots[index].log.spans.filter { !$0.isUndated }.map(\.began.nanoseconds)
        if let bounds = bounds[index] { begins += [bounds.lowerBound, bounds.upperBound] }
        guard let earliest = begins.min(), let latest = begins.max() else { return nil }
        // A quarter belongs to the day of its middle, and none is longer than a day.
        let first = days.lowerBound.start.nanoseconds - latest - Interval.hours(12).nanoseconds
        let last = days.upperBound.end.nanoseconds - earliest
        return BootTime(nanoseconds: first)...BootTime(nanoseconds: last)
    }

    /// A wall time at boot time zero that dates all quarters with a known date; nil if none is known.
    public func began(ofBoot index: Int) -> WallTime? {
        bounds[index].map { WallTime(nanoseconds: $0.lowerBound) }
    }

    /// The wall time of a time in this boot; nil if it is not known to the minute.
    public func wall(at time: BootTime, inBoot index: Int) -> WallTime? {
        for span in boots[index].log.spans where time < span.until {
            return span.isUndated ? nil : span.began + Interval(nanoseconds: time.nanoseconds)
        }
        guard let bounds = bounds[index], bounds.upperBound - bounds.lowerBound <= Interval.minutes(1).nanoseconds
        else { return nil }
        return WallTime(nanoseconds: bounds.lowerBound) + Interval(nanoseconds: time.nanoseconds)
    }

    /// The latest possible time of this boot's data; nil if unknown.
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
        static let clockBefore = Parts.Kind(4, version: 1)

        static let all = [clock, seen, spans, clockBefore]
    }

    /// The stored form, which later versions can extend.
    public var parts: Parts {
        var parts = kept
        parts.put(Part.seen) { $0.put(seen) }
        if let clock { parts.put(Part.clock) { clock.pack(into: &$0) } }
        if let clockBefore { parts.put(Part.clockBefore) { clockBefore.pack(into: &$0) } }
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
        if var unpacker = try parts[Part.clockBefore]?.unpacker { clockBefore = try TrustedClock(from: &unpacker) }
        kept = parts.excluding(Part.all)
        guard var unpacker = try parts[Part.spans]?.unpacker else { return }
        while !unpacker.isAtEnd {
            settle(
                until: try unpacker.takeBootTime(), began: try unpacker.takeWallTime(), isLate: try unpacker.takeBool())
        }
    }
}
