import Core

extension PulseOximeterChip {
    /// Maxim MAX30102; also MAX30101 and MAX30105, with the same identity and registers, whose green LED is not used.
    /// The address is fixed. PART_ID holds 0x15 (LM, SF, RF: see `MAX3010x`).
    public static let max30102 = PulseOximeterChip(
        id: "max30102", name: "MAX30102", addresses: [0x57],
        identityRegister: (MAX3010x.Register.partID.rawValue, MAX3010x.Register.partID.name), identities: [0x15],
        samplePeriod: MAX3010x.samplePeriod, fifoDepth: MAX3010x.FIFO.depth, fullScale: MAX3010x.fullScale,
        stranger: { found in
            found == 0x11
                ? "a MAX30100, which is not supported; fit a MAX30102"
                : "another chip, which is not supported; the MAX30102 has only this address, so move the other chip"
        },
        make: { MAX3010x(bus: $0, address: $1) })
}
