/// Specific force on three axes, in g (standard gravity, 9.80665 m/s²), in the sensor's own frame.
///
/// At rest its length is about 1, whichever way the sensor lies.
public struct Acceleration: Equatable, Sendable {
    public var x: Float
    public var y: Float
    public var z: Float

    public init(x: Float, y: Float, z: Float) {
        self.x = x
        self.y = y
        self.z = z
    }

    public static let zero = Acceleration(x: 0, y: 0, z: 0)

    /// Euclidean length, in g. Does not depend on how the sensor is turned.
    public var magnitude: Float { dot(self).squareRoot() }

    public func dot(_ other: Acceleration) -> Float { x * other.x + y * other.y + z * other.z }

    public static func + (left: Acceleration, right: Acceleration) -> Acceleration {
        Acceleration(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
    }

    public static func - (left: Acceleration, right: Acceleration) -> Acceleration {
        Acceleration(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z)
    }

    public static func * (left: Acceleration, factor: Float) -> Acceleration {
        Acceleration(x: left.x * factor, y: left.y * factor, z: left.z * factor)
    }
}
