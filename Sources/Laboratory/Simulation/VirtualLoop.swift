import Devices
import System
import Core

/// An event loop in virtual time: it jumps from one wake-up to the next, each slightly late, as with a kernel that
/// coalesces timers.
///
/// Descriptors are those of simulated lines. Directories are checked on `changed(in:)`, and once a minute while `live`
/// runs; the caller sends signals and changes of nodes.
public final class VirtualLoop: EventLoop {
    /// The time, before a limit, at which a descriptor is readable: now or later; nil for none.
    public typealias Readiness = (_ descriptor: Int32, _ limit: BootTime) -> BootTime?

    public let clock: VirtualClock
    /// Called at every wake-up and every halt.
    public var observer: (any VirtualLoopObserver)?
    /// The time at which `run` ends.
    public var end = WallTime(nanoseconds: .max)
    /// Called by `run` after every minute.
    public var onMinute: (Instant) -> Void = { _ in }

    private let seed: UInt64
    private let readiness: Readiness
    private var timers: [Registration<VirtualTimer>] = []
    private var watches: [Registration<VirtualSource>] = []
    private var files: [Registration<VirtualSource>] = []
    private var signals: [Registration<VirtualSource>] = []
    /// The code passed to `stop`; nil before.
    private var code: Int32?

    /// - Parameters:
    ///   - seed: Of the timers' delays.
    ///   - readiness: The readiness of the descriptors that may be watched. Called for every wake-up, so its answer may
    ///     change.
    public init(clock: VirtualClock, seed: UInt64, readiness: @escaping Readiness = { _, _ in nil }) {
        self.clock = clock
        self.seed = seed
        self.readiness = readiness
    }

    public var now: Instant { clock.now }

    public func timer(_ handler: @escaping () -> Void) throws(LoopError) -> any EventTimer {
        try add(VirtualTimer(handler), as: .none, to: &timers)
    }

