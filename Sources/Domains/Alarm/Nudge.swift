import Quantities

/// What a server asks the wearer to feel and to read, in its answer to an event (SPEC §6).
public struct Nudge: Equatable, Sendable {
    /// Raw values are stored; never reuse one.
    public enum Strength: UInt8, Sendable {
        case light = 1
        case strong = 2

        public var pattern: AlarmPattern { self == .light ? .light : .strong }
    }

    public let strength: Strength
    /// Of a stranger: at most `mostCharacters`, without anything that moves a cursor or turns the direction of writing.
    public let message: String

    public static let mostCharacters = 200

    /// Cuts what is too long, and leaves out what is no text.
    public init(_ strength: Strength, message: String) {
        self.strength = strength
        var kept = String.UnicodeScalarView()
        for scalar in message.unicodeScalars.prefix(Self.mostCharacters * 4) where Self.isText(scalar) {
            guard kept.count < Self.mostCharacters else { break }
            kept.append(scalar)
        }
        self.message = String(kept)
    }

    /// Not a control, a line or paragraph separator, a direction of writing, an invisible mark, for private use, or no character.
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

/// A nudge, and what became of it.
public struct KeptNudge: Equatable, Sendable {
    /// Raw values are stored; never reuse one.
    public enum Outcome: UInt8, Sendable {
        case waiting = 1
        case played = 2
        case quietHours = 3
        /// The domain is off, or its device away.
        case alarmOff = 4
        /// It came too late to be of use.
        case expired = 5
        /// The line could not be switched.
        case failed = 6
    }

    public let nudge: Nudge
    /// The record of the outbox that it is the answer to.
    public let record: Int64
    public let at: WallTime
    public internal(set) var outcome = Outcome.waiting
}

extension KeptNudge.Outcome: CustomStringConvertible {
    /// For people.
    public var description: String {
        switch self {
        case .waiting: "waiting"
        case .played: "played"
        case .quietHours: "not played: quiet hours"
        case .alarmOff: "not played: alarm is off"
        case .expired: "not played: it came too late"
        case .failed: "not played: the line could not be switched"
        }
    }
}

/// The nudges of the last days, oldest first.
public struct NudgeBook: BookRow {
    public static let book = Book.nudges
    public private(set) var nudges: [KeptNudge] = []
    private var kept = Parts()

    public static let keptFor = Interval.days(7)
    static let mostNudges = 20
    /// A nudge that has waited for longer is not played.
    public static let playedWithin = Interval.minutes(10)

    public init() {}

    /// Keeps a nudge, once for each record.
    public mutating func add(_ nudge: Nudge, answering record: Int64, at time: WallTime) {
        guard !nudges.contains(where: { $0.record == record }) else { return }
        drop(before: time - Self.keptFor)
        nudges = nudges.suffix(Self.mostNudges - 1) + [KeptNudge(nudge: nudge, record: record, at: time)]
    }

    public mutating func drop(before time: WallTime) { nudges.removeAll { $0.at < time } }

    /// The first that waits.
    public var waiting: KeptNudge? { nudges.first { $0.outcome == .waiting } }

    public mutating func settle(_ record: Int64, _ outcome: KeptNudge.Outcome) {
        for index in nudges.indices where nudges[index].record == record { nudges[index].outcome = outcome }
    }

    public var tallies: [BookTally] { [BookTally("nudge", nudges.count)] }

    private static let list = Parts.Kind(1, version: 1)

    public var bytes: [UInt8] {
        var parts = kept
        parts.put(Self.list, each: nudges) { $0.pack(into: &$1) }
        return parts.bytes
    }

    public static func newerPart(of bytes: [UInt8]) -> Parts.Newer? { Parts.firstNewer(in: bytes, than: [list]) }

    public init(_ bytes: [UInt8]) throws(Unpacker.Malformed) {
        let parts = try Parts(bytes)
        nudges = try parts.list(Self.list, atMost: Self.mostNudges) { unpacker throws(Unpacker.Malformed) in
            try KeptNudge(from: &unpacker)
        }
        kept = parts.excluding([Self.list])
    }
}

extension KeptNudge {
    func pack(into packer: inout Packer) {
        let text = Array(nudge.message.utf8)
        packer.put(nudge.strength.rawValue)
        packer.put(record)
        packer.put(at.nanoseconds)
        packer.put(outcome.rawValue)
        packer.put(UInt16(text.count))
        packer.put(text[...])
    }

    init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        let strength = Nudge.Strength(rawValue: try unpacker.take())
        record = try unpacker.take()
        at = try unpacker.takeWallTime()
        let outcome = Outcome(rawValue: try unpacker.take())
        let text = try unpacker.takeBytes(Int(try unpacker.take(UInt16.self)))
        guard let strength, let outcome else { throw Unpacker.Malformed() }
        nudge = Nudge(strength, message: String(decoding: text, as: UTF8.self))
        self.outcome = outcome
    }
}
