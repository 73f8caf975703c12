import Core

extension Chip {
    /// InvenSense MPU-6500 (0x70), and the relatives and copies that Linux drives by the same registers: MPU-9250
    /// (0x71), 9255 (0x73), 6515 (0x74), 6880 (0x78), ICM-20689 (0x98) (LM). 0x72 and 0x75 are unnamed copies, seen
    /// with 0x98 on boards sold as GY-521. Their registers are assumed to be the same; the read-back of every setting
    /// and gravity at rest check it. Addresses as for the MPU-6050.
    public static let mpu6500: Chip = Chip(
        id: "mpu6500", aliases: ["mpu9250", "mpu9255"], name: "MPU-6500", addresses: [0x68, 0x69],
        identityRegister: (MPU6050.Register.whoAmI.rawValue, MPU6050.Register.whoAmI.name),
        identities: [0x70, 0x71, 0x73, 0x74, 0x78, 0x98, 0x72, 0x75],
        ranges: MPU6050.FullScale.allCases.map(\.rawValue), sampling: MPU6050.sampling(of: .mpu6500),
        slowSampling: MPU6050.slowSampling(of: .mpu6500),
        stranger: MPU6050.meaning(ofIdentity:),
        make: {
            MPU6050(.mpu6500, .mpu6500, bus: $0, address: $1, fullScale: .init($2), wakeThreshold: $2.wakeThreshold)
        })
}
