import Glibc

/// Signals that wait to be asked for, so that a command ends at a place of its own choice. They interrupt nothing.
public struct PendingSignals {
    private var set = sigset_t()

    /// Those that end a command: Ctrl-C, a request to end, a terminal that is gone.
    public static let ending = [SIGINT, SIGTERM, SIGHUP]

    public init(_ signals: [Int32] = ending) {
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// One that has arrived, if any has.
    public func take() -> Int32? { taken(within: timespec()) }

    /// One that arrives within this time.
    public func take(within milliseconds: Int) -> Int32? {
        taken(within: timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000))
    }

    private func taken(within time: timespec) -> Int32? {
        var set = set
        var time = time
        let signal = sigtimedwait(&set, nil, &time)
        return signal > 0 ? signal : nil
    }
}
