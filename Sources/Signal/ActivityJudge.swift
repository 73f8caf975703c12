import Core

/// Judges the wearer's activity, window by window, with the earlier windows taken into account.
public struct ActivityJudge: Sendable {
    private let net: ActivityNet
    private let rule: ActivityRule
    private var filter: ActivityFilter
    /// The current judgement. With `low` confidence it is the activity of an earlier window, kept because the latest
    /// window was inconclusive.
    public private(set) var verdict = Judgement(.unknown, .low)
    /// Whether the latest window was inconclusive or, on its own, contradicted the verdict. Another should then be
    /// taken soon. Not kept across a restart.
    public private(set) var isInDoubt = false
    /// The probability of each activity given the latest window alone; all equal before the first. Not kept across a
    /// restart.
    public private(set) var alone = ActivityProbabilities.even

    public init(model: ActivityModel = .standard, rule: ActivityRule = ActivityRule()) {
        net = ActivityNet(model)
        self.rule = rule
        filter = ActivityFilter(rule: rule)
    }

    /// The probability of each activity after the windows so far; all equal before the first and after a pause.
    public var belief: ActivityProbabilities { filter.belief ?? .even }

    /// Takes the next window, which ended `interval` after the previous one; nil for the first, and after a pause so
    /// long that the earlier window carries no information.
    ///
    /// - Returns: the new verdict.
    public mutating func judge(_ features: ActivityFeatures, after interval: Interval?) -> Judgement {
        if interval == nil { reset() }
        alone = net.probabilities(of: features)
        if features.isOneSided { alone = alone.doubtingGait(by: rule.oneSidedGait) }
        let fresh = filter.add(alone, after: interval ?? Window.duration)
        verdict = fresh.confidence == .low ? Judgement(verdict.activity, .low) : fresh
        isInDoubt = fresh.confidence == .low || alone.likeliest != verdict.activity
        return verdict
    }

    private mutating func reset() {
        filter.reset()
        verdict = Judgement(.unknown, .low)
    }
}

extension ActivityJudge {
    public func pack(into packer: inout Packer) {
        packer.put(verdict.activity.rawValue)
        packer.put(verdict.confidence.rawValue)
        filter.pack(into: &packer)
    }

    /// Restores the state that `pack` wrote. Discard the value if this throws: it may be half restored.
    public mutating func unpack(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        guard let activity = Activity(rawValue: try unpacker.take()),
            let confidence = Confidence(rawValue: try unpacker.take())
        else { throw Unpacker.Malformed() }
        verdict = Judgement(activity, confidence)
        try filter.unpack(from: &unpacker)
    }
}
