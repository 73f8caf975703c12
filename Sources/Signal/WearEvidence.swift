import Core

/// The time for which a sensor has shown no sign of a body.
///
/// Furniture shakes, but a body sways: it breathes, and its posture is slightly different a minute later. Each window
/// without a sign of life adds the time since the previous one. A sign takes some of it back. A nudge takes little,
/// because a bag on a chair is nudged too and stays there. Walking takes back all of it. The deciding time depends on
/// whether the sensor has cooled and on its posture.
public struct WearEvidence: Sendable {
    /// The sign of a body in a window, weakest first.
    public enum Sign: UInt8, Comparable, Sendable {
        case none = 0
        /// It moved, but did not turn.
        case nudge = 1
        /// It turned.
        case turn = 2
        /// It sways.
        case sway = 3
        /// The wearer walks with it.
        case gait = 4

        public static func < (left: Sign, right: Sign) -> Bool { left.rawValue < right.rawValue }
    }

    private let rule: StillnessRule
    /// Time without a sign, less what signs have taken back.
    public private(set) var lifeless = Interval.zero
    /// The sign in the latest window.
    public private(set) var sign = Sign.none
    /// Whether the windows since the last one without a sign all showed the same nudge. Not kept across a restart.
    public private(set) var isOneNudge = false
    private var nudgedSince: BootTime?
    private var lastLook: BootTime?
    /// When the sensor last swayed or was walked with; the time of the first window before either.
    private var lastLife: BootTime?
    /// The mean of the latest window at rest, in g.
    private var posture: Acceleration?
    private var temperature: Float?
    /// The reading before `temperature`, because a single reading may be garbage. Not kept across a restart.
    private var temperatureBefore: Float?
    /// The highest temperature since the wearer last walked; nil before the first walk.
    private var warmest: Float?

    public init(rule: StillnessRule = StillnessRule()) { self.rule = rule }

    /// Takes the next window, its activity and its end.
    public mutating func add(_ repose: RestFeatures, activity: Activity, at time: BootTime) {
        let interval = lastLook.map { min(max(time - $0, .zero), rule.longestLook) } ?? .zero
        let previous = sign
        sign = sign(of: repose, activity, after: interval)
        followNudge(after: previous, at: time)
        switch sign {
        case .none: lifeless += interval
        case .nudge: takeBack(min(interval * rule.looksPerNudge, rule.nudgeCosts))
        case .turn, .sway: takeBack(min(interval * rule.looksPerSway, rule.swayCosts))
        case .gait: lifeless = .zero
        }
        if isAtRest(repose, activity) { posture = repose.mean }
        note(repose.temperature)
        lastLook = time
        if sign >= .sway || lastLife == nil { lastLife = time }
    }

    /// Sets the lifeless time to zero, because the sensor was taken up again.
    public mutating func beginAnew() { lifeless = .zero }

    /// Whether the sensor was lifeless long enough to count as not worn. `asleep`: whether the wearer is known to
    /// sleep.
    public func showsNotWorn(asleep: Bool) -> Bool { lifeless >= timeNeeded(asleep: asleep) }

    /// Whether the sensor may later count as not worn.
    public var mayBeOff: Bool {
        guard let lastLook, let lastLife, !isWarm else { return false }
        return lifeless >= rule.mayBeOffAfter || lastLook - lastLife >= rule.mayBeOffAfter
    }

    private func timeNeeded(asleep: Bool) -> Interval {
        if hasCooled { return rule.offIfCold }
        if asleep || isWarm { return rule.offIfWarm }
        return liesFlat ? rule.offIfFlat : rule.offIfTilted
    }

    private mutating func followNudge(after previous: Sign, at time: BootTime) {
        if sign != .nudge { nudgedSince = nil } else if previous == .none { nudgedSince = time }
        isOneNudge = nudgedSince.map { time - $0 <= rule.longestNudge } ?? false
    }

    private mutating func takeBack(_ amount: Interval) { lifeless = max(lifeless - amount, .zero) }
}

// MARK: - Posture and movement

