import Quantities

/// How people change between activities, and how far successive windows are believed.
public struct ActivityRule: Equatable, Sendable {
    /// The chance that the next window shows the same activity.
    public var stay: Float = 0.9
    /// How likely, against other changes, are those that people seldom make without walking in between.
    public var rare: Float = 0.3
    /// Added to each probability of a window: no single one excludes an activity.
    public var doubt: Float = 0.01
    /// Windows that follow each other at once are much alike, and weigh less than independent ones: the exponent of
    /// their probabilities. In between it rises with the interval.
    public var closeWeight: Float = 0.7
    public var closeInterval = Window.duration
    public var independentInterval = Interval.seconds(60)
    /// The least probability of a judgement of high and of medium confidence.
    public var high: Float = 0.93
    public var medium: Float = 0.5

    public init() {}

    /// The chance that one activity follows the other.
    func chance(_ activity: Activity, _ next: Activity) -> Float {
        guard next != activity else { return stay }
        // The other four changes: all common, or all but walking and unknown rare.
        let changes = ActivityRule.isOnFoot(activity) ? 4 : 2 + 2 * rare
        let isCommon = ActivityRule.isOnFoot(activity) || ActivityRule.isOnFoot(next)
        return (1 - stay) * (isCommon ? 1 : rare) / changes
    }

    /// What goes over into anything: walking, and what is unknown.
    private static func isOnFoot(_ activity: Activity) -> Bool { activity == .walking || activity == .unknown }

    /// The exponent of a window's probabilities that ended so long after the one before.
    func weight(after interval: Interval) -> Float {
        let passed = Float((interval - closeInterval).inMilliseconds)
        let whole = Float((independentInterval - closeInterval).inMilliseconds)
        return closeWeight + (1 - closeWeight) * max(0, min(1, passed / whole))
    }
}

/// Judges a window in the light of those before it: the forward algorithm of a hidden Markov chain (Rabiner, "A
/// Tutorial on Hidden Markov Models …", Proc. IEEE 77(2), 1989), which knows only the past.
public struct ActivityFilter: Sendable {
    private let rule: ActivityRule
    /// How likely each activity is after all windows so far; nil before the first.
    public private(set) var belief: ActivityProbabilities?

    public init(rule: ActivityRule = ActivityRule()) { self.rule = rule }

    /// Takes what the next window alone says, and how long after the window before it ended. The first window's
    /// interval does not matter beyond its weight: `Window.duration` will do.
    /// - Returns: the likeliest activity, given all windows so far.
    public mutating func add(_ fresh: ActivityProbabilities, after interval: Interval) -> Judgement {
        let prior = belief?.carried(by: rule.chance) ?? .even
        let weight = rule.weight(after: interval)
        let belief = ActivityProbabilities { activity in
            prior[activity] * ((fresh[activity] + rule.doubt).binaryLogarithm * weight).binaryExponential
        }
        self.belief = belief
        return judgement(belief)
    }

    private func judgement(_ belief: ActivityProbabilities) -> Judgement {
        let activity = belief.likeliest
        let probability = belief[activity]
        return Judgement(activity, probability >= rule.high ? .high : probability >= rule.medium ? .medium : .low)
    }

    /// Forgets the windows so far: sampling paused.
    public mutating func reset() { belief = nil }

    public func pack(into packer: inout Packer) {
        packer.put(belief != nil)
        belief?.pack(into: &packer)
    }

    /// Reads back what `pack` wrote. Leaves the filter as it was if that is malformed.
    public mutating func unpack(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        belief = try unpacker.takeBool() ? ActivityProbabilities(from: &unpacker) : nil
    }
}
