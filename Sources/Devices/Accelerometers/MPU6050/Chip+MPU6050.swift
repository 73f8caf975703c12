import Core

extension Chip {
    /// InvenSense MPU-6050, 6000 and 9150, which share an identity. The address is 0x68 with the pin AD0 low, 0x69 with
    /// AD0 high (PS, "I²C interface"). WHO_AM_I holds 0x68 at either level of AD0 (RM 117).
    public static let mpu6050: Chip = Chip(
        id: "mpu6050", name: "MPU-6050", addresses: [0x68, 0x69],
        identityRegister: (MPU6050.Register.whoAmI.rawValue, MPU6050.Register.whoAmI.name), identities: [0x68],
        ranges: MPU6050.FullScale.allCases.map(\.rawValue), sampling: MPU6050.sampling(of: .mpu6050),
        slowSampling: MPU6050.slowSampling(of: .mpu6050),
        stranger: MPU6050.meaning(ofIdentity:),
        make: { MPU6050(bus: $0, address: $1, fullScale: .init($2), wakeThreshold: $2.wakeThreshold) })
}

extension MPU6050 {
    static func sampling(of model: Model) -> Sampling { sampling(of: model, every: samplePeriod) }

    static func slowSampling(of model: Model) -> Sampling { sampling(of: model, every: slowSamplePeriod) }

    private static func sampling(of model: Model, every period: Interval) -> Sampling {
        Sampling(
            period: period, fifoDepth: model.fifoDepth, startUp: wakeTime + period * Int64(unsettledSamples),
            setUp: resetTime + wakeTime)
    }

    /// The meaning of an identity at an address of this family, as a clause with its remedy.
    @Sendable static func meaning(ofIdentity found: UInt8) -> String {
        switch found {
        case 0x68: "an MPU-6050; set sensor = mpu6050 or auto in [imu]"
        case let other where Chip.mpu6500.identities.contains(other):
            "an MPU-6500 or a chip with its registers; set sensor = mpu6500 or auto in [imu]"
        default:
            "another chip; clocks such as DS3231 also live at 0x68: "
                + "tie the accelerometer's AD0 high and use address 0x69"
        }
    }
}
