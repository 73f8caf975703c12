extension Chip {
    /// STMicroelectronics LSM6DSO and LSM6DSOX, which share an identity. The address is 0x6A or 0x6B, by the pin SA0
    /// (SDO). WHO_AM_I holds 0x6C (SO, SX, LX, AS: see `LSM6DSO`). An LSM6DSO32 has the same value and another scale.
    public static let lsm6dso = Chip(
        id: "lsm6dso", name: "LSM6DSO", addresses: [0x6A, 0x6B],
        identityRegister: (LSM6DSO.Register.whoAmI.rawValue, LSM6DSO.Register.whoAmI.name), identities: [0x6C],
        ranges: LSM6FullScale.allCases.map(\.rawValue), hasStepCounter: true,
        sampling: LSM6DSO.sampling(rateSteps: 0),
        slowSampling: LSM6DSO.sampling(rateSteps: 0, every: LSM6.slowSamplePeriod),
        lookalikes: [Lookalike("LSM6DSO32", readsGravityAs: 0.5)],
        stranger: { LSM6.stranger($0, to: "LSM6DSO") },
        make: { LSM6DSO(bus: $0, address: $1, fullScale: .init($2), wakeThreshold: $2.wakeThreshold) })
}
