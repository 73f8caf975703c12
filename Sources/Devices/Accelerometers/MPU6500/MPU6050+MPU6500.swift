extension MPU6050.Model {
    /// The MPU-6500 and chips with its registers. Sources are LM, VM and P of MPU6050.swift; its own register map was
    /// not available.
    static let mpu6500 = MPU6050.Model(
        // Bits 7 and 6 of ACCEL_CONFIG_2 are 0. VM sets 1 there for 1024 bytes, which no other source confirms.
        fifoCapacity: 512,
        filter: .accelerometerConfiguration2,
        // LM, VM.
        wakeStep: 4,
        settings: [
            (.accelerometerConfiguration2, MPU6050.LowPass.hertz10),
            // 4 Hz by LM and P; 5 Hz by VM's names, which would do as well.
            (.lowPowerRate, 4),
            // All gyroscope axes in standby, all accelerometer axes on. The upper bits are not a rate here.
            (.powerManagement2, 0x07),
        ],
        // Enabled. Each sample is compared with the previous one (LM, VM), so there is no reference to hold. A change
        // of less than the threshold in 250 ms is not detected.
        detecting: { _ in (.motionDetection, 0xC0) },
        notDetecting: { _ in (.motionDetection, 0x00) },
        // LM alone.
        thermometer: (333.87, 21))
}
