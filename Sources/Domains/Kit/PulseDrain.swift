/// Light of one moment, in two channels, in counts from 0 to the full scale of the chip.
public struct PulseSample: Equatable, Sendable {
    /// With red and with infrared light; exchanged on some modules.
    public var first: UInt32
    public var second: UInt32

    public init(first: UInt32, second: UInt32) {
        self.first = first
        self.second = second
    }
}

/// The result of a drain of a pulse oximeter.
public struct PulseDrain: Equatable, Sendable {
    public enum Light: Equatable, Sendable {
        /// The current of an LED was changed, or the samples since a change have not settled.
        case searching
        /// Each LED has its current.
        case steady
        /// Even the greatest current returns little light in both channels: nothing lies on the sensor.
        case dark
    }

    /// Oldest first, one sample period apart. Samples from which a current was found are not among them.
    public var samples: [PulseSample]
    /// Whether the first of them follows the last one of the previous drain.
    public var continues: Bool
    public var light: Light

    public init(_ samples: [PulseSample] = [], continues: Bool, light: Light) {
        self.samples = samples
        self.continues = continues
        self.light = light
    }
}
