import CLinux
import Glibc
import Core

/// The event loop of the daemon, on epoll(7).
///
/// All ordinary timers share one descriptor. It wakes the loop when the first of them can wait no longer; then all
/// timers that are due fire.
public final class EpollLoop: EventLoop {
    private let epoll: Int32
    /// The number of times that the process was woken from its sleep in `run`.
    public private(set) var wakeUps = 0
    /// The code that `run` returns, once the loop has been stopped.
    private var exitCode: Int32?
    private var failure: LoopError?
    /// The watched descriptors, by the number that the kernel returns with an event. Numbers are never reused, so an
    /// event of a dropped watch finds none.
    private var watches: [UInt64: Weak<LoopWatch>] = [:]
    private var lastWatch: UInt64 = 0
    private var clock: LoopClock?
    /// The signals that are watched.
    var signals: Set<Int32> = []

    public init() throws(LoopError) {
        epoll = try LoopError.check(epoll_create1(Int32(EPOLL_CLOEXEC)))
        clock = try LoopClock(self)
    }

    deinit { close(epoll) }

    public var now: Instant { .now }

    public func run() throws(LoopError) -> Int32 {
        while true {
            if let failure { throw failure }
            if let exitCode { return exitCode }
            try runOnce()
        }
    }

    public func stop(_ code: Int32) { exitCode = exitCode ?? code }

    private func runOnce() throws(LoopError) {
        try clock?.arm()
        wakeUps += 1
        let most = 16
        var failure: Int32 = 0
        let events = withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: most) { buffer in
            // glibc 2.41 does not accept nil here; the address of an empty buffer would be nil.
            guard let room = buffer.baseAddress else { return [UInt64]() }
            let count = epoll_wait(epoll, room, Int32(most), -1)
            if count < 0 { failure = errno }
            return count < 0 ? [] : buffer.prefix(Int(count)).map { $0.data.u64 }
        }
        guard failure == 0 || failure == EINTR else { throw LoopError(errno: failure) }
        for event in events where exitCode == nil { watches[event]?.object?.fire() }
    }
}

// MARK: - What its sources ask of it

extension EpollLoop {
    /// Throws `ended` once the loop was stopped.
    func checkRunning() throws(LoopError) {
        if exitCode != nil { throw .ended }
    }

    /// Calls the watch whenever the descriptor is readable, and returns the number for `remove`.
    func add(_ watch: LoopWatch, _ descriptor: Int32) throws(LoopError) -> UInt64 {
        try checkRunning()
        lastWatch += 1
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: lastWatch))
        try LoopError.check(epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event))
        watches[lastWatch] = Weak(watch)
        return lastWatch
    }

    func remove(_ number: UInt64, _ descriptor: Int32) {
        watches[number] = nil
        // Fails if the descriptor was closed, which already removed it.
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
    }

    /// Ends `run` with the error of a call that fails only if the loop itself is broken.
    func expect(_ result: Int32) {
        guard result < 0, exitCode == nil else { return }
        failure = failure ?? LoopError(errno: errno)
    }

    func include(_ timer: LoopTimer) { clock?.include(timer) }
    func exclude(_ timer: LoopTimer) { clock?.exclude(timer) }
}

extension EpollLoop {
    public func timer(_ handler: @escaping () -> Void) throws(LoopError) -> any EventTimer {
        try checkRunning()
        return LoopTimer(self, handler)
    }

    /// An ordinary timer without the privilege, or on a machine that cannot be woken.
    public func wakingTimer(_ handler: @escaping () -> Void) throws(LoopError) -> any EventTimer {
        do {
            return try WakingTimer(self, handler)
        } catch {
            return try timer(handler)
        }
    }

    public func onClockSet(_ handler: @escaping () -> Void) throws(LoopError) -> any EventSource {
        try LoopClockWatch(self, handler)
    }

    public func watch(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource {
        try LoopWatch(self, descriptor, handler)
    }

    /// Calls `handler` in the loop, not in a signal handler. The signal stays blocked in the calling thread from then
    /// on, even after the object is gone.
    public func onSignal(_ signal: Int32, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource {
        try LoopSignal(self, signal, handler)
    }

    public func onChange(
        in directory: String, _ handler: @escaping () -> Void
    ) throws(LoopError) -> any EventSource {
        try LoopFileWatch(self, directory, IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR, handler)
    }

    public func onChange(
        ofNode path: String, _ handler: @escaping () -> Void
    ) throws(LoopError) -> any EventSource {
        try LoopFileWatch(self, path, IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF, handler)
    }
}

struct Weak<Object: AnyObject> {
    weak var object: Object?

    init(_ object: Object) { self.object = object }
}
