import Core

/// An alarm in the book, and what became of it so far.
public struct AlarmEntry: Equatable, Sendable {
    /// What became of its latest time. Raw values are stored; never reuse one.
    public enum Outcome: UInt8, Sendable {
        case played = 1
        /// Nobody vouches for the clock by which it was played.
        case playedByUntrustedClock = 2
        /// It was played within the window before its time, as the wearer stirred.
        case playedEarly = 3
        /// The device was off, or its line away.
        case missed = 4
        /// It ended, or a follow-up or the end of a snooze was lost, as the device or the program stopped.
        case cutShort = 5
        /// The line could not be switched.
        case failed = 6
    }

    /// From 1; never used again in the same book.
    public let id: Int32
    public var plan: AlarmPlan
    /// It was made then; earlier times are none of its own.
    public var since: WallTime
    /// The latest time that is dealt with.
    var mark: Mark?
    /// Nil once it has been played as often as it should.
    var ring: Ring?
    public var outcome: Outcome?
    /// The time that `outcome` is of.
    public var outcomeAt: WallTime?
    /// So many times in a row were missed.
    public var missed = 0

    struct Mark: Equatable {
        /// On the wearer's calendar.
        var day: UTCDay
        /// By whose clock it was dealt with.
        var isTrusted: Bool
        var boot: BootID
        var at: BootTime
    }

    /// It is played, or will be again.
    struct Ring: Equatable {
        var boot: BootID
        var isPlaying: Bool
        /// The next follow-up, or the end of the snooze; nil without.
        var nextAt: BootTime?
        var followUpsLeft: Int
    }

    init(id: Int32, plan: AlarmPlan, since: WallTime) {
        self.id = id
        self.plan = plan
        self.since = since
    }

    /// Whether it is played, or is going to be again without its next time coming.
    public var isRinging: Bool { ring != nil }

    /// A clock that was set by less moves no alarm, and one that comes later is played no more.
    public static let tolerance = Interval.minutes(2)

    /// Whether that time was played or missed already.
    func isDealtWith(_ occurrence: AlarmPlan.Occurrence, at moment: AlarmMoment, early: Interval = .zero) -> Bool {
        guard let mark else { return false }
        if moment.isTrusted, !mark.isTrusted {
            // It was played by a clock that was wrong, unless that moment was right as well.
            guard mark.boot == moment.boot else { return false }
            let played = moment.wall(at: mark.at)
            return played + Self.tolerance + early >= occurrence.at && mark.at <= moment.now
        }
        // A clock was wrong that dealt with days to come.
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
