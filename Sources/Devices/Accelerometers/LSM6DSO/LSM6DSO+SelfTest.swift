import Core

extension LSM6DSO: SelfTesting {
    /// CTRL5_C bits 1 and 0: 1 positive, 2 negative (SO alone).
    static var pushes: [UInt8] { [0x01, 0x02] }

    func beginSelfTest() throws(SensorError) {
        try initialise()
        try start()
    }

    var unpushed: (register: Register, value: UInt8) { (.control5, 0) }

    /// From the FIFO: 0.4 s, after another 0.4 s.
    func settledMean() throws(SensorError) -> Acceleration {
        wait(tenthsOfSeconds: 4)
        _ = try drain(.max)
        wait(tenthsOfSeconds: 4)
        return mean(try drain(.max).samples)
    }
}
