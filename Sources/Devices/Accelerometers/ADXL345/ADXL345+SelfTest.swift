import Core

extension ADXL345: SelfTesting {
    /// DATA_FORMAT bit 7 (LD, ID); the chip has only one push.
    static var pushes: [UInt8] { [0x80] }

    /// BW_RATE: 100 Hz at full power, which a valid self-test needs (P alone).
    private static var testRate: UInt8 { 0x0A }

    func beginSelfTest() throws(SensorError) {
        try initialise()
        try apply([(.rate, Self.testRate)])
        try write(Power.measuring, to: .powerControl)
        try verify(.powerControl, is: Power.measuring)
    }

    var unpushed: (register: Register, value: UInt8) { (.dataFormat, fullScale.format) }
}
