extension GaugeChip {
    /// Bosch BMP388 and BMP390, which has the same registers. The address is 0x76 with the pin SDO low, 0x77 with SDO
    /// high. The identity is 0x50 (BS, LX: see `BMP388`) or 0x60 (BS).
    static let bmp388 = GaugeChip(
        id: "bmp388", name: "BMP388", addresses: [0x76, 0x77],
        identityRegister: (BMP388.Register.identity.rawValue, BMP388.Register.identity.name),
        identities: [0x50, 0x60], stranger: { _ in "another chip, which is not supported" },
        make: { BMP388(bus: $0, address: $1) })
}
