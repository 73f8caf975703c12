/// The wearer's activity. Raw values are stored; never reuse one.
public enum Activity: UInt8, CaseIterable, Sendable {
    case unknown = 0
    case stationary = 1
    case walking = 2
    case running = 3
    /// Carried by a vehicle: car, bus, rail.
    case automotive = 4
}

/// The reliability of a judgement. A window of `low` confidence keeps the previous judgement.
public enum Confidence: UInt8, CaseIterable, Comparable, Sendable {
    case low = 0
    case medium = 1
    case high = 2

    public static func < (left: Confidence, right: Confidence) -> Bool { left.rawValue < right.rawValue }
}

/// The result of a classifier: an activity and its confidence.
public struct Judgement: Equatable, Sendable {
    public var activity: Activity
    public var confidence: Confidence

    public init(_ activity: Activity, _ confidence: Confidence) {
        self.activity = activity
        self.confidence = confidence
    }
}
