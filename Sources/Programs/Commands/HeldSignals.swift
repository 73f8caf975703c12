import Glibc
import System
import Core

/// Blocks signals, so that a program ends only between two steps: it checks there whether one is pending.
public struct HeldSignals {
    private var set = sigset_t()
    private var before = sigset_t()

    /// The signals that end a program: Ctrl-C, SIGTERM, a closed terminal.
    public static let ending = [SIGINT, SIGTERM, SIGHUP]

    /// Blocks the signals until `release()`.
    public init(_ signals: [Int32] = ending) {
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, &before)
    }

    /// Unblocks the signals, with their effect.
    public func release() {
        var before = before
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Runs `body` with the signals blocked. A pending signal takes effect afterwards, unless it was taken.
    public static func during<Result, Fault: Error>(
        _ body: (HeldSignals) throws(Fault) -> Result
    ) throws(Fault) -> Result {
        let signals = HeldSignals()
        defer { signals.release() }
        return try body(signals)
    }

    /// Whether a signal is pending. It stays pending.
    public var isPending: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return Self.ending.contains { sigismember(&pending, $0) == 1 }
    }

    /// Throws if a signal is pending.
    public func check(_ path: String) throws(Failure) {
        if isPending { throw Failure("\(path): interrupted; no partial file remains", .temporary) }
    }

    /// Takes the next signal within this time, if any; it then has no other effect.
    public func take(within time: Interval = .zero) -> Int32? {
        let end = nanoseconds(of: CLOCK_MONOTONIC) + max(time.nanoseconds, 0)
        while true {
            let left = max(end - nanoseconds(of: CLOCK_MONOTONIC), 0)
            var (set, limit) = (set, timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000)))
            let signal = sigtimedwait(&set, nil, &limit)
            if signal > 0 { return signal }
            // After any other wake-up, the wait continues.
            if errno == EAGAIN || left == 0 { return nil }
        }
    }

    /// Ends the process as the signal would. Returns only if the signal is ignored.
    public func end(with signal: Int32) {
        fflush(nil)
        release()
        kill(getpid(), signal)
    }
}
