import Quantities

/// The times at which a failing action is tried again: after a minute, and after twice as long with every further
/// failure, up to an hour (SPEC §2 rule 10).
struct RetryTime: Equatable {
    private static let wait = DoublingWait(first: .minutes(1), longest: .hours(1))

    private var failures = 0
    /// The time of the next attempt; nil while nothing fails.
    private(set) var due: BootTime?

    func isDue(at now: BootTime) -> Bool { due.map { $0 <= now } ?? false }

    /// Notes a failed attempt. An attempt made before it was due changes nothing.
    mutating func failed(at now: BootTime) {
        if let due, now < due { return }
        // The wait no longer grows by then, and the count need not either.
        if failures < 10 { failures += 1 }
        due = now + RetryTime.wait.wait(afterFailures: failures)
    }

    mutating func succeeded() { self = RetryTime() }
}
