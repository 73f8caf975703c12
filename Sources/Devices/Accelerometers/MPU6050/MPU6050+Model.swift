extension MPU6050 {
    /// The facts in which the MPU-6050 and its successors differ.
    struct Model: Sendable {
        /// Bytes that the FIFO holds.
        let fifoCapacity: Int
        /// The register of the accelerometer's low-pass filter.
        let filter: Register
        /// A step of the motion threshold, in thousandths of g.
        let wakeStep: Int
        /// Settings that other models have not, or have with another value.
        let settings: RegisterValues<Register>
        /// Lets the motion detector compare from the present sample on, and the opposite; the range is to be kept.
        let detecting: @Sendable (FullScale) -> (register: Register, value: UInt8)
        let notDetecting: @Sendable (FullScale) -> (register: Register, value: UInt8)
        /// TEMP_OUT: counts for a degree Celsius, and degrees at which it shows 0.
        let thermometer: (countsPerDegree: Float, zero: Float)

        /// Samples that are drained at the latest: a FIFO that lacks less than three counts as overflowed, as in LM.
        var fifoDepth: Int { (fifoCapacity - 3 * FIFO.sampleSize) / FIFO.sampleSize }

        static let mpu6050 = Model(
            // RM 116.
            fifoCapacity: 1024,
            // RM 26.
            filter: .configuration,
            // PS §6.2, intelligence function increment; VM has the same, IM's 2 mg is wrong.
            wakeStep: 32,
            settings: [
                // One sample beyond the threshold is enough: in cycle mode there is one in 200 ms.
                (.motionDuration, 1),
                // LP_WAKE_CTRL 1 (5 Hz, 20 µA), all gyroscope axes in standby, all accelerometer axes on (AM, VM).
                (.powerManagement2, 0x47),
            ],
            detecting: { (.accelerometerConfiguration, $0.setting | HighPass.hold) },
            notDetecting: { (.accelerometerConfiguration, $0.setting | HighPass.reset) },
            // RM 65, §4.18.
            thermometer: (340, 36.53))
    }
}
