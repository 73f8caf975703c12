import System
import Core

/// The time of one run, and its remaining time.
///
/// The remaining time is measured on the boot-time clock, so that a step of the wall clock neither ends a run nor
/// prolongs it.
public struct RunClock: Sendable {
    private let began: Instant
    private let clock: TrustedClock
    /// Nil for a run at a simulated time.
    private let boot: BootID?
    private var pretends: Bool { boot == nil }
    private var limit: Interval

    /// - Parameters:
    ///   - clock: the trusted clock of this boot.
    ///   - boot: this boot.
    ///   - began: the start of the run.
    public init(_ clock: TrustedClock, of boot: BootID, began: Instant, limit: Interval) {
        self.clock = clock
        self.boot = boot
        self.began = began
        self.limit = limit
    }

    /// Simulates a run that begins at this time.
    public init(at time: WallTime, limit: Interval) {
        began = Instant.now
        clock = TrustedClock(
            began: WallTime(nanoseconds: time.nanoseconds - began.boot.nanoseconds), source: .wearer, since: began.boot)
        self.limit = limit
        boot = nil
    }

    /// The reading of this boot; nil for a simulated time.
    public var reading: BootReading? { boot.map { BootReading(id: $0, seen: Instant.now.boot, clock: clock) } }

    public var now: TrustedTime { clock.time(at: Instant.now.boot) }

    /// By the wall clock, like the times of the consent trail.
    public var wall: WallTime { pretends ? now.wall : Instant.now.wall }

    /// Until the deadline; negative after it.
    public var remaining: Interval { limit - (Instant.now.boot - began.boot) }

    /// The same clock with an equal share of the remaining time for the first of several sinks, so that a sink that
    /// never answers leaves time for the others. Unused time goes to them too.
    func part(of sinks: Int) -> RunClock {
        var part = self
        let rest = remaining
        part.limit = limit - rest + rest / Int64(sinks)
        return part
    }
}
