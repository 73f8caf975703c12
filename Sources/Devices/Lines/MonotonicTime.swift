import Glibc
import Core

/// Time since boot without the time spent in suspend: Linux's `CLOCK_MONOTONIC` (clock_gettime(2)), by which
/// the kernel stamps edges.
struct MonotonicTime: TimePoint {
    let nanoseconds: Int64
}

/// The lead of the boot-time clock over the monotonic one: the time spent in suspend.
struct ClockOffset: Equatable, Sendable {
    let suspended: Interval

    /// The present offset, to about a microsecond.
    static func current() -> ClockOffset {
        let monotonic = nanoseconds(of: CLOCK_MONOTONIC)
        let boot = nanoseconds(of: CLOCK_BOOTTIME)
        return ClockOffset(suspended: Interval(nanoseconds: boot - monotonic))
    }

    /// `time` on the boot-time clock, if the system was not suspended since.
    func boot(at time: MonotonicTime) -> BootTime {
        BootTime(nanoseconds: time.nanoseconds) + suspended
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
