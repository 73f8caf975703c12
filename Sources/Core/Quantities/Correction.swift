/// The correction of one accelerometer's samples: for each axis what it shows where there is nothing, and by how much it shows too little.
public struct Correction: Equatable, Sendable {
    /// In g; taken from a sample first.
    public var offset: Acceleration
    /// Multiplied with what is left.
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
