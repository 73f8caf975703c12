import CLinux
import Glibc

/// Detects that the wall clock was set: a timer for a time in the far future, which the kernel then cancels
/// (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET).
final class LoopClockWatch: EventSource {
    private let descriptor: Int32
    private var watch: LoopWatch?

    init(_ loop: EpollLoop, _ handler: @escaping () -> Void) throws(LoopError) {
        descriptor = anicca_clock_watch()
        guard descriptor >= 0 else { throw .failed(errno: errno) }
        watch = try LoopWatch(loop, descriptor) { [descriptor] in
            // Arming it again ends the cancelled state.
            _ = anicca_clock_watch_again(descriptor)
            handler()
        }
    }

    deinit {
        watch = nil
        if descriptor >= 0 { close(descriptor) }
    }
}
