import Quantities
import Signal

/// A stretch of a life in which the wearer does one thing.
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
    /// Steps per minute; zero for whoever neither walks nor runs.
    public let cadence: Double
}

extension Episode.Kind {
    /// Stationary, worn and awake: the time that `sedentaryMinutes` counts.
    public var isSedentary: Bool { self == .sitting || self == .standing }

    /// What one window of it looks like to a classifier that does not know the hours around it.
    public var activity: Activity {
        switch self {
        case .sleeping, .sitting, .standing, .off: .stationary
        case .walking: .walking
        case .running: .running
        case .driving: .automotive
        }
    }
}
