import Config
import System
import Core

/// The result of a check that the broker answers and accepts the login, without publishing.
public enum BrokerReach: Hashable, Sendable {
    case answered(address: String)
    /// A file named in the settings is missing.
    case waits(missing: String)
    /// There is no session; the text says why.
    case unreachable(problem: String)
    case refused(problem: String)

    /// Connects once and waits at most `timeout`.
    public init(_ settings: Settings.MQTT, timeout: Interval) {
        do throws(SinkUnusable) {
            switch try BrokerLogin.read(settings) {
            case .success(let login): self = Self.reach(login, timeout: timeout)
            case .failure(let missing): self = .waits(missing: missing.what)
            }
        } catch {
            self = .unreachable(problem: error.description)
        }
    }

    private static func reach(_ login: BrokerLogin, timeout: Interval) -> BrokerReach {
        do throws(BrokerFailure) {
            let session = try login.session()
            let deadline = Instant.now.boot + timeout
            try session.open(until: deadline)
            if login.takesNudges, !isSubscribed(session, to: login.topics.answer, until: deadline) {
                return .refused(
                    problem: "\(login.address) does not allow this login to subscribe to \(login.topics.answer)")
            }
            return .answered(address: "\(login.address)")
        } catch {
            return error.kind == .loginRefused ? .refused(problem: error.text) : .unreachable(problem: error.text)
        }
    }

    private static func isSubscribed(_ session: BrokerSession, to topic: String, until deadline: BootTime) -> Bool {
        do throws(BrokerFailure) {
            return try session.subscribe(to: topic, until: deadline)
        } catch {
            return false
        }
    }
}
