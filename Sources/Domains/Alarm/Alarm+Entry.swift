import Core

/// An alarm in the book, with its outcome so far.
public struct AlarmEntry: Equatable, Sendable {
    /// The outcome of its latest time. Raw values are stored; never reuse one.
    public enum Outcome: UInt8, Sendable {
        case played = 1
        /// The clock by which it was played was not trusted.
        case playedByUntrustedClock = 2
        /// It was played in the window before its time, because the wearer stirred.
        case playedEarly = 3
        /// The device was off, or its output line missing.
        case missed = 4
        /// The device or the program stopped while it played, or before a follow-up or the end of a snooze.
        case cutShort = 5
        /// The line could not be switched.
        case failed = 6
    }

    /// From 1; never reused in the same book.
    public let id: Int32
    public var plan: AlarmPlan
    /// When it was made, or its kind last turned on or off; earlier times do not count.
    public var since: WallTime
    /// The latest time that was played or missed.
    var mark: Mark?
    /// Nil unless it is playing or will play again.
    var ring: Ring?
    public var outcome: Outcome?
    /// The time to which `outcome` belongs.
    public var outcomeAt: WallTime?
    /// The number of times missed in a row.
    public var missed = 0

    struct Mark: Equatable {
        /// On the wearer's calendar.
        var day: UTCDay
        /// Whether the clock was trusted.
        var isTrusted: Bool
        var boot: BootID
        var at: BootTime
    }

    /// An alarm that plays, or will play again.
    struct Ring: Equatable {
        var boot: BootID
        var isPlaying: Bool
        /// The next follow-up, or the end of the snooze; nil for none.
        var nextAt: BootTime?
        var followUpsLeft: Int
    }

    init(id: Int32, plan: AlarmPlan, since: WallTime) {
        self.id = id
        self.plan = plan
        self.since = since
    }

    /// Whether it plays, or a follow-up or the end of a snooze is still to come.
    public var isRinging: Bool { ring != nil }

    /// The time at which it plays again, by a follow-up or after a snooze; nil while it plays.
    public func playsAgain(at moment: AlarmMoment) -> WallTime? {
        guard let ring, !ring.isPlaying, ring.boot == moment.boot else { return nil }
        return ring.nextAt.map { moment.wall(at: $0) }
    }

    /// A smaller change of the clock moves no alarm, and an alarm later than this is not played.
    public static let tolerance = Interval.minutes(2)

    /// Whether that time was played or missed already.
    func isDealtWith(_ occurrence: AlarmPlan.Occurrence, at moment: AlarmMoment, early: Interval = .zero) -> Bool {
        guard let mark else { return false }
        if moment.isTrusted, !mark.isTrusted {
            // A wrong clock may have played it, unless the moment of playing was right as well.
            guard mark.boot == moment.boot else { return false }
            let played = moment.wall(at: mark.at)
            return played + Self.tolerance + early >= occurrence.at && mark.at <= moment.now
        }
        // A mark some days ahead was made by a wrong clock.
        let today = UTCDay(containing: moment.wall)
        return mark.day >= occurrence.day && mark.day <= today + 2
    }
}

// MARK: - Storing

extension AlarmEntry {
    func pack(into packer: inout Packer) {
        packer.put(id)
        packer.put(plan.kind.rawValue)
        packer.put(UInt16(plan.minute))
        packer.put(plan.weekdays.bits)
        packer.put(UInt8(plan.followUps))
        packer.put(UInt8(plan.interval))
        packer.put(since.nanoseconds)
        packer.put(mark != nil)
        if let mark {
            packer.put(mark.day.daysSinceEpoch)
            packer.put(mark.isTrusted)
            mark.boot.pack(into: &packer)
            packer.put(mark.at)
        }
        packer.put(ring != nil)
        if let ring {
            ring.boot.pack(into: &packer)
            packer.put(ring.isPlaying)
            packer.put(ring.nextAt != nil)
            if let nextAt = ring.nextAt { packer.put(nextAt) }
            packer.put(UInt8(ring.followUpsLeft))
        }
        packer.put(outcome?.rawValue ?? 0)
        packer.put(outcomeAt?.nanoseconds ?? 0)
        packer.put(UInt16(clamping: missed))
    }

    init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        id = try unpacker.take()
        guard let kind = AlarmKind(rawValue: try unpacker.take()) else { throw Unpacker.Malformed() }
        plan = AlarmPlan(
            kind: kind, minute: Int(try unpacker.take(UInt16.self)), weekdays: Weekdays(bits: try unpacker.take()),
            followUps: Int(try unpacker.take(UInt8.self)), interval: Int(try unpacker.take(UInt8.self)))
        since = try unpacker.takeWallTime()
        if try unpacker.takeBool() {
            mark = Mark(
                day: try unpacker.takeDay(), isTrusted: try unpacker.takeBool(), boot: try BootID(from: &unpacker),
                at: try unpacker.takeBootTime())
        }
        if try unpacker.takeBool() {
            let boot = try BootID(from: &unpacker)
            let isPlaying = try unpacker.takeBool()
            let nextAt = try unpacker.takeBool() ? unpacker.takeBootTime() : nil
            ring = Ring(
                boot: boot, isPlaying: isPlaying, nextAt: nextAt, followUpsLeft: Int(try unpacker.take(UInt8.self)))
        }
        let outcome: UInt8 = try unpacker.take()
        self.outcome = Outcome(rawValue: outcome)
        guard outcome == 0 || self.outcome != nil else { throw Unpacker.Malformed() }
        let time = try unpacker.takeWallTime()
        outcomeAt = outcome == 0 ? nil : time
        missed = Int(try unpacker.take(UInt16.self))
    }
}
