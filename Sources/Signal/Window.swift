import Core

/// A span of consecutive samples that is judged as a whole.
public struct Window: Sendable {
    /// Samples in a window: 5.12 s at 25 Hz.
    public static let length = 128
    /// Samples per second.
    public static let rate: Float = 25
    public static let duration = Interval.milliseconds(5120)
    /// From one sample to the next.
    public static let samplePeriod = Interval.milliseconds(40)

    /// Exactly `length` samples, oldest first.
    public let samples: [Acceleration]

    /// The reading of the chip's own thermometer at the end, in degrees Celsius: fit for comparing windows, not as a
    /// true temperature. Nil for a chip without one.
    public let temperature: Float?

    /// Nil unless there are exactly `length` samples.
    public init?(_ samples: [Acceleration], temperature: Float? = nil) {
        guard samples.count == Window.length else { return nil }
        self.samples = samples
        self.temperature = temperature
    }
}
