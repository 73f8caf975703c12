import CSystemd
import Glibc
import Ports
import Program
import Quantities

/// The event loop of the daemon, on sd-event(3).
public final class SystemdLoop: EventLoop {
    let event: OpaquePointer
    /// The count of times that the process slept in `run` and was woken.
    public private(set) var wakeUps = 0
    private var failure: LoopError?

    public init() throws(LoopError) {
        var event: OpaquePointer?
        try LoopError.check(sd_event_new(&event))
        guard let event else { throw .failed(errno: ENOMEM) }
        self.event = event
    }

    deinit { sd_event_unref(event) }

    public var now: Instant { .now }

    public func run() throws(LoopError) -> Int32 {
        while sd_event_get_state(event) != SD_EVENT_FINISHED {
            try runOnce()
        }
        var code: Int32 = 0
        try LoopError.check(sd_event_get_exit_code(event, &code))
        return code
    }

    public func stop(_ code: Int32) { expect(sd_event_exit(event, code)) }

    /// Takes the result of a call that fails only when the loop itself is broken; `run` then ends with the error.
    /// After the loop's end such calls mean nothing any more.
    func expect(_ result: Int32) {
        guard result < 0, result != -ESTALE else { return }
        failure = failure ?? LoopError(result)
    }

    /// `sd_event_run` taken apart, to tell a sleep from handling one more thing that the same wake-up brought.
    private func runOnce() throws(LoopError) {
        if let failure { throw failure }
        let pending = try LoopError.check(sd_event_prepare(event)) > 0
        if !pending {
            wakeUps += 1
            guard try LoopError.check(sd_event_wait(event, .max)) > 0 else { return }
        }
        try LoopError.check(sd_event_dispatch(event))
    }
}

extension SystemdLoop {
    public func timer(_ handler: @escaping () -> Void) throws(LoopError) -> any EventTimer {
        try LoopTimer(self, handler)
    }

    /// Without the privilege, or on a machine that cannot be woken, an ordinary one.
    public func wakingTimer(_ handler: @escaping () -> Void) throws(LoopError) -> any EventTimer {
        do {
            return try LoopTimer(self, clock: CLOCK_BOOTTIME_ALARM, handler)
        } catch {
            return try LoopTimer(self, handler)
        }
    }

    public func onClockSet(_ handler: @escaping () -> Void) throws(LoopError) -> any EventSource {
        try LoopClockWatch(self, handler)
    }

    public func watch(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource {
        try LoopWatch(self, descriptor, handler)
    }

    /// Calls `handler` in the loop, not in a signal handler. The calling thread has the signal blocked from then on, even
    /// after the object is gone.
    public func onSignal(_ signal: Int32, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource {
        try LoopSignal(self, signal, handler)
    }

    public func onChange(
        in directory: String, _ handler: @escaping () -> Void
    ) throws(LoopError) -> any EventSource {
        try LoopDirectoryWatch(self, directory, handler)
    }

    public func onChange(
        ofNode path: String, _ handler: @escaping () -> Void
    ) throws(LoopError) -> any EventSource {
        try LoopNodeWatch(self, path, handler)
    }
}
