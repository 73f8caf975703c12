import Core

extension Chip {
    /// Analog Devices ADXL345. The address is 0x53 with the pin SDO (ALT ADDRESS) low, 0x1D with SDO high (ID). DEVID
    /// holds 0xE5 (LD, ZD, ID: see `ADXL345`). An ADXL375 has the same value, but its samples would read a thirteenth
    /// of their size. Only gravity at rest distinguishes the two.
    public static let adxl345 = Chip(
        id: "adxl345", name: "ADXL345", addresses: [0x53, 0x1D],
        identityRegister: (ADXL345.Register.deviceID.rawValue, ADXL345.Register.deviceID.name), identities: [0xE5],
        ranges: ADXL345.FullScale.allCases.map(\.rawValue),
        sampling: ADXL345.sampling(every: ADXL345.samplePeriod),
        slowSampling: ADXL345.sampling(every: ADXL345.slowSamplePeriod),
        // 49 mg per LSB (LD) instead of 3.9.
        lookalikes: [Lookalike("ADXL375", readsGravityAs: 0.08)],
        stranger: { _ in
            "another chip, which is not supported; move it, or the ADXL345 with its pin SDO, to another address"
        },
        make: { ADXL345(bus: $0, address: $1, fullScale: .init($2), wakeThreshold: $2.wakeThreshold) })
}

extension ADXL345 {
    static func sampling(every period: Interval) -> Sampling {
        Sampling(period: period, fifoDepth: FIFO.depth, startUp: turnOn + period * Int64(unsettledSamples))
    }
}
