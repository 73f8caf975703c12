import Core

/// The event loop of a long-lived program: one thread, asleep until a timer, a descriptor, a file or a signal is due.
///
/// Handlers run one after another, never inside a call of the loop. A registration lasts as long as the returned
/// object, which retains its handler; so a handler must refer weakly to the owner of the object. Not thread-safe.
public protocol EventLoop: AnyObject {
    /// Both clocks at this instant.
    var now: Instant { get }

    /// A one-shot timer on the boot-time clock, initially disarmed.
    func timer(_ handler: @escaping () -> Void) throws(LoopError) -> any EventTimer

    /// The same, but it also wakes a suspended machine, if the kernel allows it (`CAP_WAKE_ALARM`).
    func wakingTimer(_ handler: @escaping () -> Void) throws(LoopError) -> any EventTimer

    /// Calls `handler` after the wall clock was set.
    func onClockSet(_ handler: @escaping () -> Void) throws(LoopError) -> any EventSource

    /// Calls `handler` as long as `descriptor` is readable, hung up or in error (level-triggered). The caller owns the
    /// descriptor and must keep it open as long as the watch.
    func watch(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource

    /// Calls `handler` when the process receives `signal`, instead of the signal's default action.
    func onSignal(_ signal: Int32, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource

    /// Calls `handler` after a file in `directory` was written and closed, or moved in. One call can stand for several
    /// changes, and a call without a change is possible.
    func onChange(in directory: String, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource

    /// Calls `handler` after the mode, owner or times of the node at `path` were changed, and after it was removed or
    /// moved, also while it is open. It follows the node and not the path. Reading and writing the node do not call
    /// `handler`. One change can lead to several calls, and one call can stand for several changes.
    ///
    /// - Throws: `absent` if there is no such node; `denied` if it may not be read. An earlier watch stays valid.
    func onChange(ofNode path: String, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource

    /// Runs handlers until `stop` is called, and returns its code. Can be run only once.
    func run() throws(LoopError) -> Int32

    /// Makes `run` return once the current handler is over. Other pending events are not handled any more.
    func stop(_ code: Int32)
}

/// An event source of a loop. Its registration ends at `deinit`.
public protocol EventSource: AnyObject {}

/// A one-shot timer. It may be armed again, even by its own handler.
public protocol EventTimer: EventSource {
    /// Fires once, at `time` or up to `slack` later to share a wake-up; a past time means at once. Replaces an earlier
    /// arming.
    func arm(at time: BootTime, slack: Interval)

    /// Does not fire until it is armed again.
    func disarm()
}

/// The reason why a call of an event loop failed.
public enum LoopError: Error, Hashable, Sendable {
    /// There is no such file or descriptor.
    case absent
    /// The kernel refuses to watch the file, for example a regular file as a descriptor.
    case denied
    /// This loop watches it already.
    case alreadyWatched
    /// The loop has ended.
    case ended
    /// Any other error, with its errno.
    case failed(errno: Int32)
}

extension EventLoop {
    public func wakingTimer(_ handler: @escaping () -> Void) throws(LoopError) -> any EventTimer { try timer(handler) }

    public func stop() { stop(0) }
}
