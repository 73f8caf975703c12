import CLinux
import Glibc
import Core

/// A one-shot timer on `CLOCK_BOOTTIME`.
final class LoopTimer: EventTimer {
    private let loop: EpollLoop
    private let handler: () -> Void
    /// The time from which it may fire, and the latest time; nil while disarmed.
    private(set) var time: BootTime?
    private(set) var latest: BootTime?
    /// Its number among all armings of the loop.
    var turn: UInt64 = 0

    init(_ loop: EpollLoop, _ handler: @escaping () -> Void) {
        self.loop = loop
        self.handler = handler
    }

    deinit { loop.exclude(self) }

    func arm(at time: BootTime, slack: Interval) {
        self.time = time
        latest = time + max(slack, .zero)
        loop.include(self)
    }

    func disarm() {
        time = nil
        latest = nil
        loop.exclude(self)
    }

    func isDue(at now: BootTime) -> Bool { time.map { $0 <= now } ?? false }

    /// Whether it fires before another due timer.
    func precedes(_ other: LoopTimer) -> Bool {
        guard let time, let otherTime = other.time, time != otherTime else { return turn < other.turn }
        return time < otherTime
    }

    /// Calls the handler if it is still armed and due.
    func fire(at now: BootTime) {
        guard isDue(at: now) else { return }
        disarm()
        handler()
    }
}

/// A one-shot timer that also wakes a suspended machine. Needs a privilege (`CAP_WAKE_ALARM`, timerfd_create(2)), and a
/// descriptor of its own.
final class WakingTimer: EventTimer {
    private let descriptor: Int32
    private let loop: EpollLoop
    private var watch: LoopWatch?

    init(_ loop: EpollLoop, _ handler: @escaping () -> Void) throws(LoopError) {
        self.loop = loop
        descriptor = try LoopError.check(
            timerfd_create(CLOCK_BOOTTIME_ALARM, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK)))
        watch = try LoopWatch(loop, descriptor) { [descriptor] in
            anicca_clear_timer(descriptor)
            handler()
        }
    }

    deinit {
        watch = nil
        close(descriptor)
    }

    func arm(at time: BootTime, slack: Interval) {
        loop.expect(anicca_set_timer(descriptor, max(1, time.nanoseconds)))
    }

    func disarm() { loop.expect(anicca_set_timer(descriptor, 0)) }
}
