import CSystemd
import Glibc
import Ports

/// A signal that arrives as an event of the loop.
final class LoopSignal: LoopSource {
    /// libsystemd reads the signal from a descriptor (signalfd(2)), for which it has to be blocked.
    init(_ loop: SystemdLoop, _ signal: Int32, _ handler: @escaping () -> Void) throws(LoopError) {
        var signals = sigset_t()
        sigemptyset(&signals)
        guard sigaddset(&signals, signal) == 0 else { throw .failed(errno: errno) }
        let failure = pthread_sigmask(SIG_BLOCK, &signals, nil)
        guard failure == 0 else { throw .failed(errno: failure) }
        try super.init(loop, handler) { source, me in
            sd_event_add_signal(loop.event, source, signal, { _, _, me in LoopSource.fire(me) }, me)
        }
    }
}
