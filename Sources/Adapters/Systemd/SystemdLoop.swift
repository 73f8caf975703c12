import CSystemd
import Glibc
import Program
import Quantities

/// The event loop of the daemon: one thread, asleep until a timer, a descriptor or a signal is due (sd-event(3)).
///
/// Handlers run one after another on the thread that calls `run`. A registration lasts as long as the object that
/// `timer`, `watch` or `onSignal` returned. Not for use from several threads.
public final class SystemdLoop {
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

    /// Both clocks at this instant.
    public var now: Instant { .now }

    /// Runs handlers until `stop` is called, and returns its code. Can be called only once.
    public func run() throws(LoopError) -> Int32 {
        while sd_event_get_state(event) != SD_EVENT_FINISHED {
            try runOnce()
        }
        var code: Int32 = 0
        try LoopError.check(sd_event_get_exit_code(event, &code))
        return code
    }

    /// Lets `run` return once the present handler is over. Events that arrive later are not handled.
    public func stop(_ code: Int32 = 0) { expect(sd_event_exit(event, code)) }

    /// Takes the result of a call that fails only when the loop itself is broken; `run` then ends with the error.
    /// Errors after the loop's end (`ESTALE`) are ignored.
    func expect(_ result: Int32) {
        guard result < 0, result != -ESTALE else { return }
        failure = failure ?? LoopError(result)
    }

    /// Does one step of `sd_event_run` in parts, to tell a sleep from handling a further event of the same wake-up.
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
    /// A timer on the boot-time clock, not armed yet.
    public func timer(_ handler: @escaping () -> Void) throws(LoopError) -> LoopTimer {
        try LoopTimer(self, handler)
    }

    /// Calls `handler` whenever `descriptor` is readable, hung up or in error, again and again until that
    /// changes. The descriptor stays the caller's and must stay open as long as the watch is kept.
    public func watch(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(LoopError) -> LoopWatch {
        try LoopWatch(self, descriptor, handler)
    }

    /// Calls `handler` in the loop, not in a signal handler, when `signal` has arrived. The calling thread has
    /// the signal blocked from then on, even after the object is gone.
    public func onSignal(_ signal: Int32, _ handler: @escaping () -> Void) throws(LoopError) -> LoopSignal {
        try LoopSignal(self, signal, handler)
    }

    /// Calls `handler` after a file in `directory` was written and closed, or moved in. One call can stand
    /// for several changes.
    public func onChange(
        in directory: String, _ handler: @escaping () -> Void
    ) throws(LoopError) -> LoopDirectoryWatch {
        try LoopDirectoryWatch(self, directory, handler)
    }

    /// Calls `handler` after the mode, owner or times of the node at `path` were changed, and after it was removed or
    /// moved, also while it is open. Reading and writing the node do not call `handler`. One change can lead to several
    /// calls, and one call can stand for several changes.
    ///
    /// - Throws: `absent` when there is no such node; `denied` when it may not be read (inotify_add_watch(2)). A watch
    ///   that was made before that goes on.
    public func onChange(
        ofNode path: String, _ handler: @escaping () -> Void
    ) throws(LoopError) -> LoopNodeWatch {
        try LoopNodeWatch(self, path, handler)
    }
}
