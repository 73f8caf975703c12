import CLinux
import Glibc
import Core

extension Instant {
    /// Both of the kernel's clocks, read one right after the other, and before them what the kernel says about its wall clock:
    /// a wall clock that is set right in between is not taken for one that was right.
    public static var now: Instant {
        let isSynchronised = anicca_clock_is_synchronised() != 0
        return Instant(
            boot: BootTime(nanoseconds: nanoseconds(of: CLOCK_BOOTTIME)),
            wall: WallTime(nanoseconds: nanoseconds(of: CLOCK_REALTIME)), isSynchronised: isSynchronised)
    }
}

extension BootID {
    /// That of this boot: as systemd hands it to a service that sees nothing of `/proc/sys` (`%b`, systemd.unit(5)), or else as the
    /// kernel has it. Throws where neither says.
    public static func current() throws(FileError) -> BootID {
        let path = "/proc/sys/kernel/random/boot_id"
        if let text = getenv("ANICCA_BOOT_ID"), let boot = BootID(String(cString: text)) { return boot }
        let text = String(decoding: try readFile(path, limit: 64), as: UTF8.self)
        guard let boot = BootID(text) else { throw .failed(path: path, errno: EINVAL) }
        return boot
    }
}

/// The time as the lines of a log have it: `2025-01-13T12:00:00Z`.
public func timestamp() -> String { Instant.now.wall.description }

/// The time of a clock. Cannot fail: every kernel since 2.6.39 has the clocks that are read (clock_gettime(2)).
public func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
