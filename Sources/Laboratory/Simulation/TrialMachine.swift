import Core

/// A board in true time: its boots, and what its clocks show.
final class TrialMachine {
    /// The true time.
    private(set) var time: WallTime
    /// The true time of boot time zero.
    private(set) var booted: WallTime
    /// The present boot.
    private(set) var boot = BootID.unknown
    /// The count of boots so far.
    private(set) var boots = 0
    /// Whether the kernel says that the wall clock is synchronised.
    private(set) var isSynchronised = false
    /// What the wall clock showed at `setAt`, less the truth.
    private var error = Interval.zero
    private var setAt: WallTime
    /// Parts in a million by which the wall clock runs too fast since then.
    private var drift: Int64 = 0

    init(at time: WallTime) {
        self.time = time
        booted = time
        setAt = time
    }

    /// The wall clock, less the truth.
    var wallError: Interval { error + Interval(nanoseconds: (time - setAt).nanoseconds / 1_000_000 * drift) }

    /// As the clocks of the board show it.
    var now: Instant { Instant(boot: bootTime(at: time), wall: time + wallError, isSynchronised: isSynchronised) }

    /// The boot time of a true time.
    func bootTime(at truth: WallTime) -> BootTime { BootTime(nanoseconds: (truth - booted).nanoseconds) }

    /// The true time of a time of this boot.
    func truth(at time: BootTime) -> WallTime { booted + Interval(nanoseconds: time.nanoseconds) }

    /// Goes on, never back.
    func advance(to truth: WallTime) { time = max(time, truth) }

    /// Begins a boot with a wall clock that nobody has set yet.
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
