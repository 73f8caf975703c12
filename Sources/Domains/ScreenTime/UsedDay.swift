import Core

/// The use of social apps on one UTC day, each second counted once.
struct UsedDay: Equatable, Sendable {
    let day: UTCDay
    /// Seconds of the day; sorted and disjoint.
    private(set) var spans: [Range<Int32>] = []
    /// The reported thresholds, in minutes.
    var told: [UInt8] = []

    /// As many as one-minute reports with a pause after each can produce.
    static let mostSpans = 720

    init(_ day: UTCDay) { self.day = day }

    /// Adds the part on this day. Returns the parts that were not reported before; none if there would be too many
    /// spans.
    mutating func add(_ used: Range<WallTime>) -> [Range<WallTime>] {
        let added = used.clamped(to: day.start..<day.end)
        let new = second(added.lowerBound)..<second(added.upperBound)
        guard !new.isEmpty else { return [] }
        let touching = spans.filter { $0.upperBound >= new.lowerBound && $0.lowerBound <= new.upperBound }
        guard !touching.isEmpty || spans.count < Self.mostSpans else { return [] }
        spans.removeAll(where: touching.contains)
        let whole =
            min(
                new.lowerBound, touching.first?.lowerBound ?? .max)..<max(
                new.upperBound, touching.last?.upperBound ?? .min)
        spans.insert(whole, at: spans.firstIndex { $0.lowerBound > whole.lowerBound } ?? spans.count)
        return gaps(of: touching, in: new)
    }

    private func gaps(of covered: [Range<Int32>], in new: Range<Int32>) -> [Range<WallTime>] {
        var gaps: [Range<WallTime>] = []
        var from = new.lowerBound
        for span in covered {
            if span.lowerBound > from { gaps.append(time(from)..<time(span.lowerBound)) }
            from = max(from, span.upperBound)
        }
        if from < new.upperBound { gaps.append(time(from)..<time(new.upperBound)) }
        return gaps
    }

    /// The time at which the use reached this many minutes; nil if it did not.
    func reached(minutes: UInt8) -> WallTime? {
        var missing = Int32(minutes) * 60
        for span in spans {
            let length = span.upperBound - span.lowerBound
            if length >= missing { return time(span.lowerBound + missing) }
            missing -= length
        }
        return nil
    }

    /// The time of the day at which the use of a session reached this many minutes; nil if it did not.
    ///
    /// - Parameter before: the previous day, from which a session can go on.
    func reached(minutes: UInt8, inSessionAfter before: UsedDay?) -> WallTime? {
        let enough = Int32(minutes) * 60
        let earlier = (before?.spans ?? []).map { $0.lowerBound - 86_400..<$0.upperBound - 86_400 }
        var used: Int32 = 0
        var end: Int32?
        for span in earlier + spans {
            if let end, span.lowerBound - end >= Self.breakSeconds { used = 0 }
            let reached = span.lowerBound + enough - used
            // A session that was long enough yesterday is no news today.
            if used < enough, reached <= span.upperBound, reached > 0 { return time(reached) }
            used += span.upperBound - span.lowerBound
            end = span.upperBound
        }
        return nil
    }

    /// A longer break ends a session (SPEC §8).
    private static let breakSeconds: Int32 = 300

    private func second(_ time: WallTime) -> Int32 { Int32((time - day.start).inSeconds) }
    private func time(_ second: Int32) -> WallTime { day.start + .seconds(Int64(second)) }
}

extension UsedDay {
    func pack(into packer: inout Packer) {
        packer.put(day.daysSinceEpoch)
        packer.put(UInt8(told.count))
        for minutes in told { packer.put(minutes) }
        packer.put(short: Int64(spans.count))
        for span in spans {
            packer.put(short: Int64(span.lowerBound))
            packer.put(short: Int64(span.upperBound))
        }
    }

    init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        day = try unpacker.takeDay()
        for _ in 0..<(try unpacker.take(UInt8.self)) { told.append(try unpacker.take()) }
        let count = try unpacker.takeShortAmount()
        guard count <= Self.mostSpans else { throw Unpacker.Malformed() }
        for _ in 0..<count {
            let (lower, upper) = (try unpacker.takeShort(), try unpacker.takeShort())
            let least = spans.last.map { Int64($0.upperBound) + 1 } ?? 0
            guard lower >= least, lower < upper, upper <= 86_400 else { throw Unpacker.Malformed() }
            spans.append(Int32(lower)..<Int32(upper))
        }
    }
}
