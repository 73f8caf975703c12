/// The source that vouches for the time (SPEC §10). Raw values are stored; never reuse one. Another version may have
/// stored a value without a name here.
public struct TimeSource: RawRepresentable, Equatable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The kernel: its clock is synchronised (adjtimex(2)).
    public static let kernel = TimeSource(rawValue: 1)
    /// A hardware clock that the configuration trusts.
    public static let hardwareClock = TimeSource(rawValue: 2)
    /// The wearer's confirmation, for one boot.
    public static let wearer = TimeSource(rawValue: 3)
    /// The satellites of a positioning system, through gpsd.
    public static let receiver = TimeSource(rawValue: 4)
}

/// A time by which data may be closed, sent, dropped and deleted. Only a `TrustedClock` makes one.
public struct TrustedTime: Equatable, Sendable {
    public let wall: WallTime

    fileprivate init(wall: WallTime) { self.wall = wall }

    public var day: UTCDay { UTCDay(containing: wall) }

    public static func + (time: TrustedTime, interval: Interval) -> TrustedTime {
        TrustedTime(wall: time.wall + interval)
    }
}

/// The trusted sources besides the kernel: `[time]` in the configuration.
public struct TimeRule: Equatable, Sendable {
    /// A hardware clock sets the wall clock at boot, and is right.
    public var trustsHardwareClock = false

    public init() {}

    /// A time before 2025 is wrong on any device that runs this program: with an empty battery, hardware clocks start
    /// at 1970 or 2000.
    public static let earliest = WallTime(secondsSinceEpoch: 1_735_689_600)
    /// So is a time 1,023 weeks later: a GPS week number that rolled over is off by 1,024. Each version may move both.
    static let latest = WallTime(secondsSinceEpoch: 2_354_400_000)
    /// The clocks cannot be read at one instant, and a slewed clock drifts a little: a smaller difference is no step.
    static let leastStep = Interval.seconds(1)
    public static let leastLeap = Interval.minutes(1)
}

/// The date of one boot: the wall time at boot time zero, taken at a moment when the wall clock was right.
///
/// Boot time never steps, so the date holds to the end of the boot, even if the wall clock is set later. Only a newer
/// reading of a trusted source changes it.
public struct TrustedClock: Equatable, Sendable {
    /// The wall time at boot time zero.
    public let began: WallTime
    public let source: TimeSource
    /// The boot time since which `source` vouches for it.
    public let since: BootTime
    /// Whether a second source has confirmed the time in this boot, to the minute.
    public let isAgreed: Bool

    public init(began: WallTime, source: TimeSource, since: BootTime, isAgreed: Bool = false) {
        self.began = began
        self.source = source
        self.since = since
        self.isAgreed = isAgreed
    }

    /// This clock, marked as agreed if `other` is from another source and shows the same time, or was agreed and has
    /// not leapt. A hardware clock is no second source, because the system sets it.
    public func witnessed(by other: TrustedClock?) -> TrustedClock {
        guard let other, !leaps(to: other) else { return self }
        let isSecond = other.source != source && ![source, other.source].contains(.hardwareClock)
        guard other.isAgreed || isSecond else { return self }
        return TrustedClock(began: began, source: source, since: since, isAgreed: true)
    }

    public func time(at time: BootTime) -> TrustedTime {
        TrustedTime(wall: WallTime(nanoseconds: began.nanoseconds + time.nanoseconds))
    }

    public func boot(at time: WallTime) -> BootTime { BootTime(nanoseconds: (time - began).nanoseconds) }

    /// The start of the quarter of an hour of UTC that holds `time`.
    public func quarterStart(at time: BootTime) -> BootTime {
        let wall = self.time(at: time).wall
        return boot(at: wall.rounded(downTo: QuarterHour.length))
    }

