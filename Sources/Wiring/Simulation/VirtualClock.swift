import Quantities

/// A clock that stands still until it is told to go on. Boot time and wall time advance together.
public final class VirtualClock {
    public private(set) var now: Instant

    /// A machine that boots at `time`.
    public init(bootingAt time: WallTime) { now = Instant(boot: BootTime(nanoseconds: 0), wall: time) }

    /// Goes on to `time`; never back.
    public func advance(to time: BootTime) {
        if time > now.boot { now = now + (time - now.boot) }
    }
}
