import Core

extension Chip {
    /// Bosch BMA400. The address is 0x14 with the pin SDO low, 0x15 with SDO high. CHIP_ID holds 0x90 (BS, LX: see
    /// `BMA400`).
    public static let bma400 = Chip(
        id: "bma400", name: "BMA400", addresses: [0x14, 0x15],
        identityRegister: (BMA400.Register.chipID.rawValue, BMA400.Register.chipID.name), identities: [0x90],
        ranges: BMA400.FullScale.allCases.map(\.rawValue), hasStepCounter: true,
        sampling: BMA400.sampling(every: BMA400.samplePeriod),
        slowSampling: BMA400.sampling(every: BMA400.slowSamplePeriod),
        stranger: { _ in
            "another chip, which is not supported; move it, or the BMA400 with its pin SDO, to another address"
        },
        make: { BMA400(bus: $0, address: $1, fullScale: .init($2), wakeThreshold: $2.wakeThreshold) })
}

extension BMA400 {
    static func sampling(every period: Interval) -> Sampling {
        Sampling(period: period, fifoDepth: FIFO.depth, startUp: period * Int64(unsettledSamples))
    }
}
