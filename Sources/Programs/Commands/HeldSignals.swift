import Glibc
import System
import Core

/// Keeps signals waiting, so that a program ends where nothing is half done: between two steps it asks whether one has come.
public struct HeldSignals {
    private var set = sigset_t()
    private var before = sigset_t()

    /// Those that end a program: Ctrl-C, SIGTERM, a terminal that is gone.
    public static let ending = [SIGINT, SIGTERM, SIGHUP]

    /// From now on they wait, until `release()`.
    public init(_ signals: [Int32] = ending) {
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, &before)
    }

    /// Lets them come, with their effect.
    public func release() {
        var before = before
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Runs `body` with the signals held. One that was not taken comes when it has ended.
    public static func during<Result, Fault: Error>(
        _ body: (HeldSignals) throws(Fault) -> Result
    ) throws(Fault) -> Result {
        let signals = HeldSignals()
        defer { signals.release() }
        return try body(signals)
    }

    /// Whether one of them has come. It goes on waiting.
    public var isPending: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return Self.ending.contains { sigismember(&pending, $0) == 1 }
    }

    /// Throws where one of them has come.
    public func check(_ path: String) throws(Failure) {
        if isPending { throw Failure("\(path): interrupted, nothing is left of it", .temporary) }
    }

    /// Takes the next that comes within this time, if any does; it has no other effect then.
    public func take(within time: Interval = .zero) -> Int32? {
        let end = nanoseconds(of: CLOCK_MONOTONIC) + max(time.nanoseconds, 0)
        while true {
            let left = max(end - nanoseconds(of: CLOCK_MONOTONIC), 0)
            var (set, limit) = (set, timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000)))
            let signal = sigtimedwait(&set, nil, &limit)
            if signal > 0 { return signal }
            // Whatever else has woken it, the rest of the time is still to pass.
            if errno == EAGAIN || left == 0 { return nil }
        }
    }

    /// Ends the process as the signal would have. Returns only where the signal is ignored.
    public func end(with signal: Int32) {
        fflush(nil)
        release()
        kill(getpid(), signal)
    }
}
