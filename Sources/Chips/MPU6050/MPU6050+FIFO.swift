import Ports

/// Taking samples out of the FIFO.
extension MPU6050 {
    /// What one look at the FIFO gave.
    struct Burst {
        /// Samples that it held, and those of them that were taken out.
        let held: Int
        let taken: Int
        /// Of the samples taken.
        let bytes: ArraySlice<UInt8>
    }

    /// Bytes of the count and so many samples.
    static func burst(of samples: Int) -> Int { 2 + samples * FIFO.sampleSize }

    /// Takes so many samples in one read that begins at the count and goes on at the FIFO's port, behind it: no delay between the two
    /// can let the FIFO run over.
    ///
    /// Beyond what it held the chip gives the last byte again (RM 116), unless a sample came meanwhile and was torn out with
    /// the rest. Then the FIFO starts afresh.
    func takeWithCount(_ wanted: Int) throws(SensorError) -> Burst {
        let bytes = try read(Self.burst(of: wanted), from: .fifoCount)
        let (held, ragged) = (Int(bytes[0]) << 8 | Int(bytes[1])).quotientAndRemainder(dividingBy: FIFO.sampleSize)
        guard held <= model.fifoDepth else { throw try startOver() }
        let taken = min(wanted, held)
        let surplus = bytes[Self.burst(of: taken)...]
        if taken < wanted || ragged > 0 {
            let isTorn = surplus.contains { $0 != surplus.first }
            guard !isTorn, try samplesWaiting() != nil else { throw try startOver() }
        }
        return Burst(held: held, taken: taken, bytes: bytes[2..<Self.burst(of: taken)])
    }

    /// Takes samples in a read of its own, at most `most` beyond those that are not settled.
    func countAndTake(_ unsettled: Int, _ most: Int) throws(SensorError) -> Burst {
        guard let held = try samplesWaiting() else { throw try startOver() }
        let count = min(most, held - unsettled)
        guard count > 0 else { return Burst(held: held, taken: 0, bytes: []) }
        let taken = unsettled + count
        let bytes = try drain(taken * FIFO.sampleSize, from: .fifoData)
        // A FIFO that ran over during a delay before the burst has this much left.
        guard let left = try samplesWaiting(), taken + left <= model.fifoDepth else { throw try startOver() }
        return Burst(held: taken + left, taken: taken, bytes: bytes[...])
    }

    /// Reads all on which samples depend, and the temperature, in one go from SMPLRT_DIV to TEMP_OUT. Of the registers between
    /// them only INT_STATUS is changed by a read, and nothing waits for it while the FIFO fills.
    func verifyFilling() throws(SensorError) {
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

    /// A chip at another rate, as when its filter was not set back, would run over again and again.
    private func startOver() throws(SensorError) -> SensorError {
        try verifyFilling()
        try write(UserControl.off, to: .userControl)
        try fillFromEmpty()
        state = .filling(unsettled: 0)
        return .overrun(place(of: .fifoCount))
    }

    /// Whole samples in the FIFO; nil when it has overflowed, or is about to.
    ///
    /// A FIFO that overflowed is full, and its size is not a multiple of a sample's six bytes: its content no longer begins
    /// with a sample. A count that is ragged only once was read while a sample was being stored.
    private func samplesWaiting() throws(SensorError) -> Int? {
        for _ in 0..<2 {
            let count = try read(2, from: .fifoCount)
            let bytes = Int(count[0]) << 8 | Int(count[1])
            guard bytes % FIFO.sampleSize == 0 else { continue }
            return bytes / FIFO.sampleSize <= model.fifoDepth ? bytes / FIFO.sampleSize : nil
        }
        return nil
    }
}
