import Core

/// A place on the earth's surface, in degrees of WGS 84: latitude from -90 to 90, longitude from -180 to 180.
public struct Coordinates: Equatable, Sendable {
    public let latitude: Double
    public let longitude: Double

    /// Nil if out of range.
    public init?(latitude: Double, longitude: Double) {
        // Also false for NaN.
        guard latitude.magnitude <= 90, longitude.magnitude <= 180 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A position as the receiver reports it, before filtering (gpsd_json(5), class TPV).
public struct Fix: Equatable, Sendable {
    /// A working receiver reports at least this often; a longer pause means that it had stopped.
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
    /// The estimated horizontal error, in metres; nil if the receiver gives none.
    public let error: Double?
    /// Speed over ground, in m/s, measured by Doppler shift and so independent of the position; nil if the receiver
    /// gives none.
    public let speed: Double?
    /// The receiver's time of the fix; nil if it gives none.
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
