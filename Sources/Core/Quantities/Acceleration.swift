/// Specific force on three axes, in g (standard gravity, 9.80665 m/s²), in the sensor's own frame.
///
/// The length is about 1 at rest, in any orientation.
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

    /// Euclidean length, in g. Independent of the sensor's orientation.
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
