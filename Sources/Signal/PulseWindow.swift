import Core

/// Eight seconds of an optical pulse signal, with the acceleration of the same seconds.
public struct PulseWindow: Sendable {
    /// Samples in a window: 8 s at 25 Hz.
    public static let length = 200
    /// Samples per second.
    public static let rate: Float = 25

    /// Exactly `length` samples of reflected light, oldest first, in counts of the converter. Their offset does not
    /// matter if `fullScale` is nil.
    public let light: [Float]
    /// Exactly `length` samples of the same moments.
    public let acceleration: [Acceleration]
    /// The count at which the converter saturates, above 0; nil if the offset of `light` is unknown, as in recordings
    /// from which it was removed.
    public let fullScale: Float?

    /// Nil unless there are exactly `length` samples of each, all of them finite.
    public init?(light: [Float], acceleration: [Acceleration], fullScale: Float? = nil) {
        guard light.count == Self.length, acceleration.count == Self.length, light.allSatisfy({ $0.isFinite }),
            acceleration.allSatisfy({ $0.magnitude.isFinite })
        else { return nil }
        self.light = light
        self.acceleration = acceleration
        self.fullScale = fullScale
    }
}
