import CLinux
import Glibc

/// A signal that arrives as an event of the loop (signalfd(2)).
final class LoopSignal: EventSource {
    private let loop: EpollLoop
    private let signal: Int32
    private let descriptor: Int32
    private var watch: LoopWatch?

    init(_ loop: EpollLoop, _ signal: Int32, _ handler: @escaping () -> Void) throws(LoopError) {
        try loop.checkRunning()
        var signals = sigset_t()
        sigemptyset(&signals)
        guard sigaddset(&signals, signal) == 0 else { throw .failed(errno: errno) }
        guard !loop.signals.contains(signal) else { throw .alreadyWatched }
        // Otherwise the signal's default action would happen.
        let failure = pthread_sigmask(SIG_BLOCK, &signals, nil)
        guard failure == 0 else { throw .failed(errno: failure) }
        self.loop = loop
        self.signal = signal
        descriptor = try LoopError.check(signalfd(-1, &signals, Int32(SFD_CLOEXEC | SFD_NONBLOCK)))
        loop.signals.insert(signal)
        watch = try LoopWatch(loop, descriptor) { [descriptor] in
            drain(descriptor)
            handler()
        }
    }

    deinit {
        watch = nil
        loop.signals.remove(signal)
        close(descriptor)
    }
}
