import Core
import Devices

/// A BMP388 at register level: sleep and single measurements.
///
/// Its constants are made up, of the size that the vendor's driver expects. The raw values are the inverse of the vendor's
/// conversion in floating point. No source states the noise of single measurements.
public final class SimulatedBMP388: SimulatedBarometer {
    public var identity: UInt8 = 0x50
    public private(set) var measurements = 0
    public private(set) var writes = 0
    private let air: (BootTime) -> Air
    private var noise: GaussianNoise
    private var now = BootTime(nanoseconds: 0)
    /// PWR_CTRL, OSR, ODR, a reserved register, CONFIG.
    private var settings: [UInt8] = SimulatedBMP388.afterReset
    private var data: [UInt8] = SimulatedBMP388.noData
    private var (hasPressure, hasTemperature, isMisconfigured) = (false, false, false)
    private var readyAt: BootTime?
    private var startedAt = BootTime(nanoseconds: 0)

    private static let afterReset: [UInt8] = [0, 0x02, 0, 0, 0]
    private static let noData: [UInt8] = [0, 0, 0x80, 0, 0, 0x80]
    private static let pascals = 0.8

    public init(in air: @escaping (BootTime) -> Air, seed: UInt64) {
        self.air = air
        noise = GaussianNoise(seed: seed)
    }

    public var isMeasuring: Bool { readyAt != nil }

    public func losePower() {
        (settings, data, readyAt) = (Self.afterReset, Self.noData, nil)
        (hasPressure, hasTemperature, isMisconfigured) = (false, false, false)
        startedAt = now + .milliseconds(2)
    }

    public func write(_ value: UInt8, to register: UInt8) {
        writes += 1
        switch register {
        case 0x7E where value == 0xB6: losePower()
        case 0x1B:
            settings[0] = value
            begin()
        case 0x1C...0x1F: settings[Int(register - 0x1B)] = value
        default: break
        }
    }

    public func read(from register: UInt8) -> UInt8 {
        switch register {
        case 0x00: return identity
        case 0x02: return isMisconfigured ? 4 : 0
        case 0x03: return (now < startedAt ? 0 : 0x10) | (hasPressure ? 0x20 : 0) | (hasTemperature ? 0x40 : 0)
        case 0x04...0x06: hasPressure = false
        case 0x07...0x09: hasTemperature = false
        case 0x1B...0x1F: return settings[Int(register - 0x1B)]
        case 0x31...0x45: return Self.constants[Int(register - 0x31)]
        default: return 0
        }
        return data[Int(register - 0x04)]
    }

    public func advance(to time: BootTime) {
        now = max(now, time)
        guard let readyAt, readyAt <= now else { return }
        self.readyAt = nil
        settings[0] &= 0x0F
        measure(at: readyAt)
        measurements += 1
    }

    public func register(after register: UInt8) -> UInt8 { register &+ 1 }

    private func begin() {
        let mode = settings[0] >> 4 & 3
        guard mode == 1 || mode == 2 else { return readyAt = nil }
        let period = Interval(nanoseconds: 5_000_000 << Int64(settings[2] & 0x1F))
        isMisconfigured = conversion > period
        readyAt = isMisconfigured ? nil : now + conversion
        if isMisconfigured { settings[0] &= 0x0F }
    }

    private var conversion: Interval {
        var microseconds: Int64 = 234
        if settings[0] & 1 != 0 { microseconds += 392 + 2020 << Int64(settings[1] & 7) }
        if settings[0] & 2 != 0 { microseconds += 163 + 2020 << Int64(settings[1] >> 3 & 7) }
        return Interval(nanoseconds: microseconds * 1000)
    }

    private func measure(at time: BootTime) {
        let present = air(time)
        let pressure = present.pressure + noise.next() * Self.pascals
        let rawTemperature = inverse(of: present.temperature, upTo: 0xFF_FFFF, Self.temperature)
        let temperature = Self.temperature(Double(rawTemperature))
        // The pressure falls as the raw value rises.
        let rawPressure = inverse(of: -pressure, upTo: 0xFF_FFFF) { -Self.pressure($0, temperature) }
        if settings[0] & 1 != 0 { (hasPressure, data[0..<3]) = (true, Self.bytes(rawPressure)) }
        if settings[0] & 2 != 0 { (hasTemperature, data[3..<6]) = (true, Self.bytes(rawTemperature)) }
    }

    private static func bytes(_ value: Int) -> ArraySlice<UInt8> {
        [value, value >> 8, value >> 16].map { UInt8(truncatingIfNeeded: $0) }[...]
    }

    // MARK: Constants

    private static let t: [Double] = [27504, 19130, -7]
    private static let p: [Double] = [-166, -1250, 35, 3, 25102, 30482, -4, -6, 16381, 22, -60]

    private static let constants: [UInt8] = {
        let sizes = [2, 2, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 1, 1]
        return zip(t + p, sizes).flatMap { value, size -> [UInt8] in
            let bits = UInt16(truncatingIfNeeded: Int(value))
            return Array([UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)].prefix(size))
        }
    }()

    /// Two to a power.
    private static func scale(_ power: Int) -> Double { Double(sign: .plus, exponent: power, significand: 1) }

    private static func temperature(_ raw: Double) -> Double {
        let x = raw - t[0] * 256
        return x * t[1] * scale(-30) + x * x * t[2] * scale(-48)
    }

    private static func pressure(_ raw: Double, _ t: Double) -> Double {
        let (a, b, c) = ((p[0] - 16384) * scale(-20), (p[1] - 16384) * scale(-29), p[2] * scale(-32))
        let offset = p[4] * 8 + p[5] * t * scale(-6) + p[6] * t * t * scale(-8) + p[7] * t * t * t * scale(-15)
        let slope = a + b * t + c * t * t + p[3] * t * t * t * scale(-37)
        return offset + raw * slope + raw * raw * (p[8] + p[9] * t) * scale(-48) + raw * raw * raw * p[10] * scale(-65)
    }
}
