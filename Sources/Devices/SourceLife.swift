import Domains
import Core

/// The life of a source, a device or a service that is either open or not: when it is opened, tried again, closed and
/// given up. What is read in between is its owner's.
public struct SourceLife: Equatable, Sendable {
    public enum Phase: Equatable, Sendable {
        case off
        /// Asked for, not answered.
        case opening
        case open
        /// Failed; tried again when `retry` is due.
        case down
        /// Not tried again before it was unwanted in between.
        case lost
    }

    public enum Event: Equatable, Sendable {
        /// Whether it is wanted. To be told with every wake-up: it also has a source that is down tried again.
        case wanted(Bool)
        case opened
        case failed(DeviceFault)
        /// It did what it is for; being open does not show that.
        case worked
        /// Consent to it ended or is suspended. The next time begins afresh.
        case ended
    }

    /// What is to be done or told, in this order.
    public enum Step: Equatable, Sendable {
        case open
        case close
        /// The first failure in a row.
        case failed(reason: String, retryIn: Interval)
        /// From this failure on it is tried at the longest interval.
        case gaveUp(reason: String, retryIn: Interval)
        case recovered
        /// It cannot be used until a person acts.
        case lost(Obstacle, reason: String)
    }

    public private(set) var phase = Phase.off
    public private(set) var retry: Retry

    public init(_ wait: DoublingWait) { retry = Retry(wait) }

    /// The time to tell it whether it is wanted; nil with nothing to wait for.
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
        // A source that is wanted again waits no less than for the retry.
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
