import Core
import Signal

/// Reports when the wearer stirs, for wake alarms that may play early. It stores and requests nothing, and only uses
/// the measurements of other domains.
struct AlarmCollector: Collector {
    init(_ settings: DomainValues) {}

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .window(let window):
            let isStirring = window.after.activity != .stationary && window.wear.state != .notWorn
            return isStirring || Self.moves(window.window.samples) ? [.stirred] : []
        case .samples(let samples, _, _): return Self.moves(samples) ? [.stirred] : []
        default: return []
        }
    }

    /// In g: more than breath and heartbeat, less than a turning arm.
    private static let movement: Float = 0.1

    private static func moves(_ samples: [Acceleration]) -> Bool {
        guard let first = samples.first else { return false }
        return samples.contains { ($0 - first).magnitude > movement }
    }
}
