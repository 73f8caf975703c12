import Core

/// A time in bed, and the sleep in it.
public struct Sleep: Equatable, Sendable {
    /// The time in bed.
    public let start, end: BootTime
    /// The times of sleep, in whole epochs, oldest first.
    public let asleep: [Range<BootTime>]

    /// The total time asleep.
    public var length: Interval {
        asleep.reduce(.zero) { $0 + ($1.upperBound - $1.lowerBound) }
    }
}

extension Sleep {
    /// The sleeps in these epochs, oldest first. The first epoch began at `start`.
    ///
    /// - Parameters:
    ///   - sat: epochs that windows showed to be sitting. A sleep of which nearly all are these is dropped: by
    ///     posture, an afternoon at a desk is as still as a night. In other sleeps they count as sleep, because windows
    ///     mistake a restless sleeper for a sitter.
    ///   - isOver: whether the rest is over. Until then these epochs stay sitting.
    static func all(
        in epochs: [SleepEpoch], from start: BootTime, below threshold: UnrestThreshold, sat: [Range<Int>] = [],
        isOver: Bool = true
    ) -> [Sleep] {
        let parts = TimeInBed.spells(in: epochs, below: threshold).map { SleepPart($0, of: epochs) }
        var nights: [SleepPart] = []
        for part in parts {
            if let last = nights.last, last.isOneNight(with: part),
                TimeInBed.mayJoin(epochs[last.range.upperBound..<part.range.lowerBound])
            {
                nights[nights.count - 1] = last.joined(to: part)
            } else {
                nights.append(part)
            }
        }
        var sleeps: [Sleep] = []
        for night in nights {
            for part in night.parts(apartFrom: sat, in: epochs, below: threshold)
            where part.isSleep && !part.isSitting(by: sat) {
                sleeps.append((isOver ? part : part.without(sat)).sleep(from: start))
            }
        }
        return sleeps
    }
}

/// A time in bed, with its sleep epochs.
private struct SleepPart {
    let range: Range<Int>
    /// For each epoch of the range.
    var asleep: [Bool]

    /// The wearer is asleep while moving little and turning seldom (van Hees et al. 2015).
    init(_ range: Range<Int>, of epochs: [SleepEpoch]) {
        self.range = range
        let epochs = Array(epochs[range])
        var asleep = SleepScorer().asleep(Self.smoothed(epochs))
        for index in asleep.indices where epochs[index] == .notWorn || epochs[index] == .walking {
            asleep[index] = false
        }
        for gap in Self.gaps(epochs) { for index in gap { asleep[index] = false } }
        for unsettled in Self.unsettled(epochs) { for index in unsettled { asleep[index] = false } }
        self.asleep = asleep
    }

    /// The movement, smoothed like the recordings that the scorer was trained on.
    private static func smoothed(_ epochs: [SleepEpoch]) -> [Float?] {
        let weights = SleepRule.smoothing
        let reach = weights.count - 1
        return epochs.indices.map { index in
            guard epochs[index].movement != nil else { return nil }
            var (sum, weight) = (Float(0), Float(0))
            for other in max(index - reach, 0)...min(index + reach, epochs.count - 1) {
                guard let movement = epochs[other].movement else { continue }
                let share = weights[abs(other - index)]
                sum += share * movement
                weight += share
            }
            return sum / weight
        }
    }

    private init(_ range: Range<Int>, asleep: [Bool]) {
        self.range = range
        self.asleep = asleep
    }

    /// Unknown times longer than a disturbed transfer.
    private static func gaps(_ epochs: [SleepEpoch]) -> [Range<Int>] {
        var gaps: [Range<Int>] = []
        var first: Int?
        for index in 0...epochs.count {
            if index < epochs.count, epochs[index] == .unknown {
                if first == nil { first = index }
            } else if let start = first {
                if index - start > TimeInBed.bridged { gaps.append(start..<index) }
                first = nil
            }
        }
        return gaps
    }

    /// The epochs between turns that are too close to each other, with those of the turns.
    private static func unsettled(_ epochs: [SleepEpoch]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var last: Int?
        for (index, epoch) in epochs.enumerated() where epoch.turned {
            if let last, index - last - 1 < TimeInBed.count(SleepRule.restFor.inSeconds) {
                ranges.append(last..<index + 1)
            }
            last = index
        }
        return ranges
    }

    private var count: Int { asleep.count { $0 } }
    private var isMostlySleep: Bool { Float(count) > SleepRule.leastShare * Float(asleep.count) }
    var isSleep: Bool {
        isMostlySleep && asleep.count >= TimeInBed.count(SleepRule.leastInBed.inSeconds)
            && count >= TimeInBed.count(SleepRule.leastSleep.inSeconds)
    }

