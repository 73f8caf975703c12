import Core

/// A clock that stands still until `advance` is called. Boot time and wall time advance together.
public final class VirtualClock {
    private var time: Instant
    private let source: (() -> Instant)?

    /// A machine that boots at `time`, with a synchronised clock.
    public init(bootingAt time: WallTime) {
        self.time = Instant(boot: BootTime(nanoseconds: 0), wall: time, isSynchronised: true)
        source = nil
    }

    /// A clock that follows another one.
    public init(following source: @escaping () -> Instant) {
        time = source()
        self.source = source
    }

    /// Whether time advances only on request.
    var isVirtual: Bool { source == nil }

    public var now: Instant { source?() ?? time }

    /// Sets the wall clock, and the kernel's synchronisation state.
    public func set(_ wall: WallTime, isSynchronised: Bool) {
        time = Instant(boot: time.boot, wall: wall, isSynchronised: isSynchronised)
    }

    /// Advances to `time`, never back. A clock that follows another advances by itself.
    public func advance(to time: BootTime) {
        if time > self.time.boot { self.time = self.time + (time - self.time.boot) }
    }
}
