import Core

/// How much of a UTC day a domain was observed, and why not the rest (SPEC §3).
public struct Coverage: Equatable, Sendable {
    /// A reason for lost time; of several reasons, the first counts. The order is that of `minutes`, which is stored in
    /// records.
    public enum Loss: Int, CaseIterable, Sendable {
        /// Its toggle was off, or what was collected does not count because it was turned off afterwards.
        case off
        /// It was suspended: its device was missing.
        case suspended
        /// No boot is known to have run.
        case noPower
        /// No boot is known to have run, but there is data without a date that may be of this time.
        case noTime
        /// None of the others: the sensor did not answer, or the daemon did not run.
        case silent
        /// There is data, but it does not tell: of an earlier version, too late for the record, or unreadable.
        case unknown

        public var name: String { "\(self)" }
    }

    /// A quarter of an hour with data of the domain. `observed` is nil if the data does not tell.
    public struct Part: Sendable {
        let span: Range<WallTime>
        let observed: Interval?

        public init(_ span: Range<WallTime>, observed: Interval?) {
            self.span = span
            self.observed = observed
        }
    }

    /// The times of the reasons.
    public struct Reasons: Sendable {
        public var off: [Range<WallTime>] = []
        public var suspended: [Range<WallTime>] = []
        /// The times for which a boot ran.
        public var powered: [Range<WallTime>] = []
        /// The observed time of the day whose time of day is unknown.
        public var unplaced = Interval.zero
        /// The observed time without a date.
        public var undated = Interval.zero
        /// Whether an earlier version collected the day, which did not tell what was observed.
        public var isUntold = false
        /// Whether the time without any other reason was observed, as by a domain whose source is not read.
        public var isObservedWithoutData = false

        public init() {}

        /// Without the times that have nothing to do with a day: each quarter of an hour is looked up in the rest.
        fileprivate func touching(_ day: Range<WallTime>) -> Reasons {
            var reasons = self
            reasons.off.removeAll { !$0.overlaps(day) }
            reasons.suspended.removeAll { !$0.overlaps(day) }
            reasons.powered.removeAll { !$0.overlaps(day) }
            return reasons
        }
    }

    public private(set) var observed = Interval.zero
    /// By `Loss.rawValue`.
    private var lost = [Interval](repeating: .zero, count: Loss.allCases.count)

    /// Less observed time makes the figures of a day those of a part of it.
    public static let whole = Interval.minutes(23 * 60 + 30)

    /// Splits the span of a day. Parts and reasons may overlap or exceed it; the result adds up to the span.
    public init(of day: Range<WallTime>, _ parts: [Part], _ reasons: Reasons) {
        let reasons = reasons.touching(day)
        var end = day.lowerBound
        for part in parts.sorted(by: { $0.span.lowerBound < $1.span.lowerBound }) {
            let from = min(max(part.span.lowerBound, end), day.upperBound)
            let to = min(max(part.span.upperBound, from), day.upperBound)
            lose(to: reasons, of: end..<from, from - end)
            if let time = part.observed {
                let time = min(max(time, .zero), to - from)
                observed += time
                lose(to: reasons, of: from..<to, to - from - time)
            } else {
                lost[Loss.unknown.rawValue] += to - from
            }
            end = to
        }
        lose(to: reasons, of: end..<max(day.upperBound, end), max(day.upperBound - end, .zero))
        let unplaced = min(reasons.unplaced, self[.noPower])
        let undated = min(reasons.undated, self[.noPower] - unplaced)
        observed += unplaced
        lost[Loss.noPower.rawValue] = self[.noPower] - unplaced - undated
        lost[Loss.noTime.rawValue] = undated
        if reasons.isObservedWithoutData {
            observed += self[.silent]
            lost[Loss.silent.rawValue] = .zero
        }
        if reasons.isUntold {
            lost[Loss.unknown.rawValue] += self[.silent]
            lost[Loss.silent.rawValue] = .zero
        }
    }

    public subscript(loss: Loss) -> Interval { lost[loss.rawValue] }

    /// Whether the data tells how long the domain was observed.
    public var isKnown: Bool { observed > .zero || self[.unknown] == .zero }

    /// The lost minutes in `minutes`, in the order of `Loss`.
    public static func lost(in minutes: [Int64]) -> [(loss: Loss, minutes: Int64)] {
        zip(Loss.allCases, minutes.dropFirst()).map { ($0, $1) }
    }

    /// The observed minutes, then the lost ones in the order of `Loss`. They add up to the span in whole minutes.
    public var minutes: [Int64] {
        var (sum, told) = (Interval.zero, Int64(0))
        return ([observed] + lost).map { part in
            sum += part
            let minutes = (sum + .seconds(30)).inMinutes
            defer { told = minutes }
            return minutes - told
        }
    }

    /// Attributes lost time of a span to the reasons that hold in it, first the more important ones.
    private mutating func lose(to reasons: Reasons, of span: Range<WallTime>, _ missing: Interval) {
        guard missing > .zero else { return }
        var missing = missing
        var times = [Interval](repeating: .zero, count: lost.count)
        let all = reasons.off + reasons.suspended + reasons.powered
        let bounds = (all.flatMap { [$0.lowerBound, $0.upperBound] }.filter(span.contains) + [span.upperBound]).sorted()
        var start = span.lowerBound
        for end in bounds where end > start {
            let loss: Loss =
                reasons.off.contains { $0.contains(start) }
                ? .off
                : reasons.suspended.contains { $0.contains(start) }
                    ? .suspended : reasons.powered.contains { $0.contains(start) } ? .silent : .noPower
            times[loss.rawValue] += end - start
            start = end
        }
        for index in times.indices {
            let part = min(missing, times[index])
            lost[index] += part
            missing = missing - part
        }
    }
}
