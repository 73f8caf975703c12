import Core

/// The time of sitting without a break, and whether it was reported (SPEC §3).
public struct SedentaryStretch: Sendable {
    private let rule: SedentaryRule
    /// Stationary time of the stretch so far; zero without a stretch.
    public private(set) var length = Interval.zero
    private var steps = 0
    private var wasReported = false

    public init(rule: SedentaryRule = SedentaryRule()) { self.rule = rule }

    /// Takes the next span of time, spent in one activity. Returns true once per stretch, when it becomes long.
    ///
    /// Stationary time adds; walking and running of at least `medium` confidence end the stretch; `automotive` and
    /// `unknown` neither add nor end it.
    public mutating func add(_ span: Interval, of judgement: Judgement) -> Bool {
        switch judgement.activity {
        case .stationary:
            length += span
            guard length >= rule.longAfter, !wasReported else { return false }
            wasReported = true
            return true
        case .walking, .running:
            if judgement.confidence >= .medium { reset() }
        case .automotive, .unknown:
            break
        }
        return false
    }

    /// Takes credited steps; enough of them since the start of the stretch end it.
    public mutating func add(steps count: Int) {
        guard length > .zero else { return }
        steps += count
        if steps >= rule.resettingSteps { reset() }
    }

    /// Drops the steps counted since the start of the stretch; the stretch goes on.
    public mutating func forgetSteps() { steps = 0 }

    /// Ends the stretch: after a pause in sampling, and when the wearer sleeps or took the sensor off.
    public mutating func reset() { self = SedentaryStretch(rule: rule) }
}

extension SedentaryStretch {
    public func pack(into packer: inout Packer) {
        packer.put(length.nanoseconds)
        packer.put(Int64(steps))
        packer.put(wasReported)
    }

    public mutating func unpack(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        length = Interval(nanoseconds: try unpacker.takeAmount())
        steps = Int(min(try unpacker.takeAmount(), Int64(rule.resettingSteps)))
        wasReported = try unpacker.takeBool()
    }
}
