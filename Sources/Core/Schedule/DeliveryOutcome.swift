/// The reply to one request.
public enum DeliveryReply: Equatable, Sendable {
    /// The server answered, with its `Retry-After` if it gave one.
    case status(Int, retryAfter: Interval?)
    /// A success without a receipt: its body is not JSON, so it comes from a proxy, a portal or another site.
    case noReceipt
    /// The request may have arrived, but no complete answer came: timed out, cut off, or not HTTP at all.
    case unanswered
    /// Nothing of the request was sent: no network, no name, no connection.
    case unreachable
}

/// The outcome of a request, given its reply (SPEC §7).
public enum DeliveryOutcome: Equatable, Sendable {
    /// The server has the payload, which can be deleted.
    case delivered
    /// The record may succeed later, unchanged, under the same idempotency key. Others can be tried meanwhile. `after`
    /// is the shortest wait that the server asked for.
    case retry(Pace, after: Interval? = nil)
    /// All records would fail now. `after` as above.
    case hold(HoldReason, after: Interval?)
    /// Nothing reached the server. It does not count as an attempt, and all other records would fail now too.
    case unreachable
    /// The server does not accept the credentials. Nothing is sent until they change.
    case pausedUntilSignIn
    /// The server will never accept the request. It is set aside until a person or another configuration helps.
    case setAside

    /// How long a record waits after a failure.
    public enum Pace: Equatable, Sendable {
        /// Exponential backoff.
        case usual
        /// The slow end of the backoff.
        case slow
    }

    /// Redirects are not followed, because the request carries a token and the wearer chose the address. Codes that
    /// HTTP does not define are retried.
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

    /// Whether the server rejected this request but may accept others.
    public var isRefusal: Bool {
        switch self {
        case .retry(.slow, _), .pausedUntilSignIn, .setAside: true
        case .hold(let reason, _): reason != .busy
        case .retry(.usual, _), .delivered, .unreachable: false
        }
    }
}

/// The reason for a hold on a server, for all records or for one kind. Raw values are stored; never reuse one.
public enum HoldReason: UInt8, Equatable, Sendable, CaseIterable {
    /// No connection. The hold ends with any sign of a network.
    case unreachable = 1
    /// The server asked for a wait, or is overloaded.
    case busy = 2
    /// The server does not know the address, or redirects.
    case wrongAddress = 3
    /// The server refused several records in one run: the cause is in the server, or on the way there.
    case refuses = 4
    /// The answer is not a receipt, such as a portal's login page.
    case noReceipt = 5
    /// The server refused a request to erase.
    case refusesErasure = 6

    /// Only a person can help, so the wait is at the slow end of the backoff.
    public var isSlow: Bool { self == .wrongAddress || self == .refuses || self == .refusesErasure }
    /// The hold ends by itself. Reasons of this kind count as one: all waiting records are sent when the receiver is
    /// back.
    public var isPassing: Bool { self == .unreachable || self == .busy }
    /// Whether a run started for another reason may ignore this hold.
    public var endsWithAnyRun: Bool { self == .unreachable }
}
