/// The reply to one request.
public enum DeliveryReply: Equatable, Sendable {
    /// The server answered, with its `Retry-After` if it gave one.
    case status(Int, retryAfter: Interval?)
    /// A success that is no receipt: its body is not JSON, so it comes from a proxy, a portal or another site.
    case noReceipt
    /// The request may have arrived, and no complete answer came: timed out, cut off, or not HTTP at all.
    case unanswered
    /// Nothing of the request was sent: no network, no name, no connection.
    case unreachable
}

/// The outcome of a request, given its reply (SPEC §7).
public enum DeliveryOutcome: Equatable, Sendable {
    /// The server has the payload, which can be deleted.
    case delivered
    /// The record may succeed later, unchanged, under the same idempotency key. Others can be tried meanwhile. `after` is the shortest
    /// wait that the server asked for.
    case retry(Pace, after: Interval? = nil)
    /// No record would fare better now. `after` as above.
    case hold(HoldReason, after: Interval?)
    /// Nothing reached the server. That is no attempt, and no other record would fare better now.
    case unreachable
    /// The server does not accept the credentials. Nothing is sent until there are others.
    case pausedUntilSignIn
    /// The server will never accept the request. It is kept aside until a person or another configuration helps.
    case setAside

    /// How long a record waits after a failure.
    public enum Pace: Equatable, Sendable {
        /// Exponential backoff.
        case usual
        /// The slow end of the backoff.
        case slow
    }

    /// Redirects are not followed, because the request carries a token and the address is the wearer's choice. Codes
    /// that HTTP does not define are retried.
    public init(_ reply: DeliveryReply) {
        switch reply {
        case .status(let code, let retryAfter): self.init(status: code, retryAfter: retryAfter)
        case .noReceipt: self = .hold(.noReceipt, after: nil)
        case .unanswered: self = .retry(.usual)
        case .unreachable: self = .unreachable
        }
    }

    private init(status: Int, retryAfter: Interval?) {
        switch status {
        case 200...299: self = .delivered
        case 300...399, 404, 405, 407: self = .hold(.wrongAddress, after: retryAfter)
        case 401: self = .pausedUntilSignIn
        case 403: self = .retry(.slow)
        case 429: self = .hold(.busy, after: retryAfter)
        case 408, 425: self = .retry(.usual, after: retryAfter)
        case 400...499: self = .setAside
        default: self = .retry(.usual, after: retryAfter)
        }
    }

    /// Whether the server does not want the request, where it might still want others.
    public var isRefusal: Bool {
        switch self {
        case .retry(.slow, _), .pausedUntilSignIn, .setAside: true
        case .hold(let reason, _): reason != .busy
        case .retry(.usual, _), .delivered, .unreachable: false
        }
    }
}

/// The reason for leaving a server alone for a while, with everything or with one kind of record. Raw values are stored; never reuse one.
public enum HoldReason: UInt8, Equatable, Sendable, CaseIterable {
    /// No connection. It ends with any sign that there is a network.
    case unreachable = 1
    /// It asked for a wait, or has too much to do.
    case busy = 2
    /// It answers as one that does not know the address, or points elsewhere.
    case wrongAddress = 3
    /// It refused several records in one run: the cause is in the server, or on the way there.
    case refuses = 4
    /// It answered with something that is no receipt, such as a portal's login page.
    case noReceipt = 5
    /// It does not erase what it is asked to.
    case refusesErasure = 6

    /// Only a person can help, so the wait is at the slow end of the backoff.
    public var isSlow: Bool { self == .wrongAddress || self == .refuses || self == .refusesErasure }
    /// It is over by itself. A receiver that comes back is met by all that waited for it, so reasons of this kind count as one.
    public var isPassing: Bool { self == .unreachable || self == .busy }
    /// Whether a run started for another reason may ignore this hold.
    public var endsWithAnyRun: Bool { self == .unreachable }
}
