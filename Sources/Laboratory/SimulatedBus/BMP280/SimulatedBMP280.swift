import Core
import Devices

/// A BMP280 at register level: sleep and single measurements.
///
/// Its constants are an example that the vendor publishes with its driver. The raw values are the inverse of the vendor's
/// conversion in floating point. The noise is that of 16 pressure samples without a filter, from memory of the data
/// sheet; one sample has 3.1 Pa (BMP2_SensorAPI's table of 37 cm).
public final class SimulatedBMP280: SimulatedBarometer {
    public var identity: UInt8 = 0x58
    public private(set) var measurements = 0
    public private(set) var writes = 0
    private let air: (BootTime) -> Air
    private var noise: GaussianNoise
    private var now = BootTime(nanoseconds: 0)
    private var (control, config): (UInt8, UInt8) = (0, 0)
    private var data: [UInt8] = SimulatedBMP280.noData
    private var readyAt: BootTime?
    private var loadedAt = BootTime(nanoseconds: 0)

    private static let noData: [UInt8] = [0x80, 0, 0, 0x80, 0, 0]
    private static let pascals = 1.3
    private static let t: [Double] = [27504, 26435, -1000]
    private static let p: [Double] = [36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000]

    public init(in air: @escaping (BootTime) -> Air, seed: UInt64) {
        self.air = air
        noise = GaussianNoise(seed: seed)
    }

    public var isMeasuring: Bool { readyAt != nil }

    public func losePower() {
        (control, config, data, readyAt) = (0, 0, Self.noData, nil)
        loadedAt = now + .milliseconds(2)
    }

    public func write(_ value: UInt8, to register: UInt8) {
        writes += 1
        switch register {
        case 0xE0 where value == 0xB6: losePower()
        case 0xF4:
            control = value
            let mode = value & 3
            readyAt = mode == 1 || mode == 2 ? now + conversion : nil
        case 0xF5 where control & 3 == 0: config = value
        default: break
        }
    }

    public func read(from register: UInt8) -> UInt8 {
        switch register {
        case 0x88...0x9F: Self.constants[Int(register - 0x88)]
        case 0xD0: identity
        case 0xF3: (readyAt == nil ? 0 : 8) | (now < loadedAt ? 1 : 0)
        case 0xF4: control
        case 0xF5: config
        case 0xF7...0xFC: data[Int(register - 0xF7)]
        default: 0
        }
    }

    public func advance(to time: BootTime) {
        now = max(now, time)
        guard let readyAt, readyAt <= now else { return }
        self.readyAt = nil
        control &= 0xFC
        measure(at: readyAt)
        measurements += 1
    }

    public func register(after register: UInt8) -> UInt8 { register &+ 1 }

    private static let constants: [UInt8] = (t + p).flatMap { value -> [UInt8] in
        let bits = UInt16(truncatingIfNeeded: Int(value))
        return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
    }

    private var samples: (temperature: Int, pressure: Int) { (Self.count(control >> 5), Self.count(control >> 2 & 7)) }

    private static func count(_ code: UInt8) -> Int { code == 0 ? 0 : 1 << min(Int(code) - 1, 4) }

    /// The typical time.
    private var conversion: Interval {
        let microseconds = 1000 + 2000 * samples.temperature + 2000 * samples.pressure + 500
        return Interval(nanoseconds: Int64(microseconds) * 1000)
    }

    private func measure(at time: BootTime) {
        let present = air(time)
        let pressure = present.pressure + noise.next() * Self.pascals
        let temperature = inverse(of: present.temperature, upTo: 0xFFFFF) { Self.fine($0) / 5120 }
        let fine = Self.fine(Double(temperature))
        let raw = inverse(of: -pressure, upTo: 0xFFFFF) { -Self.pressure($0, fine) }
        data =
            Self.bytes(samples.pressure == 0 ? 0x80000 : raw)
            + Self.bytes(samples.temperature == 0 ? 0x80000 : temperature)
    }

    private static func bytes(_ value: Int) -> [UInt8] {
        [value >> 12, value >> 4, value << 4].map { UInt8(truncatingIfNeeded: $0) }
    }

    /// The temperature in 1/5120 °C.
    private static func fine(_ raw: Double) -> Double {
        let x = raw / 131_072 - t[0] / 8192
        return (raw / 16384 - t[0] / 1024) * t[1] + x * x * t[2]
    }

    private static func pressure(_ raw: Double, _ fine: Double) -> Double {
        let x = fine / 2 - 64000
        let offset = (x * x * p[5] / 32768 + x * p[4] * 2) / 4 + p[3] * 65536
        let slope = (1 + (p[2] * x * x / 524_288 + p[1] * x) / 524_288 / 32768) * p[0]
        let y = (1_048_576 - raw - offset / 4096) * 6250 / slope
        return y + (p[8] * y * y / 2_147_483_648 + y * p[7] / 32768 + p[6]) / 16
    }
}
