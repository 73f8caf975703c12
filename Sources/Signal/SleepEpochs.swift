import Core

/// Makes half-minute epochs from acceleration at any rate, with or without gaps.
///
/// An epoch is finished two and a half minutes after its end, when the median around it is known.
public struct SleepEpochs: Sendable {
    /// A finished epoch.
    public struct Finished: Equatable, Sendable {
        public let start: BootTime
        public let epoch: SleepEpoch
        /// The median of the angle's changes, in degrees; nil where too few are known.
        public let unrest: Float?

        public init(start: BootTime, epoch: SleepEpoch, unrest: Float?) {
            self.start = start
            self.epoch = epoch
            self.unrest = unrest
        }
    }

    /// An epoch that waits for its median.
    private struct Waiting: Sendable {
        /// Counted from the zero of boot time.
        let number: Int64
        var movement: Float?
        var turned = false
    }

    private var angle = ArmAngle()
    private var stirring = Stirring()
    /// The changes of the last five minutes and a little more, oldest first.
    private var changes: [ArmAngle.Change] = []
    /// Oldest first; the last is not complete.
    private var waiting: [Waiting] = []
    private var latest: BootTime?

    /// The fewest changes of the angle, of 60 in five minutes, for a median. Windows once a minute give five.
    private static let leastChanges = 3
    private static let binsPerEpoch = SleepEpoch.length.nanoseconds / SleepRule.angleLength.nanoseconds
    private static let binsPerHalfMedian = SleepRule.medianLength.nanoseconds / SleepRule.angleLength.nanoseconds / 2
    /// A longer gap produces no epochs.
    private static let longestGap = Interval.hours(1)

    public init() {}

    /// Takes samples, oldest first, one every `period`, of which the last was taken at `end`.
    ///
    /// - Returns: the finished epochs, oldest first, with those of a preceding gap of less than an hour.
    public mutating func add(_ samples: [Acceleration], every period: Interval, until end: BootTime) -> [Finished] {
        let start = end - period * Int64(samples.count - 1)
        if let latest, start - latest > period * 3 || start <= latest { stirring.pause() }
        if let latest, start - latest > Self.longestGap || start < latest - period { self = SleepEpochs() }
        for (index, sample) in samples.enumerated() { add(sample, after: period, at: start + period * Int64(index)) }
        latest = end
        return takeFinished()
    }

    private mutating func add(_ sample: Acceleration, after period: Interval, at time: BootTime) {
        let number = time.count(of: SleepEpoch.length)
        if let last = waiting.last, number > last.number {
            waiting[waiting.count - 1].movement = stirring.take()
            for missing in last.number + 1..<number { waiting.append(Waiting(number: missing)) }
            waiting.append(Waiting(number: number))
        } else if waiting.isEmpty {
            waiting.append(Waiting(number: number))
        }
        stirring.add(sample, after: period)
        guard let change = angle.add(sample, at: time) else { return }
        changes.append(change)
        guard change.size > SleepRule.turn else { return }
        for index in waiting.indices where waiting[index].number == change.bin / Self.binsPerEpoch {
            waiting[index].turned = true
        }
    }

    private mutating func takeFinished() -> [Finished] {
        guard let bin = angle.bin else { return [] }
        var finished: [Finished] = []
        while let epoch = waiting.first, Self.middle(epoch.number) + Self.binsPerHalfMedian < bin, waiting.count > 1 {
            finished.append(finish(epoch))
            waiting.removeFirst()
        }
        if let first = waiting.first {
            let oldest = Self.middle(first.number) - Self.binsPerHalfMedian
            changes.removeAll { $0.bin < oldest }
        }
        return finished
    }

    private func finish(_ epoch: Waiting) -> Finished {
        let middle = Self.middle(epoch.number)
        let around = middle - Self.binsPerHalfMedian...middle + Self.binsPerHalfMedian
        let start = BootTime(nanoseconds: epoch.number * SleepEpoch.length.nanoseconds)
        let changes = changes.filter { around.contains($0.bin) }
        guard changes.count >= Self.leastChanges else { return Finished(start: start, epoch: .unknown, unrest: nil) }
        let median = Self.median(changes)
        return Finished(
            start: start, epoch: SleepEpoch(unrest: median, movement: epoch.movement, turned: epoch.turned),
            unrest: median)
    }

    /// The weighted median of changes: a minute with only one window weighs as much as one sampled without a gap. It
    /// does not sort, because sorting takes more memory on a microcontroller than it saves time here.
    private static func median(_ changes: [ArmAngle.Change]) -> Float {
        var (all, median) = (Int64(0), Float(0))
        for change in changes { all += change.weight }
        for candidate in changes where candidate.size > median {
            var larger: Int64 = 0
            for change in changes where change.size >= candidate.size { larger += change.weight }
            if larger * 2 >= all { median = candidate.size }
        }
        return median
    }

    private static func middle(_ epoch: Int64) -> Int64 { epoch * binsPerEpoch + binsPerEpoch / 2 }
}
