import Domains
import Core

/// The life of a source, which is a device or a service: when it is opened, retried, closed and given up. Its owner
/// reads the data.
public struct SourceLife: Equatable, Sendable {
    public enum Phase: Equatable, Sendable {
        case off
        /// Requested, not answered.
        case opening
        case open
        /// Failed; retried when `retry` is due.
        case down
        /// Not retried until it has been unwanted once.
        case lost
    }

    public enum Event: Equatable, Sendable {
        /// Whether it is wanted. Send it with every wake-up: it also triggers the retry of a source that is down.
        case wanted(Bool)
        case opened
        case failed(DeviceFault)
        /// It did its work. Opening alone does not prove that it can.
        case worked
        /// Consent to it ended or is suspended. The state is reset.
        case ended
    }

    /// An action or a report, to be handled in order.
    public enum Step: Equatable, Sendable {
        case open
        case close
        /// The first failure in a row.
        case failed(reason: String, retryIn: Interval)
        /// From this failure on, retries come at the longest interval.
        case gaveUp(reason: String, retryIn: Interval)
        case recovered
        /// It cannot be used until a person acts.
        case lost(Obstacle, reason: String)
    }

    public private(set) var phase = Phase.off
    public private(set) var retry: Retry

    public init(_ wait: DoublingWait) { retry = Retry(wait) }

    /// The time at which the next `wanted` is due; nil if no retry is pending.
    public var wakeAt: BootTime? { phase == .down ? retry.due : nil }

    public mutating func handle(_ event: Event, at now: BootTime) -> [Step] {
        switch (event, phase) {
        case (.wanted(true), .off):
            phase = .opening
            return [.open]
        case (.wanted(true), .down) where retry.isDue(at: now):
            phase = .opening
            return [.open]
        case (.wanted(false), .opening), (.wanted(false), .open):
            phase = .off
            return [.close]
        // Only then: wanting it again must not shorten the wait.
        case (.wanted(false), .down) where retry.isDue(at: now): phase = .off
        case (.wanted(false), .lost): phase = .off
        case (.opened, .opening): phase = .open
        case (.failed(let fault), .opening), (.failed(let fault), .open): return [.close] + failed(fault, at: now)
        case (.worked, .open) where retry.failures > 0:
            retry.succeeded()
            return [.recovered]
        case (.ended, _):
            let isHeld = phase == .opening || phase == .open
            self = SourceLife(retry.wait)
            return isHeld ? [.close] : []
        default: break
        }
        return []
    }

    private mutating func failed(_ fault: DeviceFault, at now: BootTime) -> [Step] {
        retry.failed(at: now)
        if let obstacle = fault.obstacle(isGivenUp: retry.failures >= retry.wait.patience) {
            retry.succeeded()
            phase = .lost
            return [.lost(obstacle, reason: fault.reason)]
        }
        phase = .down
        let wait = retry.wait.wait(afterFailures: retry.failures)
        var steps: [Step] = []
        if retry.failures == 1 { steps.append(.failed(reason: fault.reason, retryIn: wait)) }
        if retry.failures == retry.wait.patience { steps.append(.gaveUp(reason: fault.reason, retryIn: wait)) }
        return steps
    }
}
