import Core
import Signal

/// A stretch of a life with one activity.
public struct Episode: Equatable, Sendable {
    public enum Kind: CaseIterable, Hashable, Sendable {
        case sleeping
        case sitting
        case standing
        case walking
        case running
        case driving
        /// The sensor lies on a table.
        case off
    }

    public let kind: Kind
    public let start: WallTime
    public internal(set) var end: WallTime
    /// Steps per minute; zero unless walking or running.
    public let cadence: Double
}

extension Episode.Kind {
    /// Stationary, worn and awake: the time that `sedentaryMinutes` counts.
    public var isSedentary: Bool { self == .sitting || self == .standing }

    /// The right answer of a classifier that sees only one window of it.
    public var activity: Activity {
        switch self {
        case .sleeping, .sitting, .standing, .off: .stationary
        case .walking: .walking
        case .running: .running
        case .driving: .automotive
        }
    }
}
