import CLinux
import Glibc
import Core

/// The descriptor that all ordinary timers of a loop share (timerfd_create(2)).
final class LoopClock {
    private let descriptor: Int32
    private var watch: LoopWatch?
    private var timers: [ObjectIdentifier: Weak<LoopTimer>] = [:]
    private var lastTurn: UInt64 = 0
    /// The time at which the descriptor becomes readable; nil if disarmed.
    private var armed: BootTime?

    init(_ loop: EpollLoop) throws(LoopError) {
        descriptor = try LoopError.check(timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK)))
        // The loop owns this object, so the watch must not own the loop.
        watch = try LoopWatch(loop, descriptor, isOwnedByLoop: true) { [unowned self] in serve() }
    }

    deinit {
        watch = nil
        close(descriptor)
    }

    func include(_ timer: LoopTimer) {
        lastTurn += 1
        timer.turn = lastTurn
        timers[ObjectIdentifier(timer)] = Weak(timer)
    }

    func exclude(_ timer: LoopTimer) { timers[ObjectIdentifier(timer)] = nil }

    /// Sets the descriptor to become readable when the first timer can wait no longer. Call it before each wait.
    func arm() throws(LoopError) {
        let next = timers.values.compactMap { $0.object?.latest }.min()
        guard next != armed else { return }
        // On failure the loop would never wake.
        try LoopError.check(anicca_set_timer(descriptor, next.map { max(1, $0.nanoseconds) } ?? 0))
        armed = next
    }

    /// Fires each timer that is due, the earliest first, and equal ones in the order of arming. A handler may drop, arm
    /// or disarm any timer.
    private func serve() {
        anicca_clear_timer(descriptor)
        armed = nil
        let now = BootTime(nanoseconds: nanoseconds(of: CLOCK_BOOTTIME))
        let due = timers.values.compactMap(\.object).filter { $0.isDue(at: now) }.sorted { $0.precedes($1) }.map(
            Weak.init)
        for timer in due { timer.object?.fire(at: now) }
    }
}
