import Core

/// Keeps the epochs of a rest until it is over, and then finds the sleep in it.
///
/// A rest begins with a long still spell. It is over when the wearer has been up so long that later stillness belongs
/// to another sleep. Of time without rest, only its part in the threshold of stillness is kept.
public struct SleepDiary: Sendable {
    /// The epochs of the rest, or of the still spell that may become one.
    private var epochs: [SleepEpoch] = []
    /// The start of the first epoch.
    private var start = BootTime(nanoseconds: 0)
    private var span = UnrestSpan()
    /// The end of the last long still spell, as a count of epochs; nil while there is no rest.
    private var restingUntil: Int?
    /// Epochs of the current still spell, with unknown ones in between; zero without a spell.
    private var spell = 0
    /// The unknown epochs at the end of the spell.
    private var missing = 0
    /// The time since which it is undecided whether the sensor was worn; nil if decided.
    private var undecidedSince: BootTime?
    /// Epochs of stationary time that windows showed to be awake, oldest first.
    private var sat: [Range<Int>] = []
    /// The latest windows in which the wearer walked; their epochs are not finished yet.
    private var walks: [BootTime] = []

    /// The most epochs that are kept: a day and a half, for a wearer who stays in bed.
    private static let most = TimeInBed.count(Interval.hours(36).inSeconds)

    public init() {}

    /// Whether there is neither a rest nor a still spell that may become one.
    public var isEmpty: Bool { epochs.isEmpty }

    /// Whether there is a rest.
    public var isResting: Bool { restingUntil != nil }

    /// Takes the next epoch. Unknown epochs are inserted if it does not follow the latest. `isWorn`: whether the sensor
    /// is worn, as far as is known.
    ///
    /// - Returns: the sleeps of the rest that ends with this epoch, oldest first; nil if none ends.
    public mutating func add(_ next: SleepEpochs.Finished, isWorn: Bool) -> [Sleep]? {
        var over: [Sleep]?
        let missing = epochs.isEmpty ? 0 : (next.start - end).nanoseconds / SleepEpoch.length.nanoseconds
        if missing < 0 || missing > TimeInBed.count(SleepRule.nightJoinedOver.inSeconds) {
            over = finish()
        } else {
            for _ in 0..<missing { over = append(.unknown) ?? over }
        }
        if epochs.isEmpty { start = next.start }
        if isWorn, let unrest = next.unrest { span.add(unrest, at: next.start) }
        return append(isWorn ? (hasWalk(next.start) ? .walking : next.epoch) : .notWorn) ?? over
    }

    /// Notes that a window ending now shows a walk. A walk breaks a still spell, although the median does not show a
    /// short one.
    public mutating func walked(at now: BootTime) { walks.append(now) }

    /// Whether the epoch that begins at this time is within half a minute of a walk. Earlier walks are forgotten.
    private mutating func hasWalk(_ start: BootTime) -> Bool {
        let around = SleepEpoch.length
        walks.removeAll { $0 < start - around }
        return walks.contains { $0 < start + around * 2 }
    }

    private var end: BootTime { start + SleepEpoch.length * Int64(epochs.count) }

    private mutating func append(_ epoch: SleepEpoch) -> [Sleep]? {
        epochs.append(epoch)
        follow(epoch)
        if spell - missing >= TimeInBed.count(SleepRule.stillFor.inSeconds) { restingUntil = epochs.count - missing }
        guard let restingUntil else {
            if spell == 0 { forgetEpochs() }
            return nil
        }
        // The current spell may still belong to the rest.
        let awake = epochs.count - spell - restingUntil
        let isOver = awake >= TimeInBed.count(SleepRule.nightJoinedOver.inSeconds)
        return isOver || epochs.count >= Self.most ? finish() : nil
    }

    /// Ends the rest. Returns its sleeps; nil without a rest.
    public mutating func finish() -> [Sleep]? {
        defer { forgetEpochs() }
        return isResting ? sleeps(isOver: true) : nil
    }

    /// The sleeps of the rest so far, oldest first. Epochs that windows showed to be sitting are left out until the
    /// rest is over.
    public var sleepsSoFar: [Sleep] { sleeps(isOver: false) }

    /// The sleeps if the rest ended now, oldest first. Time that is undecided was sitting, as windows decide that of a
    /// sleeper.
    public var sleepsIfOver: [Sleep] {
        let undecided = undecidedSince.map { min(index(of: $0), epochs.count)..<epochs.count }
        return sleeps(isOver: true, undecided)
    }

    private func sleeps(isOver: Bool, _ undecided: Range<Int>? = nil) -> [Sleep] {
        guard isResting else { return [] }
        var sat = sat
        if let undecided { sat.append(undecided) }
        return Sleep.all(in: epochs, from: start, below: span.threshold, sat: sat, isOver: isOver)
    }

