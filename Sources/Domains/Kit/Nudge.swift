/// A server's request to alert the wearer with a message, in its answer to an event (SPEC §6).
public struct Nudge: Equatable, Sendable {
    /// Raw values are stored; never reuse one.
    public enum Strength: UInt8, Sendable {
        case light = 1
        case strong = 2
    }

    public let strength: Strength
    /// Untrusted text: at most `mostCharacters`, without characters that move a cursor or change the writing direction.
    public let message: String

    public static let mostCharacters = 200

    /// Truncates the message and removes characters that are not text.
    public init(_ strength: Strength, message: String) {
        self.strength = strength
        var kept = String.UnicodeScalarView()
        for scalar in message.unicodeScalars.prefix(Self.mostCharacters * 4) where Self.isText(scalar) {
            guard kept.count < Self.mostCharacters else { break }
            kept.append(scalar)
        }
        self.message = String(kept)
    }

    /// Not a control character, a line or paragraph separator, a direction mark, an invisible mark, private use or
    /// unassigned.
    private static func isText(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F,
            0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xE000...0xF8FF, 0xFDD0...0xFDEF,
            0xFE00...0xFE0F,
            0xFEFF, 0xFFA0, 0xFFF0...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF,
            0xF0000...0x10FFFF:
            false
        default: scalar.value & 0xFFFE != 0xFFFE
        }
    }
}

extension Nudge.Strength: CustomStringConvertible {
    public var description: String { self == .light ? "light" : "strong" }

    public init?(_ name: String) {
        switch name {
        case "light": self = .light
        case "strong": self = .strong
        default: return nil
        }
    }
}
