import CLinux
import Glibc
import Core

extension Instant {
    /// Both of the kernel's clocks, read one right after the other. The kernel's synchronisation state is read first,
    /// so that a clock set right in between does not count as synchronised.
    public static var now: Instant {
        let isSynchronised = anicca_clock_is_synchronised() != 0
        return Instant(
            boot: BootTime(nanoseconds: nanoseconds(of: CLOCK_BOOTTIME)),
            wall: WallTime(nanoseconds: nanoseconds(of: CLOCK_REALTIME)), isSynchronised: isSynchronised)
    }
}

extension BootID {
    /// The id of this boot: from systemd, for a service without access to `/proc/sys` (`%b`, systemd.unit(5)), or else
    /// from the kernel. Throws if both are missing.
    public static func current() throws(FileError) -> BootID {
        let path = "/proc/sys/kernel/random/boot_id"
        if let text = getenv("ANICCA_BOOT_ID"), let boot = BootID(String(cString: text)) { return boot }
        let text = String(decoding: try readFile(path, limit: 64), as: UTF8.self)
        guard let boot = BootID(text) else { throw .failed(path: path, errno: EINVAL) }
        return boot
    }
}

/// The time in the format of log lines: `2025-01-13T12:00:00Z`.
public func timestamp() -> String { Instant.now.wall.description }

/// The time of a clock. Cannot fail: every kernel since 2.6.39 has these clocks (clock_gettime(2)).
public func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
