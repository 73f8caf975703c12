import Core

extension LIS3DH: SelfTesting {
    /// CTRL_REG4 bits 2 and 1: 1 positive, 2 negative (SL alone).
    static var pushes: [UInt8] { [0x02, 0x04] }

    /// CTRL_REG1: 100 Hz, all axes (SL, AL).
    private static var testRate: UInt8 { 0x57 }

    func beginSelfTest() throws(SensorError) {
        try initialise()
        try write(Self.testRate, to: .control1)
        try verify(.control1, is: Self.testRate)
    }

    var unpushed: (register: Register, value: UInt8) { (.control4, Control4.fine | fullScale.setting) }
}
