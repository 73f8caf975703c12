import Quantities

/// The reply to one request.
public enum DeliveryReply: Equatable, Sendable {
    /// The server answered, with its `Retry-After` if it gave one.
    case status(Int, retryAfter: Interval?)
    /// A success whose body is a web page: the answer of a proxy, a portal or a wrong address, not of the service.
    case webPage
    /// No complete answer: no network, refused, timed out, cut off, or not HTTP at all.
    case none
}

/// The outcome of a request, given its reply (SPEC §7).
public enum DeliveryOutcome: Equatable, Sendable {
    /// The server has the payload, which can be deleted.
    case delivered
    /// The request may succeed later, unchanged, under the same idempotency key.
    case retry(after: Interval?)
    /// The server does not accept the credentials. Nothing is sent until the owner signs in again.
    case pausedUntilSignIn
    /// The server will never accept the request. It is kept aside for a person to inspect.
    case setAside

    /// Redirects are not followed, because the request carries a token and the address is the wearer's choice.
    /// Redirects, and codes that HTTP does not define, are retried: a person can correct the address or the server
    /// meanwhile.
    public init(_ reply: DeliveryReply) {
        switch reply {
        case .status(let code, let retryAfter): self.init(status: code, retryAfter: retryAfter)
        case .webPage, .none: self = .retry(after: nil)
        }
    }

    private init(status: Int, retryAfter: Interval?) {
        switch status {
        case 200...299: self = .delivered
        case 401, 403: self = .pausedUntilSignIn
        case 408, 425, 429: self = .retry(after: retryAfter)
        case 400...499: self = .setAside
        default: self = .retry(after: retryAfter)
        }
    }
}