    public func watch(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource {
        try add(VirtualSource(handler), as: .number(descriptor), to: &watches)
    }

    public func onSignal(_ signal: Int32, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource {
        try add(VirtualSource(handler), as: .number(signal), to: &signals)
    }

    public func onChange(
        in directory: String, _ handler: @escaping () -> Void
    ) throws(LoopError) -> any EventSource {
        try add(VirtualSource(handler), as: .directory(directory), to: &files)
    }

    /// Watches a node. The loop assumes that every node exists.
    public func onChange(ofNode path: String, _ handler: @escaping () -> Void) throws(LoopError) -> any EventSource {
        try add(VirtualSource(handler), as: .node(path), to: &files)
    }

    public func onClockSet(_ handler: @escaping () -> Void) throws(LoopError) -> any EventSource {
        try add(VirtualSource(handler), as: .clock, to: &files)
    }

    public func stop(_ code: Int32) { self.code = self.code ?? code }
}

// MARK: - Running

extension VirtualLoop {
    /// Runs until `stop` is called; at `end` SIGTERM is sent, as at a shutdown.
    public func run() throws(LoopError) -> Int32 {
        live(until: end) { now in
            onMinute(now)
            return true
        }
        if code == nil { send(Self.sigterm) }
        return code ?? 0
    }

    /// Runs minute by minute until the clock shows `end` or `stop` was called. After each minute the directories are
    /// checked, and `onMinute` is called; if it returns false, the run ends early.
    public func live(until end: WallTime, onMinute: (Instant) -> Bool) {
        while now.wall < end, code == nil {
            run(until: min(end, now.wall + .minutes(1)))
            guard code == nil else { return }
            callFiles { if case .directory = $0 { true } else { false } }
            guard onMinute(now) else { return }
        }
    }

    /// Runs until the clock shows `end` or `stop` was called, with a halt at the end of every UTC day.
    public func run(until end: WallTime) {
        while now.wall < end, code == nil {
            let halt = now.boot(at: min(UTCDay(containing: now.wall).end, end))
            if let (time, source) = next(before: halt) {
                clock.advance(to: time)
                observer?.wakes(at: now)
                source.fire()
                observer?.slept(at: now)
            } else {
                clock.advance(to: halt)
                observer?.halted(at: now)
            }
        }
    }

    /// Calls the handlers of a signal.
    public func send(_ signal: Int32) {
        for registration in signals where registration.subject == .number(signal) { registration.source?.fire() }
    }

    /// Reports that a descriptor outside the simulated devices is readable.
    public func becameReadable(_ descriptor: Int32) {
        for registration in watches where registration.subject == .number(descriptor) { registration.source?.fire() }
    }

    /// Reports that the wall clock was set.
    public func clockWasSet() { callFiles { $0 == .clock } }

    /// Reports that a file was written in `directory`.
    public func changed(in directory: String) { callFiles { $0 == .directory(directory) } }

    /// Reports that the node at `path` has another mode, or is gone.
    public func changed(node path: String) { callFiles { $0 == .node(path) } }

    private func callFiles(where isConcerned: (Subject) -> Bool) {
        for registration in files where isConcerned(registration.subject) { registration.source?.fire() }
    }

    /// The first wake-up of the process; nil if there is none before `halt`. A line that is ready at the same instant
    /// as a timer has to wait.
    private func next(before halt: BootTime) -> (BootTime, VirtualSource)? {
        let now = clock.now.boot
        var first: (BootTime, VirtualSource)?
        var limit = halt
        func offer(_ time: BootTime?, _ source: VirtualSource) {
            guard let time = time.map({ max($0, now) }), time < limit else { return }
            first = (time, source)
            limit = time
        }
        for registration in timers {
            guard let timer = registration.source, let due = timer.due else { continue }
            offer(due + lateness(at: due, within: timer.slack), timer)
        }
        for registration in watches {
            guard let watch = registration.source, case .number(let descriptor) = registration.subject else { continue }
            offer(readiness(descriptor, limit), watch)
        }
        return first
    }

    /// The delay of a timer: the same however the run is divided.
    private func lateness(at time: BootTime, within slack: Interval) -> Interval {
        var generator = SplitGenerator(seed: seed, stream: UInt64(bitPattern: time.nanoseconds))
        return Interval(nanoseconds: .random(in: 0...slack.nanoseconds, using: &generator))
    }
}

/// Observes a running `VirtualLoop`.
public protocol VirtualLoopObserver: AnyObject {
    /// The process was woken, and now handles the event.
    func wakes(at now: Instant)
    /// It has handled the event and sleeps again.
    func slept(at now: Instant)
    /// It continues to sleep, while the day ends or the caller of the loop acts.
    func halted(at now: Instant)
}

// MARK: - Event sources

extension VirtualLoop {
    private static let sigterm: Int32 = 15

    private enum Subject: Equatable {
        case none
        case clock
        case number(Int32)
        case directory(String)
        case node(String)
    }

    private struct Registration<Source: VirtualSource> {
        let subject: Subject
        weak var source: Source?
    }

    private func add<Source: VirtualSource>(
        _ source: Source, as subject: Subject, to registrations: inout [Registration<Source>]
    ) throws(LoopError) -> Source {
        guard code == nil else { throw .ended }
        registrations.removeAll { $0.source == nil }
        if case .number = subject, registrations.contains(where: { $0.subject == subject }) { throw .alreadyWatched }
        registrations.append(Registration(subject: subject, source: source))
        return source
    }
}

private class VirtualSource: EventSource {
    private let handler: () -> Void

    init(_ handler: @escaping () -> Void) { self.handler = handler }

    func fire() { handler() }
}

private final class VirtualTimer: VirtualSource, EventTimer {
    private(set) var due: BootTime?
    private(set) var slack = Interval.zero

    func arm(at time: BootTime, slack: Interval) {
        due = time
        self.slack = slack
    }

    func disarm() { due = nil }

    override func fire() {
        due = nil
        super.fire()
    }
}
