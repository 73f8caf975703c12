import Core
import Devices

/// The air around a simulated barometer.
public struct Air: Sendable {
    /// In Pa.
    public var pressure: Double
    /// Of the chip, in °C.
    public var temperature: Double

    public init(pressure: Double = 101_325, temperature: Double = 25) {
        self.pressure = pressure
        self.temperature = temperature
    }
}

/// A barometer at register level, with constants of its own.
public protocol SimulatedBarometer: SimulatedChip {
    /// The value of its identity register.
    var identity: UInt8 { get set }
    /// Measurements that it finished.
    var measurements: Int { get }
    /// Writes that it took.
    var writes: Int { get }
    /// Whether it measures now.
    var isMeasuring: Bool { get }

    /// - Parameters:
    ///   - air: the air at a time; called in order of time.
    ///   - seed: of its noise.
    init(in air: @escaping (BootTime) -> Air, seed: UInt64)

    /// Interrupts its supply.
    func losePower()
}

extension SimulatedGauge {
    /// By the id of the chip, every simulated barometer.
    public static var barometers: [(chip: String, type: any SimulatedBarometer.Type)] {
        [
            ("bmp280", SimulatedBMP280.self),
            ("bmp388", SimulatedBMP388.self),
        ]
    }

    /// A barometer at the first address of its kind; nil for a chip that is not simulated.
    public static func barometer(
        _ chip: String, in air: @escaping (BootTime) -> Air, seed: UInt64
    ) -> SimulatedGauge? {
        guard let type = barometers.first(where: { $0.chip == chip })?.type, let address = I2CAddress(0x76)
        else { return nil }
        return SimulatedGauge(.barometer, at: address, type.init(in: air, seed: seed))
    }
}

/// The argument at which an increasing function has this value, between 0 and `most`; to the nearest integer.
func inverse(of value: Double, upTo most: Int, _ function: (Double) -> Double) -> Int {
    var (low, high) = (0, most)
    while low < high {
        let middle = (low + high) / 2
        if function(Double(middle) + 0.5) < value { low = middle + 1 } else { high = middle }
    }
    return low
}
