import System
import Core

/// The time of one run, and the rest of it.
///
/// The rest is measured on the boot-time clock, so that a step of the wall clock neither ends a run nor lets it go on
/// for ever.
public struct RunClock: Sendable {
    private let began: Instant
    private let clock: TrustedClock
    /// Nil for a run that pretends to be at another time.
    private let boot: BootID?
    private var pretends: Bool { boot == nil }
    private var limit: Interval

    /// - Parameters:
    ///   - clock: what is known of this boot's clock.
    ///   - boot: this boot.
    ///   - began: when the run began.
    public init(_ clock: TrustedClock, of boot: BootID, began: Instant, limit: Interval) {
        self.clock = clock
        self.boot = boot
        self.began = began
        self.limit = limit
    }

    /// Pretends that the run begins at this time.
    public init(at time: WallTime, limit: Interval) {
        began = Instant.now
        clock = TrustedClock(
            began: WallTime(nanoseconds: time.nanoseconds - began.boot.nanoseconds), source: .wearer, since: began.boot)
        self.limit = limit
        boot = nil
    }

    /// What is known of this boot; nil for a run that pretends.
    public var reading: BootReading? { boot.map { BootReading(id: $0, seen: Instant.now.boot, clock: clock) } }

    public var now: TrustedTime { clock.time(at: Instant.now.boot) }

    /// As the wall clock shows it: entries of the consent trail have such times.
    public var wall: WallTime { pretends ? now.wall : Instant.now.wall }

    /// Until the deadline; negative after it.
    public var remaining: Interval { limit - (Instant.now.boot - began.boot) }

    /// The same clock with an equal part of the rest for the first of so many sinks, so that one that never answers leaves time for the
    /// others. What it does not use is theirs.
    func part(of sinks: Int) -> RunClock {
        var part = self
        let rest = remaining
        part.limit = limit - rest + rest / Int64(sinks)
        return part
    }
}
