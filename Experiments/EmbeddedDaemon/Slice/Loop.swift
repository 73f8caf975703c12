import CGlibc
import Program
import Quantities

/// One timer and the signals that end a daemon, on epoll. In virtual time it leaps to the time of the timer, and wakes all the same.
final class Loop {
    private let loop: Int32
    private var timer: Int32 = -1
    private var signals: Int32 = -1
    /// The virtual time; nil on the kernel's clocks.
    private var virtual: Instant?

    /// Nil, with errno, where the kernel refuses.
    init?(isVirtual: Bool) {
        loop = loop_make(&timer, &signals)
        guard loop >= 0 else { return nil }
        // The middle of a UTC day, 13 January 2025, with a clock that is right.
        let noon = WallTime(secondsSinceEpoch: 1_736_769_600)
        if isVirtual { virtual = Instant(boot: BootTime(nanoseconds: 0), wall: noon, isSynchronised: true) }
    }

    var now: Instant { virtual ?? Instant.now }

    /// Waits until `time`, or for a signal alone. Returns whether the time came; false means to end.
    func wait(until time: BootTime?) -> Bool {
        if let time, let now = virtual {
            if time > now.boot { virtual = now + (time - now.boot) }
            _ = loop_arm(timer, 1)
        } else if let time {
            _ = loop_arm(timer, max(time.nanoseconds, 1))
        }
        return loop_wait(loop) == timer
    }
}
