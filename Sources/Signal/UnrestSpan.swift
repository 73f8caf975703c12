import Core

/// Finds the threshold of stillness in the unrest of the last 24 to 36 hours.
///
/// HDCZA takes the span from noon to noon, or from 18:00 to 18:00 for a wearer who sleeps by day. This device does not
/// know the wearer's time zone nor, for a while after a start, the time. The hours before the end of a sleep hold the
/// same night at any hour.
public struct UnrestSpan: Equatable, Sendable {
    /// Parts of the span, the newest last.
    private static let parts = 3
    private static let partLength = Interval.hours(12)
    /// The fewest epochs for a valid threshold: an hour of them.
    private static let leastEpochs = 120

    private var counts = [[UInt16]](repeating: [UInt16](repeating: 0, count: UnrestThreshold.steps), count: parts)
    /// The end of the newest part; nil before the first epoch.
    private var until: BootTime?

    public init() {}

    /// Takes the unrest of an epoch, in degrees.
    public mutating func add(_ unrest: Float, at time: BootTime) {
        var end = until ?? time + Self.partLength
        while end <= time {
            counts.removeFirst()
            counts.append([UInt16](repeating: 0, count: UnrestThreshold.steps))
            end = max(end + Self.partLength, time - Self.partLength * Int64(Self.parts))
        }
        until = end
        let step = UnrestThreshold(nearest: unrest * SleepRule.factor).step
        counts[Self.parts - 1][step] &+= 1
    }

    /// The threshold from the known epochs; the most lenient if they are too few.
    public var threshold: UnrestThreshold {
        let total = counts.reduce(0) { $0 + $1.reduce(0) { $0 + Int($1) } }
        guard total >= Self.leastEpochs else { return .highest }
        var below = 0
        for step in 0..<UnrestThreshold.steps {
            below += counts.reduce(0) { $0 + Int($1[step]) }
            if Double(below) >= Double(total) * SleepRule.quantile { return UnrestThreshold(step: step) }
        }
        return .highest
    }
}

extension UnrestSpan {
    public func pack(into packer: inout Packer) {
        packer.put(until != nil)
        guard let until else { return }
        packer.put(until)
        for part in counts { for count in part { packer.put(short: Int64(count)) } }
    }

    public mutating func unpack(from unpacker: inout Unpacker, _ times: RestoredTimes) throws(Unpacker.Malformed) {
        self = UnrestSpan()
        guard try unpacker.takeBool() else { return }
        let until = try unpacker.takeTime(times)
        for part in counts.indices {
            for step in counts[part].indices { counts[part][step] = UInt16(clamping: try unpacker.takeShortAmount()) }
        }
        // In the far future: the clock that relates the boots was wrong.
        self.until = min(until, times.now + Self.partLength)
    }
}
