extension MPU6050 {
    /// The facts in which the MPU-6050 and its successors differ.
    struct Model: Sendable {
        /// Capacity of the FIFO in bytes.
        let fifoCapacity: Int
        /// The register of the accelerometer's low-pass filter.
        let filter: Register
        /// A step of the motion threshold, in mg.
        let wakeStep: Int
        /// Settings that other models lack, or have with another value.
        let settings: RegisterValues<Register>
        /// Starts, or stops, the motion detector's comparison from the present sample on; the range must be kept.
        let detecting: @Sendable (FullScale) -> (register: Register, value: UInt8)
        let notDetecting: @Sendable (FullScale) -> (register: Register, value: UInt8)
        /// TEMP_OUT: LSB per °C, and the temperature at zero.
        let thermometer: (countsPerDegree: Float, zero: Float)

        /// Usable samples: a FIFO with room for less than three more counts as overflowed, as in LM.
        var fifoDepth: Int { (fifoCapacity - 3 * FIFO.sampleSize) / FIFO.sampleSize }

        static let mpu6050 = Model(
            // RM 116.
            fifoCapacity: 1024,
            // RM 26.
            filter: .configuration,
            // PS §6.2, intelligence function increment; VM has the same, IM's 2 mg is wrong.
            wakeStep: 32,
            settings: [
                // One sample beyond the threshold is enough: cycle mode takes one per 200 ms.
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
