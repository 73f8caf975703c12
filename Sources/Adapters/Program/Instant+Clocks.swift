import Glibc
import Quantities

extension Instant {
    /// Both of the kernel's clocks, read one right after the other.
    public static var now: Instant {
        Instant(
            boot: BootTime(nanoseconds: nanoseconds(of: CLOCK_BOOTTIME)),
            wall: WallTime(nanoseconds: nanoseconds(of: CLOCK_REALTIME)))
    }
}

/// The time of a clock. Cannot fail: every kernel since 2.6.39 has the clocks that are read (clock_gettime(2)).
public func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
