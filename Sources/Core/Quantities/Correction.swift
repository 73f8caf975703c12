/// The correction of one accelerometer's samples: zero offset and gain of each axis.
public struct Correction: Equatable, Sendable {
    /// In g; subtracted from a sample first.
    public var offset: Acceleration
    /// The difference is multiplied by it.
    public var gain: Acceleration

    public init(offset: Acceleration, gain: Acceleration) {
        self.offset = offset
        self.gain = gain
    }

    /// Leaves samples as they are.
    public static let none = Correction(offset: .zero, gain: Acceleration(x: 1, y: 1, z: 1))

    public func applied(to sample: Acceleration) -> Acceleration {
        let level = sample - offset
        return Acceleration(x: level.x * gain.x, y: level.y * gain.y, z: level.z * gain.z)
    }
}
