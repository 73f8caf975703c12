import Core

/// The event loop of a long-lived program: one thread, asleep until a timer, a descriptor, a file or a signal is due.
///
/// Handlers run one after another, never inside a call of the loop. A registration lasts as long as the object that
/// was returned for it, which retains its handler; so a handler must refer weakly to the owner of the object. Not for
/// use from several threads.
public protocol EventLoop: AnyObject {
    /// Both clocks at this instant.
    var now: Instant { get }

    /// A one-shot timer on the boot-time clock, not armed yet.
    func timer(_ handler: @escaping () -> Void) throws(LoopError) -> any EventTimer

    /// The same, which also wakes a machine that is suspended, where the kernel lets this program do so (`CAP_WAKE_ALARM`).
    func wakingTimer(_ handler: @escaping () -> Void) throws(LoopError) -> any EventTimer

    /// Calls `handler` after the wall clock was set.
    func onClockSet(_ handler: @escaping () -> Void) throws(LoopError) -> any EventSource

    /// Calls `handler` whenever `descriptor` is readable, hung up or in error, again and again until that changes. The
    /// descriptor stays the caller's and must stay open as long as the watch is kept.
    func watch(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource

    /// Calls `handler` when the process has received `signal`, which then does nothing else.
    func onSignal(_ signal: Int32, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource

    /// Calls `handler` after a file in `directory` was written and closed, or moved in. One call can stand for several
    /// changes, and there can be a call without a change.
    func onChange(in directory: String, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource

    /// Calls `handler` after the mode, owner or times of the node at `path` were changed, and after it was removed or
    /// moved, also while it is open. It follows the node and not the path. Reading and writing the node do not call
    /// `handler`. One change can lead to several calls, and one call can stand for several changes.
    ///
    /// - Throws: `absent` when there is no such node; `denied` when it may not be read. A watch that was made before
    ///   that goes on.
    func onChange(ofNode path: String, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource

    /// Runs handlers until `stop` is called, and gives back its code. Can be run only once.
    func run() throws(LoopError) -> Int32

    /// Lets `run` return once the present handler is over. Events that came in since are not handled any more.
    func stop(_ code: Int32)
}

/// An event source of a loop. Its registration ends at `deinit`.
public protocol EventSource: AnyObject {}

/// A one-shot timer. It may be armed again, also by its own handler.
public protocol EventTimer: EventSource {
    /// Fires once, at `time` or up to `slack` later to share a wake-up; a time that has passed means at once. Replaces
    /// an earlier arming.
    func arm(at time: BootTime, slack: Interval)

    /// Does not fire until it is armed again.
    func disarm()
}

/// The reason why a call of an event loop failed.
public enum LoopError: Error, Hashable, Sendable {
    /// There is no such file or descriptor.
    case absent
    /// The kernel refuses to watch the file; for example a regular file as a descriptor.
    case denied
    /// This loop watches it already.
    case alreadyWatched
    /// The loop has ended.
    case ended
    /// Anything else, with the errno.
    case failed(errno: Int32)
}

extension EventLoop {
    public func wakingTimer(_ handler: @escaping () -> Void) throws(LoopError) -> any EventTimer { try timer(handler) }

    public func stop() { stop(0) }
}
