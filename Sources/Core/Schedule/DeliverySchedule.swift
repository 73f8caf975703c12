/// The time at which this device sends the record of a closed day (SPEC §7).
///
/// Every device adds a fixed delay of its own to the common hour, the same every night, so that a fleet does not arrive
/// at the server at once.
public struct DeliverySchedule: Equatable, Sendable {
    /// From 00:00 UTC to the time at which this device sends.
    public let delayAfterMidnight: Interval

    /// `deviceHash` is any number that stays the same on this device and differs between devices.
    public init(_ rule: DeliveryRule, deviceHash: UInt64) {
        let choices = UInt64(max(0, rule.jitter.nanoseconds)) + 1
        delayAfterMidnight = rule.dueAfterMidnight + Interval(nanoseconds: Int64(deviceHash % choices))
    }

    /// The first instant at which the record of `day` may be sent.
    public func dueTime(of day: UTCDay) -> WallTime { day.end + delayAfterMidnight }

    public func isDue(_ day: UTCDay, at now: TrustedTime) -> Bool { dueTime(of: day) <= now.wall }

    /// A number for `init(_:deviceHash:)` from the device's name: FNV-1a of 64 bits (Fowler, Noll, Vo). It spreads well
    /// and is not a cryptographic hash.
    public static func hash(_ name: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }
}

/// The times at which records are sent and failures retried (SPEC §7).
public struct DeliveryRule: Equatable, Sendable {
    /// A day is due this long after it was closed at 00:00 UTC.
    public var dueAfterMidnight = Interval.hours(3)
    /// Each device adds a fixed delay of its own, from zero up to this.
    public var jitter = Interval.minutes(30)
    /// The first and the longest wait between attempts, before full jitter.
    public var firstRetry = Interval.seconds(30)
    public var longestRetry = Interval.hours(1)
    public var attemptsPerDay = 10
    /// Undelivered data older than this is dropped.
    public var keepUndelivered = Interval.days(7)
    /// A request to erase that fails for longer than this is given up.
    public static let keepErasure = Interval.days(30)
    /// A run stops cleanly after this time.
    public var deadline = Interval.seconds(60)
    /// Below this charge, in percent, daily records wait; 0 disables it.
    public var lowBattery = 15
    /// The number of runs in a row without a reported end after which delivery backs off.
    public var silentRuns = 3

    public init() {}
}
