import Ports
import Quantities

extension ADXL345: SelfTesting {
    /// DATA_FORMAT bit 7 (LD, ID); there is one push only.
    static var pushes: [UInt8] { [0x80] }

    /// BW_RATE: 100 Hz at full power, without which it gives no true answer (P alone).
    private static var testRate: UInt8 { 0x0A }
    private static var samples: Int { 10 }

    func beginSelfTest() throws(SensorError) {
        try initialise()
        try apply([(.rate, Self.testRate)])
        try write(Power.measuring, to: .powerControl)
        try verify(.powerControl, is: Power.measuring)
    }

    func push(_ bits: UInt8) throws(SensorError) {
        try write(fullScale.format | bits, to: .dataFormat)
        try verify(.dataFormat, is: fullScale.format | bits)
    }

    /// Out of the data registers, for the FIFO is in bypass.
    func settledMean() throws(SensorError) -> Acceleration {
        wait(tenthsOfSeconds: 2)
        var seen: [Acceleration] = []
        for _ in 0..<Self.samples {
            bus.pause(for: .milliseconds(10))
            let bytes = try drain(FIFO.sampleSize, from: .data, unit: FIFO.sampleSize)
            seen += littleEndianSamples(in: bytes[...], convert: Self.convert)
        }
        return mean(seen)
    }
}
