import Core

/// The number of a sink, which is one way of delivery. From 1 to 255; stored, never reused for another sink.
public typealias SinkID = UInt8

/// The state of one record at one sink or, under `Ledger.wholeRecord`, of the record as a whole. A record without a
/// stored state is queued and was never tried.
public struct DeliveryState: Equatable, Sendable {
    /// Raw values are stored; never reuse one.
    enum Outcome: UInt8 {
        case queued = 0
        /// For a whole record: all its sinks have it.
        case delivered = 1
        /// For a whole record: all its sinks have settled it, and at least one refused it for good.
        case setAside = 2
        case withheld = 3
    }

    var outcome = Outcome.queued
    /// Attempts that ended without delivery, in total and on `attemptDay`.
    public private(set) var attempts = 0
    private var attemptDay: UTCDay?
    private var attemptsOnDay = 0
    /// The time of the first of them.
    var firstFailure: WallTime?
    /// The earliest time of the next attempt; nil before the first attempt.
    public internal(set) var notBefore: WallTime?
    var settledAt: WallTime?
    /// The error of the latest attempt.
    public internal(set) var error: String?
    /// The message handed to the sink, while it may have arrived: no other message may use the key.
    public internal(set) var message: HandedMessage?
    /// Parts of other versions, written back as they were read.
    private var kept = Parts()

    init() {}

    /// Refused, and not retried automatically.
    public var isSetAside: Bool { outcome == .setAside }
    /// Settled in any way.
    public var isSettled: Bool { outcome != .queued }
    /// A request with it was sent, and no answer rejected it.
    public var isUnanswered: Bool { message != nil }

    /// The message is kept only if it may be handed over again.
    mutating func settle(_ outcome: Outcome, at now: WallTime, error: String? = nil) {
        self.outcome = outcome
        self.error = error
        settledAt = now
        if outcome != .setAside { message = nil }
    }

    /// Queues a record that was set aside again, with the same message.
    mutating func queueAgain() {
        outcome = .queued
        settledAt = nil
        notBefore = nil
    }

    mutating func failed(at now: WallTime, notBefore: WallTime?, error: String) {
        attemptsOnDay = attemptsToday(at: now) + 1
        attempts += 1
        firstFailure = firstFailure ?? now
        attemptDay = UTCDay(containing: now)
        self.notBefore = notBefore
        self.error = error
    }

    public func attemptsToday(at now: WallTime) -> Int { attemptDay == UTCDay(containing: now) ? attemptsOnDay : 0 }
}

// MARK: - Storing

extension DeliveryState {
    /// Never reuse a tag.
    private enum Part {
        static let outcome = Parts.Kind(1, version: 1)
        static let attempts = Parts.Kind(2, version: 1)
        static let notBefore = Parts.Kind(3, version: 1)
        static let settledAt = Parts.Kind(4, version: 1)
        static let error = Parts.Kind(5, version: 1)
        static let message = Parts.Kind(6, version: 1)
        static let firstFailure = Parts.Kind(7, version: 1)

        static let all = [outcome, attempts, notBefore, settledAt, error, message, firstFailure]
    }

    var payload: [UInt8] {
        var parts = kept
        parts.put(Part.outcome) { $0.put(outcome.rawValue) }
        if let attemptDay {
            parts.put(Part.attempts) {
                $0.put(UInt32(clamping: attempts))
                $0.put(attemptDay.daysSinceEpoch)
                $0.put(UInt32(clamping: attemptsOnDay))
            }
        }
        parts.put(Part.notBefore, time: notBefore)
        parts.put(Part.settledAt, time: settledAt)
        parts.put(Part.error, text: error)
        if let message { parts.put(Part.message) { message.pack(into: &$0) } }
        parts.put(Part.firstFailure, time: firstFailure)
        return parts.bytes
    }

    init(payload: UnsafeRawBufferPointer) throws(Unpacker.Malformed) {
        let parts = try Parts(Array(payload))
        if var unpacker = try parts[Part.outcome]?.unpacker {
            guard let known = Outcome(rawValue: try unpacker.take()) else { throw Unpacker.Malformed() }
            outcome = known
        }
        if var unpacker = try parts[Part.attempts]?.unpacker {
            attempts = Int(clamping: try unpacker.take(UInt32.self))
            attemptDay = try unpacker.takeDay()
            attemptsOnDay = Int(clamping: try unpacker.take(UInt32.self))
        }
        notBefore = try parts.time(Part.notBefore)
        settledAt = try parts.time(Part.settledAt)
        error = try parts.text(Part.error)
        message = try parts[Part.message].map { part throws(Unpacker.Malformed) in
            try HandedMessage(part.content)
        }
        firstFailure = try parts.time(Part.firstFailure)
        kept = parts.excluding(Part.all)
    }
}
