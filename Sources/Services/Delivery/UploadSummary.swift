import Quantities

/// What one run did.
public struct UploadSummary: Hashable, Sendable {
    /// Why the run ended.
    public enum End: String, CaseIterable, Hashable, Sendable {
        /// Everything that was due had its turn.
        case finished
        /// The time for a run was over first.
        case deadline
        /// No connection to the server.
        case unreachable
        /// Nobody has signed in.
        case signedOut
        /// The server refused the token, in this run or an earlier one.
        case paused
        /// The consent trail is broken, so nobody knows what may be sent.
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
    /// Attempts that failed and will be repeated.
    public internal(set) var failed = 0
    public internal(set) var setAside = 0
    /// Records of which nothing may be sent any more.
    public internal(set) var withheld = 0
    /// Records that became too old.
    public internal(set) var dropped = 0
    /// What is still queued, due or not.
    public internal(set) var waiting = 0
    /// What of that is due and may be delivered by a later run without anybody's doing; the rest is not due yet, or waits
    /// for a person.
    public internal(set) var retrying = 0
    /// The earliest time at which anything of that may be sent; nil when nothing waits, or when a person has to act
    /// first.
    public internal(set) var nextAttempt: WallTime?

    public init(end: End) { self.end = end }

    /// Whether there should be another run before something new is to be sent. Beside a run that is under way we cannot
    /// know whether it saw what our bell was rung for.
    public var asksForAnotherRun: Bool { end == .alreadyRunning || retrying > 0 }

    /// One line for programs.
    public var json: JSONObject {
        var json = JSONObject()
        json.put("kind", "summary")
        json.put("end", end.rawValue)
        json.put("deliveredDays", deliveredDays)
        json.put("deliveredEvents", deliveredEvents)
        json.put("failed", failed)
        json.put("setAside", setAside)
        json.put("withheld", withheld)
        json.put("dropped", dropped)
        json.put("waiting", waiting)
        json.put("retrying", retrying)
        if let nextAttempt { json.put("nextAttempt", nextAttempt.description) }
        return json
    }
}
