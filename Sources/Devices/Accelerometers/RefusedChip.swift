/// A known chip that the agent cannot use.
///
/// The search checks for it only at addresses with an unexpected identity, and only reads.
public struct RefusedChip: Sendable {
    /// Its name for people.
    public let name: String
    /// Its possible addresses on the bus.
    public let addresses: [I2CAddress]
    /// The first of the registers that identify it; it holds `identity`.
    public let identityRegister: UInt8
    public let identity: UInt8
    /// The reason why it cannot be used, as a clause about it.
    public let why: String
    /// The number of registers read, with the first, and whether the others show another chip.
    let lookedAt: Int
    let isAnother: @Sendable (_ registers: [UInt8]) -> Bool

    /// All such chips.
    public static let all: [RefusedChip] = [.bmi270]

    /// Whether it answers at `address`. A failed transfer counts as no answer.
    func answers(at address: I2CAddress, on bus: any I2CBus) -> Bool {
        guard addresses.contains(address) else { return false }
        do throws(BusError) {
            let registers = try bus.read(lookedAt, from: identityRegister, of: address)
            return registers.count == lookedAt && registers[0] == identity && !isAnother(registers)
        } catch {
            return false
        }
    }

    /// The error for this chip at `address`.
    public func refusal(at address: I2CAddress) -> SensorError {
        .refused(chip: name, at: address, why: why, remedy: "fit one of: \(Self.supported)")
    }

    private static var supported: String { Chip.all.map(\.name).joined(separator: ", ") }
}

extension RefusedChip {
    /// Bosch BMI270. It needs an upload of 8 KB of configuration, which the vendor publishes under BSD-3-Clause and
    /// this program does not contain. Address 0x68 or 0x69, and 0x24 in register 0x00 (boschsensortec/BMI270_SensorAPI;
    /// no second source).
    ///
    /// Register 0x00 of a real-time clock at 0x68 counts the seconds in BCD, and holds 0x24 for one second of every
    /// minute. A later read would show a clock, but a driver does not wait. So the next registers are read in the same
    /// transfer, and a complete date and time means a clock. No source states their content in a BMI270. If it ever
    /// forms a time, the BMI270 is reported as an unknown chip. An unknown chip that holds 0x24 there by chance is
    /// taken for a BMI270.
    static let bmi270 = RefusedChip(
        name: "BMI270", addresses: [0x68, 0x69].compactMap { I2CAddress($0) }, identityRegister: 0x00, identity: 0x24,
        why: "it needs Bosch's configuration file, which is not included", lookedAt: ClockTime.size,
        isAnother: ClockTime.isOne)
}

/// The first registers of a DS3231 and its relatives (DS1307, DS1338, DS3232), as in Linux's rtc-ds1307.c, from memory:
/// seconds, minutes, hours, day of the week, date, month and year, in BCD. Clocks with other maps are not recognised.
private enum ClockTime {
    static let size = 7

    static func isOne(_ registers: [UInt8]) -> Bool {
        guard registers.count == size else { return false }
        // Twelve-hour time has bit 6 and, after noon, bit 5; the month has the century in bit 7.
        let isTwelveHour = registers[2] & 0x40 != 0
        let hour: UInt8 = registers[2] & (isTwelveHour ? 0x1F : 0x3F)
        let hours: ClosedRange<UInt8> = isTwelveHour ? 1...12 : 0...23
        let month: UInt8 = registers[5] & 0x7F
        let parts: [(value: UInt8, range: ClosedRange<UInt8>)] = [
            (registers[0], 0...59), (registers[1], 0...59), (hour, hours), (registers[3], 1...7),
            (registers[4], 1...31), (month, 1...12), (registers[6], 0...99),
        ]
        return parts.allSatisfy { isDecimal($0.value, $0.range) }
    }

    private static func isDecimal(_ byte: UInt8, _ range: ClosedRange<UInt8>) -> Bool {
        let (tens, ones) = (byte >> 4, byte & 0x0F)
        return tens <= 9 && ones <= 9 && range.contains(10 * tens + ones)
    }
}
