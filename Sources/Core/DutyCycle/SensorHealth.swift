import Quantities

/// Whether a sensor works, and when a failed one is tried again (SPEC §3).
public enum SensorHealth: Equatable, Sendable {
    case working
    /// `count` failures in a row since the sensor last worked; tried again after the wait.
    case failing(count: Int, wait: Interval)
    /// Given up for now, tried again at the longest interval.
    case quiet(wait: Interval)

    /// The state after another failure: the wait doubles, from the attentive interval up to the longest.
    public func failed(rule: DutyCycleRule) -> SensorHealth {
        switch self {
        case .working:
            guard rule.failuresBeforeQuiet > 1 else { return .quiet(wait: rule.longestRetry) }
            return .failing(count: 1, wait: rule.retries.wait(afterFailures: 1))
        case .failing(let count, _):
            if count + 1 >= rule.failuresBeforeQuiet { return .quiet(wait: rule.longestRetry) }
            return .failing(count: count + 1, wait: rule.retries.wait(afterFailures: count + 1))
        case .quiet:
            return self
        }
    }

    /// The wait before the next attempt; zero while the sensor works.
    public var wait: Interval {
        switch self {
        case .working: .zero
        case .failing(_, let wait), .quiet(let wait): wait
        }
    }
}

extension DutyCycleRule {
    fileprivate var retries: DoublingWait { DoublingWait(first: attentiveInterval, longest: longestRetry) }
}
