import Core

/// The constants of `ActivityFilter`: transitions between activities, and the thresholds of confidence.
///
/// Provenance: `Training/model.py` and `Training/confidence.py` use the same numbers; docs/accuracy.md has the
/// resulting accuracy with people and devices that the model has not seen.
public struct ActivityRule: Equatable, Sendable {
    /// The probability that a window right after another shows the same activity …
    public var stay: Float = 0.95
    /// … in a vehicle, which stops, and whose driver's hands are busy: the mean ride would last 17 minutes …
    public var ride: Float = 0.995
    /// … and the value that both decay to as the time between the windows grows: after many minutes the earlier window
    /// carries no information.
    public var stayAtLast: Float = 0.2
    /// The time in which the difference to `stayAtLast` falls to 37 %.
    public var memory = Interval.minutes(4)
    /// The likelihood, relative to other changes, of changes that seldom happen without walking in between.
    public var rare: Float = 0.3
    /// Added to each probability of a window, so that no single window excludes an activity.
    public var doubt: Float = 0.01
    /// The factor by which walking and running are less likely in a window that `ActivityFeatures.isOneSided`.
    public var oneSidedGait: Float = 0.03
    /// The least probability of a judgement of medium confidence.
    public var medium: Float = 0.5
    /// The number of stationary windows in a row before `stationary` is of high confidence: a vehicle at a stop and a
    /// pause in a walk look like sitting at first.
    public var settled: UInt8 = 8

    public init() {}

    /// The least probability of a judgement of high confidence. It differs by activity: walking is seldom confused with
    /// others, a smooth ride is easily confused with busy hands. `unknown` never reaches high confidence.
    func high(_ activity: Activity) -> Float {
        switch activity {
        case .stationary: 0.85
        case .walking: 0.75
        case .running: 0.95
        case .automotive: 0.98
        case .unknown: .infinity
        }
    }

    /// The weight of a window at `interval` after its end, from 1 down to 0.
    func memory(after interval: Interval) -> Float {
        let passed = max(0, Float((interval - Window.duration).inMilliseconds))
        return (-passed / Float(memory.inMilliseconds)).naturalExponential
    }

    /// The probability that `next` follows `activity`, whose window has the weight `left`.
    func chance(_ activity: Activity, _ next: Activity, left: Float) -> Float {
        let staying = stayAtLast + ((activity == .automotive ? ride : stay) - stayAtLast) * left
        guard next != activity else { return staying }
        // The sum of the weights of the other four changes: all common, or two of them rare.
        let changes = ActivityRule.isOnFoot(activity) ? 4 : 2 + 2 * rare
        let isCommon = ActivityRule.isOnFoot(activity) || ActivityRule.isOnFoot(next)
        return (1 - staying) * (isCommon ? 1 : rare) / changes
    }

    /// Whether changes from and to this activity are common: true of walking and of `unknown`.
    private static func isOnFoot(_ activity: Activity) -> Bool { activity == .walking || activity == .unknown }
}

/// Judges a window together with the earlier ones: the forward algorithm of a hidden Markov chain (Rabiner, "A Tutorial
/// on Hidden Markov Models …", Proc. IEEE 77(2), 1989), which uses only the past.
public struct ActivityFilter: Sendable {
    private let rule: ActivityRule
    /// The probability of each activity after all windows so far; nil before the first.
    public private(set) var belief: ActivityProbabilities?
    /// Windows in a row in which `stationary` was the likeliest; saturates at 255.
    private var stationaryInARow: UInt8 = 0

    public init(rule: ActivityRule = ActivityRule()) { self.rule = rule }

    /// Takes the probabilities of the next window alone, and the interval since the end of the previous window, which
    /// is ignored for the first.
    /// - Returns: the likeliest activity, given all windows so far.
    public mutating func add(_ fresh: ActivityProbabilities, after interval: Interval) -> Judgement {
        let left = rule.memory(after: interval)
        let prior = belief?.carried { rule.chance($0, $1, left: left) } ?? .even
        let belief = ActivityProbabilities { prior[$0] * (fresh[$0] + rule.doubt) }
        self.belief = belief
        return judgement(belief)
    }

    private mutating func judgement(_ belief: ActivityProbabilities) -> Judgement {
        let activity = belief.likeliest
        stationaryInARow = activity == .stationary ? min(stationaryInARow, .max - 1) + 1 : 0
        let isBrief = activity == .stationary && stationaryInARow < rule.settled
        if belief[activity] < rule.medium { return Judgement(activity, .low) }
        return Judgement(activity, belief[activity] >= rule.high(activity) && !isBrief ? .high : .medium)
    }

    /// Forgets the windows so far, after a pause in sampling.
    public mutating func reset() {
        belief = nil
        stationaryInARow = 0
    }

    public func pack(into packer: inout Packer) {
        packer.put(stationaryInARow)
        packer.put(belief != nil)
        belief?.pack(into: &packer)
    }

    /// Restores the state that `pack` wrote. Discard the value if this throws: it may be half restored.
    public mutating func unpack(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        stationaryInARow = try unpacker.take()
        belief = try unpacker.takeBool() ? ActivityProbabilities(from: &unpacker) : nil
    }
}
