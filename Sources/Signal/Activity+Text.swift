extension Activity: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .stationary: "stationary"
        case .walking: "walking"
        case .running: "running"
        case .automotive: "automotive"
        }
    }
}

extension Confidence: CustomStringConvertible {
    public var description: String {
        switch self {
        case .low: "low"
        case .medium: "medium"
        case .high: "high"
        }
    }
}