    /// Whether all of the sleep but a twentieth, or but ten minutes, is sitting by these epochs. Our own choice: of
    /// simulated days at a desk, up to nine minutes and 7 % are not, as in the first minute after a walk; of nights that
    /// turns break up and a BMA400 measures, one in 24 has more than 90 % there.
    func isSitting(by sat: [Range<Int>]) -> Bool { Self.isSitting(without(sat).count, of: count) }

    private static func isSitting(_ unsat: Int, of slept: Int) -> Bool {
        unsat <= max(slept / 20, TimeInBed.count(SleepRule.leastSleep.inSeconds) / 2)
    }

    /// The nights without the hours from a walk to another, or to an end, that were sitting: a desk soon after getting
    /// up is as still as the bed. Less than `SleepRule.leastInBed`, or less than `SleepRule.nightJoinedOver` between two
    /// parts of a night, stays in it.
    func parts(
        apartFrom sat: [Range<Int>], in epochs: [SleepEpoch], below threshold: UnrestThreshold
    ) -> [SleepPart] {
        let unsat = without(sat)
        var found: [Range<Int>] = []
        var (from, slept, rested) = (range.lowerBound, 0, 0)
        for index in range.lowerBound..<range.upperBound + 1 {
            if index == range.upperBound || epochs[index] == .walking {
                if !Self.isSitting(rested, of: slept) { add(from..<index, to: &found) }
                (from, slept, rested) = (index, 0, 0)
            }
            guard index < range.upperBound else { break }
            if asleep[index - range.lowerBound] { slept += 1 }
            if unsat.asleep[index - range.lowerBound] { rested += 1 }
        }
        guard let last = found.last else { return [self] }
        if range.upperBound - last.upperBound < TimeInBed.count(SleepRule.leastInBed.inSeconds) {
            found[found.count - 1] = last.lowerBound..<range.upperBound
        }
        var parts: [SleepPart] = []
        for night in found {
            var (first, end) = (night.lowerBound, night.upperBound)
            while first < end, !epochs[first].isStill(below: threshold) { first += 1 }
            while first < end, !epochs[end - 1].isStill(below: threshold) { end -= 1 }
            var part = SleepPart(first..<end, asleep: [])
            for index in part.range { part.asleep.append(asleep[index - range.lowerBound]) }
            parts.append(part)
        }
        return parts
    }

    /// Adds a stretch of a night to the nights that were found, or joins it to the latest.
    private func add(_ stretch: Range<Int>, to found: inout [Range<Int>]) {
        let joinedOver = found.isEmpty ? SleepRule.leastInBed : SleepRule.nightJoinedOver
        let before = found.last ?? range.lowerBound..<range.lowerBound
        let isApart = stretch.lowerBound - before.upperBound >= TimeInBed.count(joinedOver.inSeconds)
        if isApart || found.isEmpty {
            found.append(isApart ? stretch : range.lowerBound..<stretch.upperBound)
        } else {
            found[found.count - 1] = before.lowerBound..<stretch.upperBound
        }
    }

    func without(_ others: [Range<Int>]) -> SleepPart {
        var asleep = asleep
        for other in others { for index in other.clamped(to: range) { asleep[index - range.lowerBound] = false } }
        return SleepPart(range, asleep: asleep)
    }

    func isOneNight(with next: SleepPart) -> Bool {
        isMostlySleep && next.isMostlySleep
            && next.range.lowerBound - range.upperBound < TimeInBed.count(SleepRule.nightJoinedOver.inSeconds)
    }

    func joined(to next: SleepPart) -> SleepPart {
        let between = [Bool](repeating: false, count: next.range.lowerBound - range.upperBound)
        return SleepPart(range.lowerBound..<next.range.upperBound, asleep: asleep + between + next.asleep)
    }

    func sleep(from start: BootTime) -> Sleep {
        func time(_ index: Int) -> BootTime { start + SleepEpoch.length * Int64(range.lowerBound + index) }
        var spans: [Range<BootTime>] = []
        for (index, isAsleep) in asleep.enumerated() where isAsleep {
            if let last = spans.last, last.upperBound == time(index) {
                spans[spans.count - 1] = last.lowerBound..<time(index + 1)
            } else {
                spans.append(time(index)..<time(index + 1))
            }
        }
        return Sleep(start: time(0), end: time(asleep.count), asleep: spans)
    }
}
