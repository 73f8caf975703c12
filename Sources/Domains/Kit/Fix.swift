import Core

/// A place on the earth's surface, in degrees of WGS 84: latitude from -90 to 90, longitude from -180 to 180.
public struct Coordinates: Equatable, Sendable {
    public let latitude: Double
    public let longitude: Double

    /// Nil for numbers that are no place.
    public init?(latitude: Double, longitude: Double) {
        // False for what is not a number.
        guard latitude.magnitude <= 90, longitude.magnitude <= 180 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A position as the receiver reports it, unjudged (gpsd_json(5), class TPV).
public struct Fix: Equatable, Sendable {
    /// A receiver that works reports at least so often; after a longer pause it had stopped.
    static let longestPause = Interval.seconds(30)

    public enum Mode: UInt8, Comparable, Sendable {
        /// From three satellites, at an assumed height.
        case twoD = 2
        case threeD = 3

        public static func < (left: Mode, right: Mode) -> Bool { left.rawValue < right.rawValue }
    }

    /// When it arrived.
    public let at: BootTime
    public let position: Coordinates
    public let mode: Mode
    /// The estimated horizontal error, in metres; nil where the receiver gives none.
    public let error: Double?
    /// Over ground, in metres a second, measured by the carrier's shift and so independent of the position; nil where the receiver
    /// gives none.
    public let speed: Double?
    /// The receiver's time of it; nil where it has none.
    public let wall: WallTime?

    public init(
        at: BootTime, _ position: Coordinates, mode: Mode = .threeD, error: Double?, speed: Double? = nil,
        wall: WallTime? = nil
    ) {
        self.at = at
        self.position = position
        self.mode = mode
        self.error = error
        self.speed = speed
        self.wall = wall
    }
}
