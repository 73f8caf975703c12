import CSystemd
import Files
import Glibc
import Program
import Quantities

/// Reports the program's state to systemd (sd_notify(3)). Does nothing in a program that systemd did not start.
public struct ServiceManager {
    public init() {}

    /// The program does its work from now on, or does it again after `reloading`.
    public func ready(status: String) { notify("READY=1\nSTATUS=\(oneLine(status))") }

    /// The configuration is being read again. With `Type=notify-reload` systemd waits for `ready`, and requires the
    /// time of this call on the monotonic clock.
    public func reloading() {
        notify("RELOADING=1\nMONOTONIC_USEC=\(nanoseconds(of: CLOCK_MONOTONIC) / 1000)")
    }

    public func stopping() { notify("STOPPING=1") }

    /// One line for `systemctl status`.
    public func show(status: String) { notify("STATUS=\(oneLine(status))") }

    /// To be called at least once in each `watchdogInterval`; twice is wise.
    public func keepAlive() { notify("WATCHDOG=1") }

    /// The time after which systemd ends the program without a `keepAlive`; nil when there is no watchdog.
    public var watchdogInterval: Interval? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return Interval(nanoseconds: min(Int64(clamping: microseconds), .max / 1000) * 1000)
    }

    /// Failure is ignored: the watchdog handles a lost keep-alive.
    private func notify(_ state: String) { sd_notify(0, state) }

    /// A line end would begin a further assignment.
    private func oneLine(_ text: String) -> String { escapingControls(text) }
}
