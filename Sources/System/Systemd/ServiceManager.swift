import Glibc
import Core

/// Reports the program's state to systemd, by the protocol of sd_notify(3): assignments in a message to the socket in
/// `NOTIFY_SOCKET`. Does nothing in a program that systemd did not start.
public struct ServiceManager {
    private let environmentValue: (String) -> String?

    /// With the environment of this process.
    public init() { environmentValue = { name in getenv(name).map { String(cString: $0) } } }

    init(_ environment: [String: String]) { environmentValue = { environment[$0] } }

    /// The program is ready, after the start or after `reloading`.
    public func ready(status: String) { notify("READY=1\nSTATUS=\(oneLine(status))") }

    /// The configuration is being read again. With `Type=notify-reload` systemd waits for `ready`, and requires the
    /// time of this call on the monotonic clock.
    public func reloading() {
        notify("RELOADING=1\nMONOTONIC_USEC=\(nanoseconds(of: CLOCK_MONOTONIC) / 1000)")
    }

    public func stopping() { notify("STOPPING=1") }

    /// One line for `systemctl status`.
    public func show(status: String) { notify("STATUS=\(oneLine(status))") }

    /// Call it at least once in each `watchdogInterval`; twice is recommended.
    public func keepAlive() { notify("WATCHDOG=1") }

    /// The time after which systemd ends the program without a `keepAlive`; nil without a watchdog, or if it belongs to
    /// another process whose environment was inherited (sd_watchdog_enabled(3)).
    public var watchdogInterval: Interval? {
        guard let text = environmentValue("WATCHDOG_USEC"), let microseconds = UInt64(text), microseconds > 0 else {
            return nil
        }
        if let process = environmentValue("WATCHDOG_PID"), process != String(getpid()) { return nil }
        return Interval(nanoseconds: min(Int64(clamping: microseconds), .max / 1000) * 1000)
    }

    /// Failure is ignored: the watchdog handles a lost keep-alive.
    private func notify(_ state: String) {
        guard let socket = environmentValue("NOTIFY_SOCKET"), let address = UnixAddress(socket) else { return }
        _ = address.send(Array(state.utf8))
    }

    /// A line break would begin another assignment.
    private func oneLine(_ text: String) -> String { escapingControls(text) }
}
