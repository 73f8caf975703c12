import Core

extension Chip {
    /// STMicroelectronics LIS3DH; also LIS2DH, LIS2DH12 and the accelerometers of LSM303DLHC and LSM303AGR, with the
    /// same identity and registers. The address is 0x18 with the pin SA0 (SDO) low, 0x19 with SA0 high. WHO_AM_I holds
    /// 0x33 (SL, LA, ZL: see `LIS3DH`).
    public static let lis3dh = Chip(
        id: "lis3dh", aliases: ["lis2dh12"], name: "LIS3DH", addresses: [0x18, 0x19],
        identityRegister: (LIS3DH.Register.whoAmI.rawValue, LIS3DH.Register.whoAmI.name), identities: [0x33],
        ranges: LIS3DH.FullScale.allCases.map(\.rawValue),
        sampling: LIS3DH.sampling(every: LIS3DH.samplePeriod),
        slowSampling: LIS3DH.sampling(every: LIS3DH.slowSamplePeriod),
        stranger: { _ in
            "another chip, which is not supported; move it, or the LIS3DH with its pin SA0, to another address"
        },
        make: { LIS3DH(bus: $0, address: $1, fullScale: .init($2), wakeThreshold: $2.wakeThreshold) })
}

extension LIS3DH {
    static func sampling(every period: Interval) -> Sampling {
        Sampling(period: period, fifoDepth: FIFO.depth, startUp: period * Int64(unsettledSamples))
    }
}