    /// Decides which source to believe, from the present clocks and the clock known in this boot.
    public static func judge(_ now: Instant, _ rule: TimeRule, known: TrustedClock?) -> TrustedClock? {
        // The configuration may no longer trust it.
        let known = known?.source == .hardwareClock && !rule.trustsHardwareClock ? nil : known
        let source: TimeSource
        if now.isSynchronised {
            source = .kernel
        } else if rule.trustsHardwareClock, known?.source ?? .hardwareClock == .hardwareClock {
            source = .hardwareClock
        } else {
            return known
        }
        return TrustedClock(showing: now, to: source, known: known) ?? known
    }

    /// Takes the wearer's confirmation that the wall clock is right. Nil for an impossible time.
    public static func confirm(_ now: Instant) -> TrustedClock? {
        TrustedClock(showing: now, to: .wearer, known: nil)
    }

    /// Takes a receiver's wall time at boot time zero. Nil if it changes nothing, if a better source is known, and for
    /// an impossible time.
    public static func heard(_ began: WallTime, at now: BootTime, known: TrustedClock?) -> TrustedClock? {
        let heard = TrustedClock(began: began, source: .receiver, since: now)
        let wall = heard.time(at: now).wall
        guard wall >= TimeRule.earliest, wall < TimeRule.latest else { return nil }
        guard let known else { return heard }
        if known.source == .receiver { return known.differs(from: heard) ? heard.witnessed(by: known) : nil }
        let witnessed = known.witnessed(by: heard)
        return witnessed == known ? nil : witnessed
    }

    private init?(showing now: Instant, to source: TimeSource, known: TrustedClock?) {
        guard now.wall >= TimeRule.earliest, now.wall < TimeRule.latest else { return nil }
        let shown = TrustedClock(began: now.wall(at: BootTime(nanoseconds: 0)), source: source, since: now.boot)
        if let known, known.source == source, !known.differs(from: shown) {
            self = known
        } else {
            self = shown.witnessed(by: known)
        }
    }

    /// Whether one of the two clocks must have stepped.
    public func differs(from other: TrustedClock) -> Bool { leaps(to: other, by: TimeRule.leastStep) }

    /// Whether the difference is more than a correction. A leap may be taken back, so at first nothing is deleted by
    /// the new clock, and nothing is sent for a while.
    public func leaps(to other: TrustedClock, by least: Interval = TimeRule.leastLeap) -> Bool {
        (began - other.began).nanoseconds.magnitude >= least.nanoseconds.magnitude
    }

    /// The time for which nothing is sent after a leap to the other clock (SPEC §7).
    public func sendingPause(afterLeapTo other: TrustedClock) -> Interval {
        leaps(to: other, by: .days(1)) ? .hours(1) : .minutes(1)
    }
}

extension TrustedClock {
    /// A bit in the byte of the source, because there are few sources.
    private static let agreedBit: UInt8 = 0x80

    public func pack(into packer: inout Packer) {
        packer.put(began.nanoseconds)
        packer.put(source.rawValue | (isAgreed ? Self.agreedBit : 0))
        packer.put(since.nanoseconds)
    }

    public init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        let began = try unpacker.takeWallTime()
        let source: UInt8 = try unpacker.take()
        self.init(
            began: began, source: TimeSource(rawValue: source & ~Self.agreedBit), since: try unpacker.takeBootTime(),
            isAgreed: source & Self.agreedBit != 0)
    }
}

/// The unit in which all collected data is kept and dated.
public enum QuarterHour {
    public static let length = Interval.minutes(15)

    /// The start of the quarter that holds `time`, counted from the start of the boot while no clock is trusted.
    public static func start(at time: BootTime) -> BootTime { time.rounded(downTo: length) }
}

extension TimePoint {
    /// The latest whole multiple of `interval` since the clock's zero that is not after it.
    public func rounded(downTo interval: Interval) -> Self {
        let rest = nanoseconds % interval.nanoseconds
        return Self(nanoseconds: nanoseconds - (rest < 0 ? rest + interval.nanoseconds : rest))
    }
}
