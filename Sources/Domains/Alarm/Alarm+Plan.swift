import Core

/// The purpose of an alarm. Raw values are stored; never reuse one.
public enum AlarmKind: UInt8, CaseIterable, Sendable {
    case wake = 1
    case training = 2
    case bedtime = 3
    case custom = 4

    public var pattern: AlarmPattern {
        switch self {
        case .wake: .wake
        case .training: .training
        case .bedtime: .bedtime
        case .custom: .custom
        }
    }
}

extension AlarmKind: CustomStringConvertible {
    public var description: String {
        switch self {
        case .wake: "wake"
        case .training: "training"
        case .bedtime: "bedtime"
        case .custom: "custom"
        }
    }
}

/// The times at which the wearer wants an alarm to play.
public struct AlarmPlan: Equatable, Sendable {
    public var kind: AlarmKind
    /// Minute of the wearer's day, from 0 to 1439.
    public var minute: Int
    public var weekdays: Weekdays
    /// The number of repetitions until it is snoozed or stopped: 0 to 10.
    public var followUps: Int
    /// The time between repetitions, in minutes: 1 to 60.
    public var interval: Int

    public init(kind: AlarmKind, minute: Int, weekdays: Weekdays = .daily, followUps: Int = 0, interval: Int = 5) {
        self.kind = kind
        self.minute = min(max(minute, 0), 1439)
        self.weekdays = weekdays
        self.followUps = min(max(followUps, 0), 10)
        self.interval = min(max(interval, 1), 60)
    }

    /// The latest time at or before `now`, within two weeks; nil if there is none.
    func latest(atOrBefore now: WallTime, _ zone: LocalZone) -> Occurrence? {
        let today = zone.day(at: now)
        for back in 0...14 {
            guard let found = occurrence(on: today + 1 - back, zone), found.at <= now else { continue }
            return found
        }
        return nil
    }

    /// The first time after `now` that `isWanted`; nil if there is none within two weeks.
    func next(after now: WallTime, _ zone: LocalZone, where isWanted: (Occurrence) -> Bool) -> Occurrence? {
        let today = zone.day(at: now)
        for ahead in -1...15 {
            guard let found = occurrence(on: today + ahead, zone), found.at > now, isWanted(found) else { continue }
            return found
        }
        return nil
    }

    func occurrence(on day: UTCDay, _ zone: LocalZone) -> Occurrence? {
        guard weekdays.contains(day), let time = zone.time(of: day, minute: minute) else { return nil }
        return Occurrence(day: day, at: time)
    }

    /// One time at which it plays.
    struct Occurrence: Equatable {
        /// The date on the wearer's calendar.
        let day: UTCDay
        let at: WallTime
    }
}

extension UTCDay {
    fileprivate static func - (day: UTCDay, count: Int) -> UTCDay { day + -count }
}

/// The time at which an alarm is decided about.
public struct AlarmMoment: Sendable {
    public let boot: BootID
    public let now: BootTime
    /// By the trusted clock, or else by the wall clock.
    public let wall: WallTime
    public let isTrusted: Bool

    /// Nil while the clock shows an impossible time, at which no alarm must play.
    public init?(_ now: Instant, _ clock: TrustedClock?, boot: BootID) {
        self.boot = boot
        self.now = now.boot
        isTrusted = clock != nil
        if let clock {
            wall = clock.time(at: now.boot).wall
        } else {
            guard TrustedClock.confirm(now) != nil else { return nil }
            wall = now.wall
        }
    }

    /// The wall time at another moment of this boot.
    func wall(at time: BootTime) -> WallTime { wall + (time - now) }

    func boot(at time: WallTime) -> BootTime { now + (time - wall) }
}
