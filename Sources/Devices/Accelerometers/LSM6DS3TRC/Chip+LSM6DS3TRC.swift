import Core

extension Chip {
    /// STMicroelectronics LSM6DS3TR-C; also LSM6DSL and LSM6DSM, with the same identity (LX). The address is 0x6A or
    /// 0x6B, by the pin SA0 (SDO). WHO_AM_I holds 0x6A (ST, LX, AS: see `LSM6DS3TRC`).
    public static let lsm6ds3trc = Chip(
        id: "lsm6ds3trc", name: "LSM6DS3TR-C", addresses: [0x6A, 0x6B],
        identityRegister: (LSM6DS3TRC.Register.whoAmI.rawValue, LSM6DS3TRC.Register.whoAmI.name), identities: [0x6A],
        ranges: LSM6FullScale.allCases.map(\.rawValue), hasStepCounter: true,
        sampling: LSM6.sampling(every: LSM6.samplePeriod, LSM6DS3TRC.fifo),
        slowSampling: LSM6.sampling(every: LSM6.slowSamplePeriod, LSM6DS3TRC.fifo),
        stranger: { LSM6.stranger($0, to: "LSM6DS3TR-C") },
        make: { LSM6DS3TRC(bus: $0, address: $1, fullScale: .init($2), wakeThreshold: $2.wakeThreshold) })
}
