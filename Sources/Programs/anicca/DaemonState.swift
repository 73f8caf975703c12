import Config
import System
import Glibc
import Core

/// Whether aniccad runs, as its lock shows: the kernel takes that from a process that ends, however it ends.
enum DaemonState: Equatable {
    /// With the time at which the process began; nil where the kernel does not show it.
    case running(since: BootTime?)
    /// It runs, and a command has its sensor: nothing is sensed meanwhile.
    case lending(since: BootTime?)
    /// It has the lock, and has not got so far as to collect.
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

    /// Nil where that cannot be seen.
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
    /// - Parameter date: of a time of this boot.
    func text(_ date: (BootTime) -> WallTime) -> String {
        let since = since.map { ", since \(date($0))" } ?? ""
        switch self {
        case .running: return "runs" + since
        case .lending: return "runs" + since + "; a command has its sensor, so nothing is sensed until that has ended"
        case .starting: return "is starting" + since
        case .stopped: return "does not run"
        case .unseen(let reason): return "cannot be seen: \(reason)"
        }
    }

    /// The advice about one that does not run.
    static let howToStart = "systemctl start aniccad; why it ended: journalctl -u aniccad"
}
