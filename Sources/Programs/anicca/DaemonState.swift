import Config
import System
import Glibc
import Core

/// Whether aniccad runs, shown by its lock: the kernel releases it when the process ends, however it ends.
enum DaemonState: Equatable {
    /// With the start time of the process; nil if the kernel does not show it.
    case running(since: BootTime?)
    /// It runs, and a command has its sensor: nothing is sensed meanwhile.
    case lending(since: BootTime?)
    /// It holds the lock, but does not collect yet.
    case starting(since: BootTime?)
    case stopped
    /// With the reason.
    case unseen(String)

    init(_ settings: Settings) {
        do {
            guard let holder = try RunLock.holder(path: settings.store.daemonLock) else {
                self = .stopped
                return
            }
            let start = holder.process.flatMap { BootTime(startOfProcess: $0) }
            self =
                holder.isLent
                ? .lending(since: start) : holder.isReady ? .running(since: start) : .starting(since: start)
        } catch {
            self = .unseen("\(error)")
        }
    }

    /// Nil if unknown.
    var isRunning: Bool? {
        switch self {
        case .running, .lending, .starting: true
        case .stopped: false
        case .unseen: nil
        }
    }

    var isStarting: Bool {
        if case .starting = self { true } else { false }
    }

    var isLending: Bool {
        if case .lending = self { true } else { false }
    }

    var since: BootTime? {
        switch self {
        case .running(let since), .lending(let since), .starting(let since): since
        case .stopped, .unseen: nil
        }
    }

    /// For people.
    ///
    /// - Parameter date: the wall time of a time in this boot.
    func text(_ date: (BootTime) -> WallTime) -> String {
        let since = since.map { ", since \(date($0))" } ?? ""
        switch self {
        case .running: return "runs" + since
        case .lending:
            return "runs" + since + "; a command uses its sensor, so no sensor data is collected until the command ends"
        case .starting: return "is starting" + since
        case .stopped: return "does not run"
        case .unseen(let reason): return "cannot be checked: \(reason)"
        }
    }

    /// The advice if the daemon does not run.
    static let howToStart = "systemctl start aniccad; for the cause of its end, see: journalctl -u aniccad"
}