    /// Takes a window that ends now: the state now decided for the stationary time before it, nil while undecided, and
    /// whether the wearer is stationary in it. Time without a wearer does not count as sleep, back to its beginning. A
    /// sleep of which nearly all are sitting epochs is dropped.
    public mutating func follow(_ decision: WearState?, isStationary: Bool, at now: BootTime) {
        if let undecidedSince {
            switch decision {
            case .awake: markSat(since: undecidedSince, until: now)
            case .notWorn: markNotWorn(since: undecidedSince)
            case .asleep, nil: break
            }
        }
        if decision != nil { undecidedSince = nil }
        if undecidedSince == nil, isStationary { undecidedSince = now }
    }

    /// The epoch of a time; 0 for a time before the first.
    private func index(of time: BootTime) -> Int {
        Int(max((time - start).nanoseconds / SleepEpoch.length.nanoseconds, 0))
    }

    private mutating func markSat(since: BootTime, until: BootTime) {
        guard !epochs.isEmpty, since < until else { return }
        let range = index(of: since)..<index(of: until)
        guard !range.isEmpty, range.upperBound <= Self.most else { return }
        guard let last = sat.last, range.lowerBound <= last.upperBound else { return sat.append(range) }
        sat[sat.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
    }

    mutating func markNotWorn(since time: BootTime) {
        let first = index(of: time)
        guard first < epochs.count else { return }
        for index in first..<epochs.count { epochs[index] = .notWorn }
        (spell, missing) = (0, 0)
        guard let restingUntil, first < restingUntil else { return }
        // The rest is shortened to the spells that remain.
        self.restingUntil = TimeInBed.spells(in: epochs, below: .highest).last?.upperBound
        if self.restingUntil == nil { forgetEpochs() }
    }

    private mutating func follow(_ epoch: SleepEpoch) {
        if epoch.isStill(below: .highest) {
            (spell, missing) = (spell + 1, 0)
        } else if epoch == .unknown, spell > 0, missing < TimeInBed.bridged {
            (spell, missing) = (spell + 1, missing + 1)
        } else {
            (spell, missing) = (0, 0)
        }
    }

    private mutating func forgetEpochs() {
        epochs.removeAll()
        sat.removeAll()
        (restingUntil, spell, missing) = (nil, 0, 0)
    }
}

extension SleepDiary {
    public func pack(into packer: inout Packer) {
        span.pack(into: &packer)
        packer.put(start)
        packer.put(short: Int64(restingUntil ?? -1))
        packer.put(short: Int64(epochs.count))
        packer.put(undecidedSince != nil)
        if let undecidedSince { packer.put(undecidedSince) }
        var index = 0
        while index < epochs.count {
            var length = 1
            while length < 255, index + length < epochs.count, epochs[index + length] == epochs[index] { length += 1 }
            packer.put(epochs[index].rawValue)
            packer.put(UInt8(length))
            index += length
        }
        packer.put(short: Int64(sat.count))
        for range in sat {
            packer.put(short: Int64(range.lowerBound))
            packer.put(short: Int64(range.count))
        }
    }

    /// - Parameters:
    ///   - unpacker: reads the bytes that `pack` wrote.
    ///   - times: converts times of that boot to this one.
    public mutating func unpack(
        from unpacker: inout Unpacker, _ times: RestoredTimes
    ) throws(Unpacker.Malformed) {
        self = SleepDiary()
        try span.unpack(from: &unpacker, times)
        start = try unpacker.takeTime(times)
        let resting = try unpacker.takeShort()
        let count = try unpacker.takeShortAmount()
        guard count <= Self.most, resting <= count else { throw Unpacker.Malformed() }
        undecidedSince = try unpacker.takeBool() ? min(unpacker.takeTime(times), times.now) : nil
        while epochs.count < count {
            let epoch = SleepEpoch(rawValue: try unpacker.take())
            let length: UInt8 = try unpacker.take()
            guard length > 0, epochs.count + Int(length) <= count else { throw Unpacker.Malformed() }
            for _ in 0..<length { epochs.append(epoch) }
        }
        restingUntil = resting < 0 ? nil : Int(resting)
        for _ in 0..<(try unpacker.takeShortAmount()) {
            let (first, length) = (try unpacker.takeShortAmount(), try unpacker.takeShortAmount())
            guard first >= sat.last?.upperBound ?? 0, first <= Self.most, 1...Int64(Self.most) ~= length else {
                throw Unpacker.Malformed()
            }
            sat.append(Int(first)..<Int(first + length))
        }
        for epoch in epochs { follow(epoch) }
        // In the future: the clock that relates the boots was wrong.
        if end > times.now { forgetEpochs() }
    }
}
