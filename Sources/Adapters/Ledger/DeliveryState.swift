import Quantities

/// The number of a sink, which is one way to deliver. From 1 to 255; stored, so one is never used again for another sink.
public typealias SinkID = UInt8

/// The state of one record at one sink or, under `Ledger.wholeRecord`, of the record as a whole. A record without a stored state
/// is queued and was never tried.
struct DeliveryState: Equatable, Sendable {
    /// Raw values are stored; never reuse one.
    enum Outcome: UInt8 {
        case queued = 0
        /// Of a whole record: every sink that was to get it has it.
        case delivered = 1
        /// Of a whole record: every sink has settled it, and at least one never takes it.
        case setAside = 2
        case withheld = 3
    }

    var outcome = Outcome.queued
    /// Attempts that ended without delivery, in all and on `attemptDay`.
    var attempts: UInt32 = 0
    var attemptDay: UTCDay?
    var attemptsOnDay: UInt32 = 0
    var notBefore: WallTime?
    var settledAt: WallTime?
    var error: String?
    /// The parts that only another version knows. They are written back as they were read.
    private var kept = Parts()

    init() {}

    mutating func settle(_ outcome: Outcome, at now: WallTime, error: String? = nil) {
        self.outcome = outcome
        self.error = error
        settledAt = now
    }

    mutating func failed(at now: WallTime, notBefore: WallTime, error: String) {
        let today = UTCDay(containing: now)
        attemptsOnDay = attemptsToday(at: now) &+ 1
        attempts &+= 1
        attemptDay = today
        self.notBefore = notBefore
        self.error = error
    }

    func attemptsToday(at now: WallTime) -> UInt32 { attemptDay == UTCDay(containing: now) ? attemptsOnDay : 0 }
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

        static let all = [outcome, attempts, notBefore, settledAt, error]
    }

    var payload: [UInt8] {
        var parts = kept
        parts.put(Part.outcome) { $0.put(outcome.rawValue) }
        if let attemptDay {
            parts.put(Part.attempts) {
                $0.put(attempts)
                $0.put(attemptDay.daysSinceEpoch)
                $0.put(attemptsOnDay)
            }
        }
        parts.put(Part.notBefore, time: notBefore)
        parts.put(Part.settledAt, time: settledAt)
        parts.put(Part.error, text: error)
        return parts.bytes
    }

    /// Nil for bytes that are no state of this version.
    init?(payload: UnsafeRawBufferPointer) {
        do throws(Unpacker.Malformed) {
            let parts = try Parts(Array(payload))
            if var unpacker = try parts[Part.outcome]?.unpacker {
                guard let known = Outcome(rawValue: try unpacker.take()) else { return nil }
                outcome = known
            }
            if var unpacker = try parts[Part.attempts]?.unpacker {
                attempts = try unpacker.take()
                attemptDay = try unpacker.takeDay()
                attemptsOnDay = try unpacker.take()
            }
            notBefore = try parts.time(Part.notBefore)
            settledAt = try parts.time(Part.settledAt)
            error = try parts.text(Part.error)
            kept = parts.excluding(Part.all)
        } catch {
            return nil
        }
    }
}

/// The log of one sink or, under `Ledger.wholeRecord`, of the runs of the sender.
struct DeliveryLog: Equatable, Sendable {
    var lastAttempt: WallTime?
    var lastSuccess: WallTime?
    var lastError: String?
    var lastErrorAt: WallTime?
    /// The fingerprint of the credentials that were refused; nil when none were.
    var pausedFor: [UInt8]?
    var runBegan: WallTime?
    var unfinishedRuns: UInt32 = 0
    var dropped: UInt32 = 0
    /// As in `DeliveryState`.
    private var kept = Parts()

    init() {}

    mutating func failed(_ error: String, at now: WallTime) {
        lastAttempt = now
        lastError = error
        lastErrorAt = now
    }
}

extension DeliveryLog {
    /// Never reuse a tag.
    private enum Part {
        static let lastAttempt = Parts.Kind(1, version: 1)
        static let lastSuccess = Parts.Kind(2, version: 1)
        static let lastError = Parts.Kind(3, version: 1)
        static let lastErrorAt = Parts.Kind(4, version: 1)
        static let pausedFor = Parts.Kind(5, version: 1)
        static let runBegan = Parts.Kind(6, version: 1)
        static let counts = Parts.Kind(7, version: 1)

        static let all = [lastAttempt, lastSuccess, lastError, lastErrorAt, pausedFor, runBegan, counts]
    }

    var payload: [UInt8] {
        var parts = kept
        parts.put(Part.lastAttempt, time: lastAttempt)
        parts.put(Part.lastSuccess, time: lastSuccess)
        parts.put(Part.lastError, text: lastError)
        parts.put(Part.lastErrorAt, time: lastErrorAt)
        if let pausedFor { parts.put(Part.pausedFor, pausedFor) }
        parts.put(Part.runBegan, time: runBegan)
        parts.put(Part.counts) {
            $0.put(unfinishedRuns)
            $0.put(dropped)
        }
        return parts.bytes
    }

    /// Nil for bytes that are no log of this version.
    init?(payload: UnsafeRawBufferPointer) {
        do throws(Unpacker.Malformed) {
            let parts = try Parts(Array(payload))
            lastAttempt = try parts.time(Part.lastAttempt)
            lastSuccess = try parts.time(Part.lastSuccess)
            lastError = try parts.text(Part.lastError)
            lastErrorAt = try parts.time(Part.lastErrorAt)
            pausedFor = try parts[Part.pausedFor].map { Array($0.content) }
            runBegan = try parts.time(Part.runBegan)
            if var unpacker = try parts[Part.counts]?.unpacker {
                unfinishedRuns = try unpacker.take()
                dropped = try unpacker.take()
            }
            kept = parts.excluding(Part.all)
        } catch {
            return nil
        }
    }
}

extension Parts {
    fileprivate mutating func put(_ kind: Kind, time: WallTime?) {
        if let time { put(kind) { $0.put(time.nanoseconds) } }
    }

    fileprivate mutating func put(_ kind: Kind, text: String?) {
        if let text { put(kind, Array(text.utf8)) }
    }

    /// Nil where there is none. A time outside of 1970 to 2116, which no clock shows, is malformed: callers calculate with it.
    fileprivate func time(_ kind: Kind) throws(Unpacker.Malformed) -> WallTime? {
        guard var unpacker = try self[kind]?.unpacker else { return nil }
        let nanoseconds: Int64 = try unpacker.take()
        guard (0...1 << 62).contains(nanoseconds) else { throw Unpacker.Malformed() }
        return WallTime(nanoseconds: nanoseconds)
    }

    fileprivate func text(_ kind: Kind) throws(Unpacker.Malformed) -> String? {
        try self[kind].map { String(decoding: $0.content, as: UTF8.self) }
    }
}
