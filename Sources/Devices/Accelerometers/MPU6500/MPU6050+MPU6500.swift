extension MPU6050.Model {
    /// The MPU-6500 and all that has its registers. Its sources are LM, VM and P of MPU6050.swift; no register map of its own
    /// could be had.
    static let mpu6500 = MPU6050.Model(
        // Bits 7 and 6 of ACCEL_CONFIG_2 are 0. VM sets 1 there for 1024 bytes, which no other source confirms.
        fifoCapacity: 512,
        filter: .accelerometerConfiguration2,
        // LM, VM.
        wakeStep: 4,
        settings: [
            (.accelerometerConfiguration2, MPU6050.LowPass.hertz10),
            // 4 Hz by LM and P. VM's names make it 5 Hz, which would do as well.
            (.lowPowerRate, 4),
            // All gyroscope axes in standby, all accelerometer axes on. Its upper bits are no rate here.
            (.powerManagement2, 0x07),
        ],
        // Enabled, and each sample is compared with the one before (LM, VM): there is no reference to hold. A movement
        // that is slower than the threshold in 250 ms goes unnoticed.
        detecting: { _ in (.motionDetection, 0xC0) },
        notDetecting: { _ in (.motionDetection, 0x00) },
        // LM alone.
        thermometer: (333.87, 21))
}
