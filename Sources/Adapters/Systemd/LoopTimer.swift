import CSystemd
import Glibc
import Ports
import Program
import Quantities

/// A one-shot timer on `CLOCK_BOOTTIME`.
final class LoopTimer: LoopSource, EventTimer {
    /// - Parameter clock: `CLOCK_BOOTTIME_ALARM` wakes a suspended machine too, and takes a privilege (timerfd_create(2)).
    init(
        _ loop: SystemdLoop, clock: clockid_t = CLOCK_BOOTTIME, _ handler: @escaping () -> Void
    ) throws(LoopError) {
        try super.init(loop, handler) { source, me in
            sd_event_add_time(loop.event, source, clock, .max, 0, { _, _, me in LoopSource.fire(me) }, me)
        }
    }

    func arm(at time: BootTime, slack: Interval) {
        loop.expect(sd_event_source_set_time(source, microseconds(time.nanoseconds)))
        // Zero would mean libsystemd's own default of 250 ms.
        loop.expect(sd_event_source_set_time_accuracy(source, max(1, microseconds(slack.nanoseconds))))
        loop.expect(sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT)))
    }

    func disarm() {
        loop.expect(sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF)))
    }
}

/// Rounded up, so that nothing happens too early.
private func microseconds(_ nanoseconds: Int64) -> UInt64 {
    let count = UInt64(max(0, nanoseconds))
    return count / 1000 + (count % 1000 > 0 ? 1 : 0)
}
