import Store
import System
import Core

/// The summary of one run.
public struct UploadSummary: Equatable, Sendable {
    /// The reason for the end of the run.
    public enum End: String, CaseIterable, Hashable, Sendable {
        /// All due records were handled.
        case finished
        /// The time limit of a run was reached.
        case deadline
        /// No connection to the server.
        case unreachable
        /// The clock is not synchronised, or leapt: nothing is due, sent or dropped.
        case timeUnknown
        /// The server is on hold: it asked for that, or its answers need a person to act.
        case held
        /// The device is not signed in.
        case signedOut
        /// The server refused the token, in this run or an earlier one.
        case paused
        /// The consent trail is broken, so it is unknown which records may be sent.
        case consentUntrusted
        /// Too many runs began and never reported an end.
        case backingOff
        /// Another run is under way.
        case alreadyRunning
        /// The daemon has not made a store yet.
        case noStore
    }

    public internal(set) var end: End
    public internal(set) var deliveredDays = 0
    public internal(set) var deliveredEvents = 0
    /// Requests to erase that the server confirmed.
    public internal(set) var deliveredErasures = 0
    /// Attempts that reached the server, failed and will be repeated.
    public internal(set) var failed = 0
    public internal(set) var setAside = 0
    /// Records withheld for lack of consent.
    public internal(set) var withheld = 0
    /// Records that became too old.
    public internal(set) var dropped = 0
    /// Records still queued, due or not.
    public internal(set) var waiting = 0
    /// The waiting records that are due and may be delivered by a later run without a person's action; the others are
    /// not due yet, or wait for a person.
    public internal(set) var retrying = 0
    /// Receivers with an outdated announcement.
    public internal(set) var unannounced = 0
    /// The earliest time at which a waiting record or an announcement may be sent; nil if none waits, or if a person
    /// has to act first.
    public internal(set) var nextAttempt: WallTime?
    /// The time for which nothing is sent, because the clock leapt.
    public internal(set) var pause: Interval?

    public init(end: End, waiting: Int = 0) {
        self.end = end
        self.waiting = waiting
    }

    /// Whether another run is needed before a new record arrives. True if another run is under way, which may have
    /// begun before the record that this run was started for.
    public var asksForAnotherRun: Bool {
        end == .alreadyRunning || retrying > 0 || unannounced > 0 || (end == .timeUnknown && waiting > 0)
    }

    /// The wait before another run that could deliver more, at `now`: never shorter than the rule's first retry.
    public func retryWait(_ rule: DeliveryRule, at now: WallTime) -> Interval {
        switch end {
        case .timeUnknown: max(rule.firstRetry, pause ?? .minutes(15))
        case .alreadyRunning: rule.firstRetry
        default: max(rule.firstRetry, nextAttempt.map { $0 - now } ?? .zero)
        }
    }

    mutating func countDelivered(_ record: OutboxRecord) {
        switch record.content {
        case .event: deliveredEvents += 1
        case .erasure: deliveredErasures += 1
        case .day, .unreadable: deliveredDays += 1
        }
    }

    /// One line of JSON for programs.
    public var json: JSONObject {
        var json = JSONObject()
        json.put("kind", "summary")
        json.put("end", end.rawValue)
        json.put("deliveredDays", deliveredDays)
        json.put("deliveredEvents", deliveredEvents)
        json.put("deliveredErasures", deliveredErasures)
        json.put("failed", failed)
        json.put("setAside", setAside)
        json.put("withheld", withheld)
        json.put("dropped", dropped)
        json.put("waiting", waiting)
        json.put("retrying", retrying)
        if unannounced > 0 { json.put("unannounced", unannounced) }
        if let nextAttempt { json.put("nextAttempt", nextAttempt.description) }
        return json
    }
}
