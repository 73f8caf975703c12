import Core

/// A kind of event that is sent to the server at once (SPEC §6). The domain that raises it declares it.
///
/// Two values with the same id are equal.
public struct EventKind: Listed {
    /// From 1 to 254; stored, never reused for another kind.
    public let id: UInt8
    /// The source of the event.
    public let source: Source
    private let name: String
    /// For people, in the question: `that you sat for long`.
    public let meaning: String
    /// The member of the payload for the value; nil for a kind without one.
    public let member: EventMember?

    public init(id: UInt8, name: String, meaning: String, member: EventMember? = nil, source: Source) {
        self.id = id
        self.source = source
        self.name = name
        self.meaning = meaning
        self.member = member
    }
}

/// The member of an event's payload that carries its value.
public struct EventMember: Sendable {
    public enum Content: Equatable, Sendable {
        case number(Int32)
        case text(String)
    }

    public let key: String
    /// For people, in the question: `the minutes that were reached`.
    public let meaning: String
    /// The content sent and shown for a value under these settings; nil for none.
    public let content: @Sendable (Int32, DomainValues) -> Content?

    public init(
        key: String, meaning: String, content: @escaping @Sendable (Int32, DomainValues) -> Content?
    ) {
        self.key = key
        self.meaning = meaning
        self.content = content
    }

    /// The value is a threshold that was crossed, in minutes.
    public static func threshold(_ key: String) -> EventMember {
        EventMember(key: key, meaning: "the minutes that were reached") { value, _ in .number(value) }
    }
}

extension EventKind {
    /// Every kind that a domain raises, in the order of ids.
    public static let all: [EventKind] = Domain.all.flatMap(\.events).sorted { $0.id < $1.id }

    /// The domain whose consent covers it.
    public var domain: Domain {
        for domain in Domain.all where domain.events.contains(self) { return domain }
        preconditionFailure("a kind of event belongs to a domain that Domain.all lists")
    }
}

extension EventKind: CustomStringConvertible {
    /// `eventType` in the request (SPEC §6).
    public var description: String { name }
}

/// An event as it is raised, at a boot time; it gets a date once the time is trusted (SPEC §10).
public struct RaisedEvent: Equatable, Sendable {
    public let kind: EventKind
    public let boot: BootID
    public let at: BootTime
    /// The number for `EventKind.member`; zero for a kind without one.
    public let value: Int32

    public init(kind: EventKind, boot: BootID, at: BootTime, value: Int32) {
        self.kind = kind
        self.boot = boot
        self.at = at
        self.value = value
    }
}

/// An event that is sent to the server at once (SPEC §6): its kind, its time and its value.
public struct NudgeEvent: Equatable, Sendable {
    public let kind: EventKind
    public let at: WallTime
    /// The number for `EventKind.member`; zero for a kind without one.
    public let value: Int32

    public init(kind: EventKind, at: WallTime, value: Int32) {
        self.kind = kind
        self.at = at
        self.value = value
    }
}
