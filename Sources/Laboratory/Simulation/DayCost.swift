import Quantities

/// The cost of a UTC day of sensing.
public struct DayCost: Equatable, Sendable {
    public let day: UTCDay
    /// How often the process had to run.
    public internal(set) var wakeUps = 0
    /// Bytes on the I²C bus, addresses included, and how long they take at 400 kHz.
    public internal(set) var busBytes = 0
    public internal(set) var busTime = Interval.zero
    public internal(set) var storeBytes = 0
    public internal(set) var attentive = SensorUse()
    public internal(set) var relaxed = SensorUse()

    /// The share of the day that the accelerometer ran at full rate.
    public var sensorShare: Double {
        SensorUse(time: attentive.time + relaxed.time, on: attentive.on + relaxed.on).share
    }
}

/// The time that the accelerometer ran at full rate, within a total.
public struct SensorUse: Equatable, Sendable {
    public internal(set) var time = Interval.zero
    public internal(set) var on = Interval.zero

    /// The share, 0 to 1; zero for a total of zero.
    public var share: Double {
        time > .zero ? Double(on.nanoseconds) / Double(time.nanoseconds) : 0
    }
}
