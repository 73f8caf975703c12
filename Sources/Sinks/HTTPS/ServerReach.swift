import Config
import Quantities

/// The result of a check that the server answers, without signing in and without sending data.
public enum ServerReach: Hashable, Sendable {
    /// It answered. Any status will do: it shows that name, network, certificate and proxy are in order.
    case answered(address: String, status: Int)
    /// There is no answer; the text says why.
    case unreachable(problem: String)

    /// Asks once (HEAD, RFC 9110 §9.3.2) and waits no longer than `timeout`.
    public init(_ base: String, _ server: Settings.Server, userAgent: String, timeout: Interval) {
        do {
            let client = try SignIn.client(base, nil, server, userAgent: userAgent)
            self = client.head(timeout: timeout)
        } catch {
            self = .unreachable(problem: error.description)
        }
    }
}
