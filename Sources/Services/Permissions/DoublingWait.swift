import Quantities

/// The times at which a failing action is tried again: after a minute, and after twice as long with every further
/// failure, up to an hour (SPEC §2 rule 10).
struct DoublingWait: Equatable {
    private static let longest = Interval.hours(1)

    private var wait = Interval.minutes(1)
    /// The time of the next attempt; nil while nothing fails.
    private(set) var due: BootTime?

    func isDue(at now: BootTime) -> Bool { due.map { $0 <= now } ?? false }

    /// Notes a failed attempt. An attempt made before it was due changes nothing.
    mutating func failed(at now: BootTime) {
        if let due, now < due { return }
        if due != nil { wait = min(wait * 2, DoublingWait.longest) }
        due = now + wait
    }

    mutating func succeeded() { self = DoublingWait() }
}