extension WearEvidence {
    private func isAtRest(_ repose: RestFeatures, _ activity: Activity) -> Bool {
        repose.deviation <= (activity == .stationary ? rule.stillDeviation : rule.quietDeviation)
    }

    private func sign(of repose: RestFeatures, _ activity: Activity, after interval: Interval) -> Sign {
        if activity == .walking || activity == .running { return .gait }
        guard isAtRest(repose, activity) else { return .nudge }
        if repose.sway > max(repose.flutter * rule.swayShare, rule.leastSway) { return .sway }
        guard let posture else { return .none }
        let lengths = posture.magnitude * repose.mean.magnitude
        guard posture.dot(repose.mean) >= rule.postureCosine * lengths else { return .turn }
        let minutes = Float(interval.inMilliseconds) / 60_000
        let drift = max(rule.drift, repose.flutter * rule.driftShare) + rule.driftPerMinute * minutes
        let isInPlace = (repose.mean - posture).magnitude <= drift
        return isInPlace || sign == .nudge ? .none : .nudge  // One nudge is not counted twice.
    }

    private var liesFlat: Bool {
        guard let posture else { return false }
        return max(abs(posture.x), abs(posture.y), abs(posture.z)) >= rule.flatCosine * posture.magnitude
    }
}

// MARK: - Temperature

extension WearEvidence {
    private mutating func note(_ reading: Float?) {
        temperatureBefore = temperature
        temperature = reading.flatMap { $0.isFinite ? $0 : nil }
        guard let temperature else { return }
        let confirmed = min(temperature, temperatureBefore ?? temperature)
        if sign == .gait { warmest = confirmed }
        warmest = warmest.map { max($0, confirmed) }
    }

    /// The cooling, in degrees, confirmed by two readings in a row; nil without a thermometer or before the first walk.
    private var fall: Float? {
        guard let warmest, let temperature else { return nil }
        return warmest - max(temperature, temperatureBefore ?? temperature)
    }

    private var hasCooled: Bool { fall.map { $0 >= rule.coolsBy } ?? false }
    private var isWarm: Bool { fall.map { $0 < rule.staysWarmWithin } ?? false }
}

// MARK: - Across a restart

extension WearEvidence {
    /// Writes the state, so that it outlives a restart.
    public func pack(into packer: inout Packer) {
        packer.put(lifeless.nanoseconds)
        packer.put(sign.rawValue)
        packer.put(lastLook != nil)
        if let lastLook { packer.put(lastLook) }
        packer.put(lastLife != nil)
        if let lastLife { packer.put(lastLife) }
        packer.put(posture != nil)
        if let posture { packer.put(posture) }
        packer.put(temperature != nil)
        if let temperature { packer.put(temperature) }
        packer.put(warmest != nil)
        if let warmest { packer.put(warmest) }
    }

    /// Restores the state that `pack` wrote. Discard the value if this throws: it may be half restored.
    public mutating func unpack(from unpacker: inout Unpacker, _ times: RestoredTimes) throws(Unpacker.Malformed) {
        lifeless = Interval(nanoseconds: try unpacker.takeAmount())
        guard let sign = Sign(rawValue: try unpacker.take()) else { throw Unpacker.Malformed() }
        self.sign = sign
        // The clock that relates the boots may have been wrong: a time in the future counts as now.
        lastLook = try unpacker.takeBool() ? min(try unpacker.takeTime(times), times.now) : nil
        lastLife = try unpacker.takeBool() ? min(try unpacker.takeTime(times), times.now) : nil
        posture = try unpacker.takeBool() ? try unpacker.takeAcceleration() : nil
        temperature = try unpacker.takeBool() ? try unpacker.takeFloat() : nil
        warmest = try unpacker.takeBool() ? try unpacker.takeFloat() : nil
    }
}

extension Packer {
    mutating func put(_ acceleration: Acceleration) {
        put(acceleration.x)
        put(acceleration.y)
        put(acceleration.z)
    }
}

extension Unpacker {
    mutating func takeAcceleration() throws(Malformed) -> Acceleration {
        Acceleration(x: try takeFloat(), y: try takeFloat(), z: try takeFloat())
    }
}
