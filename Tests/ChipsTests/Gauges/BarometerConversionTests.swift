import Domains
import Core
import Testing

@testable import Devices

/// The conversions in integers, beside published values and beside the same polynomials in floating point.
@Suite struct BarometerConversionTests {
    /// The vendor's example: 128422, 25.08 °C and 100653.25 Pa.
    @Test func theVendorsExample() throws {
        let calibration = BMP280.Calibration(
            bytes([27504, 26435, -1000, 36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000]))
        #expect(calibration.fineTemperature(519_888) == 128_422)
        #expect(calibration.pressure(415_148, 128_422) == 25_767_233)
        let reading = try #require(calibration.reading(pressure: 415_148, temperature: 519_888))
        #expect(reading.value == 100_653.25 && reading.other == 25.08)
    }

    @Test func whatWasNotMeasuredOrIsNoPressureIsNoReading() {
        let calibration = BMP280.Calibration(
            bytes([27504, 26435, -1000, 36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000]))
        #expect(calibration.reading(pressure: 0x80000, temperature: 519_888) == nil)
        #expect(calibration.reading(pressure: 415_148, temperature: 0x80000) == nil)
        #expect(calibration.reading(pressure: 0, temperature: 519_888) == nil)
        for value: UInt8 in [0x00, 0xFF, 0x7F, 0x80] {
            for raw: Int64 in [0, 415_148, 0xFFFFF] {
                _ = BMP280.Calibration([UInt8](repeating: value, count: 24)).reading(pressure: raw, temperature: raw)
                _ = BMP388.Calibration([UInt8](repeating: value, count: 21)).reading(
                    pressure: raw << 4, temperature: raw << 4)
            }
        }
    }

    /// With constants of the usual size; no source publishes an example. The polynomials have the scales of the vendor's
    /// conversion in floating point.
    @Test(arguments: [
        [27504, 19130, -7, -166, -1250, 35, 3, 25102, 30482, -4, -6, 16381, 22, -60],
        [27700, 19000, -8, 500, -900, 30, 0, 24600, 29800, -13, -7, 16500, 30, -59],
    ])
    func theBMP388AsInFloatingPoint(constants: [Int]) throws {
        let sizes = [2, 2, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 1, 1]
        let packed = zip(constants, sizes).flatMap { Array(bytes([$0]).prefix($1)) }
        let calibration = BMP388.Calibration(packed)
        let c = constants.map(Double.init)
        func scaled(_ value: Double, _ power: Int) -> Double {
            value * Double(sign: .plus, exponent: power, significand: 1)
        }
        var readings = 0
        for raw in stride(from: 5_000_000, through: 9_000_000, by: 250_000) as StrideThrough<Int64> {
            for rawTemperature in stride(from: 7_500_000, through: 9_500_000, by: 500_000) as StrideThrough<Int64> {
                let x = Double(rawTemperature) - c[0] * 256
                let t = scaled(x * c[1], -30) + scaled(x * x * c[2], -48)
                let u = Double(raw)
                let offset =
                    c[7] * 8 + scaled(c[8] * t, -6) + scaled(c[9] * t * t, -8) + scaled(c[10] * t * t * t, -15)
                let slope =
                    scaled(c[3] - 16384, -20) + scaled((c[4] - 16384) * t, -29) + scaled(c[5] * t * t, -32)
                    + scaled(c[6] * t * t * t, -37)
                let bend = scaled((c[11] + c[12] * t) * u * u, -48) + scaled(c[13] * u * u * u, -65)
                let pascals = offset + slope * u + bend
                let reading = calibration.reading(pressure: raw, temperature: rawTemperature)
                guard 30_000.02...109_999.98 ~= pascals else {
                    #expect(reading == nil || (29_999.9...110_000.1).contains(pascals))
                    continue
                }
                readings += 1
                let found = try #require(reading)
                #expect(abs(Double(found.value) - pascals) < 0.02, "\(raw), \(rawTemperature)")
                #expect(abs(Double(try #require(found.other)) - t) < 0.011)
            }
        }
        #expect(readings > 20)
    }

    /// Words of 16 bits, low byte first.
    private func bytes(_ words: [Int]) -> [UInt8] {
        words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }
}
