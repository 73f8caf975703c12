import Ports
import Quantities

extension LIS3DH: SelfTesting {
    /// CTRL_REG4 bits 2 and 1: 1 positive, 2 negative (SL alone).
    static var pushes: [UInt8] { [0x02, 0x04] }

    /// CTRL_REG1: 100 Hz, all axes (SL, AL).
    private static var testRate: UInt8 { 0x57 }
    private static var samples: Int { 10 }

    func beginSelfTest() throws(SensorError) {
        try initialise()
        try write(Self.testRate, to: .control1)
        try verify(.control1, is: Self.testRate)
    }

    func push(_ bits: UInt8) throws(SensorError) {
        let value = Control4.fine | fullScale.setting | bits
        try write(value, to: .control4)
        try verify(.control4, is: value)
    }

    /// Out of the output registers, for the FIFO is in bypass.
    func settledMean() throws(SensorError) -> Acceleration {
        wait(tenthsOfSeconds: 2)
        var seen: [Acceleration] = []
        for _ in 0..<Self.samples {
            bus.pause(for: .milliseconds(10))
            let bytes = try drain(
                FIFO.sampleSize, from: .output, flags: Self.autoIncrement, unit: FIFO.sampleSize)
            seen += fullScale.samples(in: bytes[...])
        }
        return mean(seen)
    }
}
