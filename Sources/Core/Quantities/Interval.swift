/// A length of time, in whole nanoseconds.
///
/// Ranges over ±292 years. The standard library's `Duration` is not used in the core because its 128-bit
/// arithmetic has no hardware on the microcontrollers that the core also compiles for.
public struct Interval: Comparable, Sendable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static let zero = Interval(nanoseconds: 0)

    public static func milliseconds(_ count: Int64) -> Interval { Interval(nanoseconds: count * 1_000_000) }
    public static func seconds(_ count: Int64) -> Interval { Interval(nanoseconds: count * 1_000_000_000) }
    public static func minutes(_ count: Int64) -> Interval { .seconds(count * 60) }
    public static func hours(_ count: Int64) -> Interval { .seconds(count * 3600) }
    public static func days(_ count: Int64) -> Interval { .seconds(count * 86_400) }

    /// Whole milliseconds, rounded towards zero.
    public var inMilliseconds: Int64 { nanoseconds / 1_000_000 }
    /// Whole seconds, rounded towards zero.
    public var inSeconds: Int64 { nanoseconds / 1_000_000_000 }
    /// Whole minutes, rounded towards zero.
    public var inMinutes: Int64 { nanoseconds / 60_000_000_000 }

    public static func < (left: Interval, right: Interval) -> Bool { left.nanoseconds < right.nanoseconds }
    public static func + (left: Interval, right: Interval) -> Interval {
        Interval(nanoseconds: left.nanoseconds.clampedSum(right.nanoseconds))
    }
    public static func - (left: Interval, right: Interval) -> Interval {
        Interval(nanoseconds: left.nanoseconds.clampedDifference(right.nanoseconds))
    }
    public static func * (left: Interval, count: Int64) -> Interval {
        Interval(nanoseconds: left.nanoseconds * count)
    }
    public static func / (left: Interval, count: Int64) -> Interval {
        Interval(nanoseconds: left.nanoseconds / count)
    }
    public static func += (left: inout Interval, right: Interval) { left = left + right }
}

/// The backoff used throughout the agent: a wait that doubles with every failure in a row, up to a longest one.
public struct DoublingWait: Equatable, Sendable {
    public let first: Interval
    public let longest: Interval
    /// The number of failures in a row from which on every wait is the longest.
    public let patience: Int

    public init(first: Interval, longest: Interval, patience: Int = .max) {
        self.first = first
        self.longest = longest
        self.patience = patience
    }

    /// The wait after `failures` failures in a row, 1 or more.
    public func wait(afterFailures failures: Int) -> Interval {
        guard failures < patience else { return longest }
        var wait = first
        var doublings = max(0, failures - 1)
        while doublings > 0, wait < longest {
            wait = wait * 2
            doublings -= 1
        }
        return min(wait, longest)
    }
}

/// An action that is retried after a failure: the failures in a row, and the time of the next attempt.
public struct Retry: Equatable, Sendable {
    public let wait: DoublingWait
    public private(set) var failures = 0
    /// The time of the next attempt; nil while nothing fails.
    public private(set) var due: BootTime?

    /// - Parameter wait: By default a minute, and up to an hour (SPEC §2 rule 10).
    public init(_ wait: DoublingWait = DoublingWait(first: .minutes(1), longest: .hours(1))) { self.wait = wait }

    public func isDue(at now: BootTime) -> Bool { due.map { $0 <= now } ?? false }

    /// Notes a failed attempt. An attempt made before it was due changes nothing.
    public mutating func failed(at now: BootTime) {
        if let due, now < due { return }
        failures += 1
        due = now + wait.wait(afterFailures: failures)
    }

    public mutating func succeeded() { self = Retry(wait) }
}
