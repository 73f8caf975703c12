import Glibc
import Program
import Quantities

/// The time of a command that uses the sensor itself.
struct BenchTime {
    let now: () -> BootTime
    /// Throws `Interruption` where somebody wants the command to end.
    let wait: (Interval) throws -> Void
}

/// A signal that asks the program to end.
struct Interruption: Error {
    let signal: Int32
}

/// Holds back the signals that would end the process before the chip sleeps, and tells of them between two accesses.
final class HeldSignals {
    private var set = sigset_t()

    /// From now on they wait.
    init() {
        sigemptyset(&set)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    var time: BenchTime {
        BenchTime(now: { Instant.now.boot }, wait: { [self] length in try wait(length) })
    }

    private func wait(_ length: Interval) throws {
        let end = Instant.now.boot + length
        while true {
            let left = max((end - Instant.now.boot).nanoseconds, 0)
            var limit = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
            let signal = sigtimedwait(&set, nil, &limit)
            if signal > 0 { throw Interruption(signal: signal) }
            // Whatever else has woken it, the rest of the time is still to pass.
            if errno == EAGAIN || left == 0 { return }
        }
    }

    /// Lets them through again.
    func release() { pthread_sigmask(SIG_UNBLOCK, &set, nil) }

    /// Ends the process as the signal would have. Returns only where the signal is ignored.
    func end(with interruption: Interruption) {
        fflush(nil)
        release()
        kill(getpid(), interruption.signal)
    }
}
