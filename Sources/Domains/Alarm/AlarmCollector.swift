import Core
import Signal

/// Tells when the wearer stirs, for a wake alarm that may take a lighter moment. It keeps nothing, and asks for nothing: it hears
/// what other domains measure.
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

    /// In g: an arm that turns, and more than breath and heart.
    private static let movement: Float = 0.1

    private static func moves(_ samples: [Acceleration]) -> Bool {
        guard let first = samples.first else { return false }
        return samples.contains { ($0 - first).magnitude > movement }
    }
}
