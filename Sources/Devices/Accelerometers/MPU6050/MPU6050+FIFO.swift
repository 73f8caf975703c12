import Core

/// Reading of the FIFO.
extension MPU6050 {
    /// An overflowed FIFO is full. Its size is not a multiple of a sample's six bytes, so its content no longer begins
    /// with a sample.
    var fullFIFO: Int { model.fifoDepth + 1 }

    /// Bytes of the count and this many samples.
    static func burst(of samples: Int) -> Int { 2 + samples * FIFO.sampleSize }

    /// Takes `wanted` samples in one read, which begins at the count and continues at the FIFO's port. So no delay
    /// between the two can overflow the FIFO.
    ///
    /// Beyond its content the chip repeats the last byte (RM 116), unless a sample arrived meanwhile and was partly
    /// read. Then the FIFO is restarted.
    ///
    /// - Returns: The number of samples held, and the bytes of the samples taken.
    func takeWithCount(_ wanted: Int) throws(SensorError) -> (held: Int, bytes: ArraySlice<UInt8>) {
        let bytes = try read(Self.burst(of: wanted), from: .fifoCount)
        let (held, ragged) = (Int(bytes[0]) << 8 | Int(bytes[1])).quotientAndRemainder(dividingBy: FIFO.sampleSize)
        guard held <= model.fifoDepth else { throw try startOver() }
        let taken = min(wanted, held)
        let surplus = bytes[Self.burst(of: taken)...]
        if taken < wanted || ragged > 0 {
            let isTorn = surplus.contains { $0 != surplus.first }
            guard !isTorn, try samplesHeld() != nil else { throw try startOver() }
        }
        return (held, bytes[2..<Self.burst(of: taken)])
    }

    func take(_ samples: Int) throws(SensorError) -> [UInt8] { try drain(samples * FIFO.sampleSize, from: .fifoData) }

    func settled(_ bytes: ArraySlice<UInt8>, after unsettled: Int) -> [Acceleration] {
        fullScale.samples(in: bytes.dropFirst(unsettled * FIFO.sampleSize))
    }

    func verifyFilling(isEmpty: Bool) throws(SensorError) {
        try verifySettings()
        guard isEmpty else { return }
        try verify(.userControl, is: UserControl.fifoOn)
        try verify(.powerManagement1, is: PowerManagement1.awake)
    }

    /// Reads all settings that samples depend on, and the temperature, in one read from SMPLRT_DIV to TEMP_OUT. The
    /// read changes only INT_STATUS, which is not used while the FIFO fills.
    private func verifySettings() throws(SensorError) {
        let first = Register.sampleRateDivider
        let count = Int(Register.temperature.rawValue - first.rawValue) + 2
        let bytes = try read(count, from: first)
        let expected: RegisterValues<Register> = [
            (.fifoEnable, FIFO.acceleration), (.sampleRateDivider, rate.divider), (model.filter, rate.lowPass),
            (.accelerometerConfiguration, fullScale.setting | HighPass.reset),
        ]
        for (register, value) in expected {
            try check(register, holds: value, found: bytes[Int(register.rawValue - first.rawValue)])
        }
        temperatureBytes = Array(bytes.suffix(2))
    }

    /// Settings are checked first: with a wrong rate or filter the FIFO would overflow again and again.
    func startOver() throws(SensorError) -> SensorError {
        try verifySettings()
        try write(UserControl.off, to: .userControl)
        try fillFromEmpty()
        state = .filling(unsettled: 0)
        return .overrun(place(of: .fifoCount))
    }

    /// A partial sample in only one of two counts was just being stored.
    func samplesHeld() throws(SensorError) -> Int? {
        for _ in 0..<2 {
            let count = try read(2, from: .fifoCount)
            let bytes = Int(count[0]) << 8 | Int(count[1])
            guard bytes % FIFO.sampleSize == 0 else { continue }
            return bytes / FIFO.sampleSize <= model.fifoDepth ? bytes / FIFO.sampleSize : nil
        }
        return nil
    }
}
