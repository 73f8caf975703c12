import Core

/// The facts about a model of chip by which it is found on a bus.
public protocol BusChip: Equatable, Sendable {
    /// Its name in the configuration, in small letters and digits: `mpu6050`.
    var id: String { get }
    /// Its name for people: `MPU-6050`.
    var name: String { get }
    /// Its possible addresses on the bus, in the order of the search.
    var addresses: [I2CAddress] { get }
    /// The identity register and its values: the chip's own first, then those of relatives and copies with the same
    /// registers.
    var identityRegister: ChipRegister { get }
    var identities: [UInt8] { get }
    /// The meaning of another value of the identity register and the remedy, as a clause. Values of all zeros or all
    /// ones are reported elsewhere.
    var stranger: @Sendable (_ found: UInt8) -> String { get }
    /// Known chips that are no substitute, to be named instead of an unknown chip.
    static var refused: [RefusedChip] { get }
}

extension BusChip {
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

    /// The error for a value of the identity register; nil if the value is one of the chip's.
    public func complaint(about found: UInt8) -> SensorError? {
        guard !identities.contains(found) else { return nil }
        return .wrongIdentity(found: found, expected: identities[0], at: identityRegister, meaning: stranger(found))
    }
}

/// A register, with its name from the chip's register map.
public struct ChipRegister: Hashable, Sendable {
    /// The chip's name for people.
    public let chip: String
    public let name: String
    public let number: UInt8
    /// Earlier registers of the same transfer: a bus error may belong to any of them.
    public let before: [ChipRegister]

    public init(chip: String, _ name: String, _ number: UInt8, before: [ChipRegister] = []) {
        self.chip = chip
        self.name = name
        self.number = number
        self.before = before
    }
}

extension ChipRegister: CustomStringConvertible {
    /// Such as `FIFO_R_W (0x74)`; with earlier registers `CONFIG (0x1A), USER_CTRL (0x6A) or FIFO_COUNTH (0x72)`.
    public var description: String {
        var text = ""
        for (index, register) in before.enumerated() {
            text += "\(register)\(index + 1 < before.count ? ", " : " or ")"
        }
        return text + "\(name) (\(hexadecimal(number)))"
    }
}
