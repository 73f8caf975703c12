extension GaugeChip {
    /// Bosch BMP280 and BME280, which has the same registers for pressure and temperature. The address is 0x76 with the
    /// pin SDO low, 0x77 with SDO high. The identity is 0x58 or 0x60 (BS, LX: see `BMP280`).
    static let bmp280 = GaugeChip(
        id: "bmp280", name: "BMP280", addresses: [0x76, 0x77],
        identityRegister: (BMP280.Register.identity.rawValue, BMP280.Register.identity.name),
        identities: [0x58, 0x60],
        stranger: { found in
            // LX.
            found == 0x55 ? "a BMP180, which is not supported" : "another chip, which is not supported"
        },
        make: { BMP280(bus: $0, address: $1) })
}
