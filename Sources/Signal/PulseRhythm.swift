import Core

/// Distinguishes steps from stray pulses: a step is a pulse in a run of at least `minimumRun` that follow one another
/// at a human cadence.
///
/// The pulses before the one that completes a run are credited with it, each with its own time. A pulse later than the
/// slowest step ends the run and may begin the next. A pulse sooner than the quickest step is a contact bounce and left
/// out; more bounces than steps mean that something rattles, and end the run too.
public struct PulseRhythm: Sendable {
    private let rule: RhythmRule
    /// The latest pulse that is not a bounce.
    private var lastPulse: BootTime?
    /// The bounces that the run may still have.
    private var bouncesLeft: Int
    /// Pulses of a run that is not yet long enough, fewer than `minimumRun`.
    private var candidates: [BootTime] = []
    private var inRhythm = false

    public init(rule: RhythmRule = RhythmRule()) {
        self.rule = rule
        bouncesLeft = rule.mostBounces
    }

    /// Takes the next pulse, already debounced, and returns the times of the confirmed steps: none, its own, or those
    /// of the whole run that it completes, oldest first.
    ///
    /// Pulses must come in order of time; one that is not later than its predecessor is not counted.
    public mutating func add(_ pulse: BootTime) -> [BootTime] {
        if let lastPulse {
            guard pulse > lastPulse else { return [] }
            let spacing = pulse - lastPulse
            if spacing < shortest {
                bouncesLeft -= 1
                guard bouncesLeft < 0 else { return [] }
                endRun()
            } else if spacing > longest {
                endRun()
            } else {
                bouncesLeft = min(bouncesLeft + 1, rule.mostBounces)
            }
        }
        lastPulse = pulse
        if inRhythm { return [pulse] }
        candidates.append(pulse)
        guard candidates.count >= rule.minimumRun else { return [] }
        defer { candidates.removeAll(keepingCapacity: true) }
        inRhythm = true
        return candidates
    }

    private var shortest: Interval { .minutes(1) / rule.fastestPerMinute }
    private var longest: Interval { .minutes(1) / rule.slowestPerMinute }

    private mutating func endRun() {
        inRhythm = false
        candidates.removeAll(keepingCapacity: true)
        bouncesLeft = rule.mostBounces
    }
}

extension PulseRhythm {
    /// Writes the state of the run, so that it outlives a restart. The number of bounces is not kept.
    public func pack(into packer: inout Packer) {
        packer.put(inRhythm)
        packer.put(lastPulse != nil)
        if let lastPulse { packer.put(lastPulse) }
        packer.put(UInt16(candidates.count))
        for candidate in candidates { packer.put(candidate) }
    }

    /// Restores the state that `pack` wrote. The run continues only if the clocks still agree about its times.
    public mutating func unpack(from unpacker: inout Unpacker, _ times: RestoredTimes) throws(Unpacker.Malformed) {
        inRhythm = try unpacker.takeBool()
        lastPulse = nil
        if try unpacker.takeBool() { lastPulse = try unpacker.takeTime(times) }
        candidates.removeAll()
        for _ in 0..<(try unpacker.take(UInt16.self)) {
            candidates.append(try unpacker.takeTime(times))
        }
        // In the future: the clock that relates the boots was wrong.
        if let last = lastPulse, last > times.now {
            self = PulseRhythm(rule: rule)
        }
    }
}
