/// A kind of gauge, a device that is asked for one measurement at a time: a barometer, a thermometer. The domain that
/// needs it declares its id beside itself.
public struct GaugeID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
}

/// One measurement of a gauge. Its kind determines the meaning of the values and their units.
public struct GaugeReading: Hashable, Sendable {
    public var value: Float
    /// A second value of the same measurement, if the kind has one.
    public var other: Float?

    public init(_ value: Float, other: Float? = nil) {
        self.value = value
        self.other = other
    }
}
