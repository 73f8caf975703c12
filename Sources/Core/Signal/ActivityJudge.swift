import Quantities

/// Says what the wearer does, window by window, in the light of the windows before.
public struct ActivityJudge: Sendable {
    private let net: ActivityNet
    private var filter: ActivityFilter
    /// What holds now. Of `low` confidence it is the activity of the window before, held because the latest one did
    /// not tell.
    public private(set) var verdict = Judgement(.unknown, .low)
    /// Whether the latest window, on its own, was rather something else than the verdict, or did not tell: another soon
    /// will. Not kept across a restart.
    public private(set) var isInDoubt = false

    public init(model: ActivityModel = .standard, rule: ActivityRule = ActivityRule()) {
        net = ActivityNet(model)
        filter = ActivityFilter(rule: rule)
    }

    /// How likely each activity is after the windows so far; all the same before the first and after a pause.
    public var belief: ActivityProbabilities { filter.belief ?? .even }

    /// Takes the next window.
    ///
    /// - Parameter interval: how long before its end the window before it ended; nil for the first one, and after a
    ///   pause too long for that one to tell anything.
    /// - Returns: the new verdict.
    public mutating func judge(_ features: ActivityFeatures, after interval: Interval?) -> Judgement {
        if interval == nil { reset() }
        let alone = net.probabilities(of: features)
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

    /// Reads back what `pack` wrote. What it leaves behind when that is malformed is of no use.
    public mutating func unpack(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        guard let activity = Activity(rawValue: try unpacker.take()),
            let confidence = Confidence(rawValue: try unpacker.take())
        else { throw Unpacker.Malformed() }
        verdict = Judgement(activity, confidence)
        try filter.unpack(from: &unpacker)
    }
}
