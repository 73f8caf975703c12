import Core

/// A nudge, and its outcome.
public struct KeptNudge: Equatable, Sendable {
    /// Raw values are stored; never reuse one.
    public enum Outcome: UInt8, Sendable {
        case waiting = 1
        case played = 2
        case quietHours = 3
        /// The domain is off, or its device missing.
        case alarmOff = 4
        /// It came too late to be of use.
        case expired = 5
        /// The line could not be switched.
        case failed = 6
    }

    public let nudge: Nudge
    /// The outbox record that it answers.
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
    /// A nudge that has waited longer is not played.
    public static let playedWithin = Interval.minutes(10)

    public init() {}

    /// Keeps a nudge, once for each record.
    public mutating func add(_ nudge: Nudge, answering record: Int64, at time: WallTime) {
        guard !nudges.contains(where: { $0.record == record }) else { return }
        drop(before: time - Self.keptFor)
        nudges = nudges.suffix(Self.mostNudges - 1) + [KeptNudge(nudge: nudge, record: record, at: time)]
    }

    public mutating func drop(before time: WallTime) { nudges.removeAll { $0.at < time } }

    /// The first waiting nudge.
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

extension Nudge.Strength {
    public var pattern: AlarmPattern { self == .light ? .light : .strong }
}
