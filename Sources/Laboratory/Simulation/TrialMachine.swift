import Core

/// A board in true time: its boots and clocks.
final class TrialMachine {
    /// The true time.
    private(set) var time: WallTime
    /// The true time of boot time zero.
    private(set) var booted: WallTime
    /// The present boot.
    private(set) var boot = BootID.unknown
    /// The number of boots so far.
    private(set) var boots = 0
    /// Whether the kernel says that the wall clock is synchronised.
    private(set) var isSynchronised = false
    /// The error of the wall clock at `setAt`.
    private var error = Interval.zero
    private var setAt: WallTime
    /// Parts per million by which the wall clock has run too fast since then.
    private var drift: Int64 = 0

    init(at time: WallTime) {
        self.time = time
        booted = time
        setAt = time
    }

    /// The error of the wall clock.
    var wallError: Interval { error + Interval(nanoseconds: (time - setAt).nanoseconds / 1_000_000 * drift) }

    /// The readings of the board's clocks.
    var now: Instant { Instant(boot: bootTime(at: time), wall: time + wallError, isSynchronised: isSynchronised) }

    /// The boot time of a true time.
    func bootTime(at truth: WallTime) -> BootTime { BootTime(nanoseconds: (truth - booted).nanoseconds) }

    /// The true time of a boot time.
    func truth(at time: BootTime) -> WallTime { booted + Interval(nanoseconds: time.nanoseconds) }

    /// Advances, never back.
    func advance(to truth: WallTime) { time = max(time, truth) }

    /// Begins a boot with a wall clock that has not been set.
    func start(_ boot: BootID, showing wall: WallTime, drift: Int64) {
        self.boot = boot
        boots += 1
        booted = time
        set(wall, isSynchronised: false, drift: drift)
    }

    /// Sets the wall clock.
    func set(_ wall: WallTime, isSynchronised: Bool, drift: Int64 = 0) {
        error = wall - time
        setAt = time
        self.drift = drift
        self.isSynchronised = isSynchronised
    }
}
