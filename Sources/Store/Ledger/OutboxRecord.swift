import Domains
import Core

/// A daily record, an event or a request to erase that waits to be sent.
public struct OutboxRecord: Equatable, Sendable {
    /// The number of the row; never reused.
    public typealias ID = Int64

    /// One figure of a daily record, with the consent under which it was collected.
    public struct Value: Hashable, Sendable {
        public let figure: Figure
        public let value: FigureValue
        public let source: Source
        public let consent: ConsentEntry.ID
    }

    /// The content to send.
    public enum Content: Equatable, Sendable {
        /// At least one value, in the order of `Figure`.
        case day(UTCDay, [Value])
        case event(NudgeEvent, consent: ConsentEntry.ID)
        /// To erase data of these domains that left the device up to a time. It needs no consent. An impossibly early
        /// time stands for the time of the first attempt.
        case erasure([Domain], until: WallTime)
        /// The row was changed or moved outside this program: it cannot be sent and should be set aside.
        case unreadable
    }

    /// Records with common waits and holds. Raw values are stored; never reuse one.
    public enum Kind: UInt8, CaseIterable, Sendable {
        case erasure = 1
        case event = 2
        case day = 3
    }

    public let id: ID
    /// The same on every attempt.
    public let key: IdempotencyKey
    public let content: Content
    /// All sinks of the record have settled it, and at least one refused it.
    public let isSetAside: Bool
    /// By sink; empty before the first attempt.
    public let deliveries: [SinkID: DeliveryState]
    /// The state at the sink for which it was read; the initial state if it was read for none.
    public let state: DeliveryState
}

extension OutboxRecord {
    public var kind: Kind { content.kind }

    /// The kind of a daily record in the outbox; an event has the id of its kind.
    static let dayKind: Int64 = 0
    /// No kind of event has this id.
    static let erasureKind: Int64 = 255
}

extension OutboxRecord.Content {
    public var kind: OutboxRecord.Kind {
        switch self {
        case .day, .unreadable: .day
        case .event: .event
        case .erasure: .erasure
        }
    }
}

extension OutboxRecord.Kind {
    /// Of a row of the outbox.
    init(row kind: Int64) {
        self = kind == OutboxRecord.dayKind ? .day : kind == OutboxRecord.erasureKind ? .erasure : .event
    }
}
