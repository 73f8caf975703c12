import Glibc

/// Keeps the signals that end a program (Ctrl-C, SIGTERM, SIGHUP) waiting while something is made that must not be left half done.
///
/// Whoever makes it asks `isPending` between its steps, and takes back what there is. The signal comes when `body` has ended.
public struct HeldSignals {
    private let ending: sigset_t

    /// Runs `body` with the signals held.
    public static func during<Result, Fault: Error>(
        _ body: (HeldSignals) throws(Fault) -> Result
    ) throws(Fault) -> Result {
        var ending = sigset_t()
        sigemptyset(&ending)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&ending, signal) }
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &ending, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return try body(HeldSignals(ending: ending))
    }

    /// Whether one of them has come.
    public var isPending: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return [SIGINT, SIGTERM, SIGHUP].contains { sigismember(&pending, $0) == 1 }
    }

    /// Throws where one of them has come.
    public func check(_ path: String) throws(Failure) {
        if isPending { throw Failure("\(path): interrupted, nothing is left of it", .temporary) }
    }
}
