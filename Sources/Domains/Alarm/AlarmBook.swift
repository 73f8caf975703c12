import Core

/// The wearer's alarms and their outcomes. Decides what to play and when, as a value.
public struct AlarmBook: Equatable, Sendable {
    /// Oldest first.
    public private(set) var alarms: [AlarmEntry] = []
    private var nextID: Int32 = 1
    /// The kinds that are on, and the kinds that the wearer turned on or off; bit n stands for the kind with the raw
    /// value n.
    private var isOn: UInt8 = 0
    private var isDecided: UInt8 = 0
    /// Parts of other versions.
    private var kept = Parts()
    /// The kinds turned on or off since the last record in the trail; not stored.
    private var turns: [PartTurn] = []

    public static let mostAlarms = 32

    public init() {}

    /// An action for the caller, to carry out and report.
    public enum Act: Equatable, Sendable {
        case play(AlarmEntry.ID, AlarmKind, AlarmEntry.Outcome)
        /// This many times in a row passed while it could not be played.
        case missed(AlarmEntry.ID, AlarmKind, times: Int)
        case cutShort(AlarmEntry.ID, AlarmKind)
    }
}

extension AlarmEntry { public typealias ID = Int32 }

// MARK: - Changes by the wearer

extension AlarmBook {
    /// A kind is off until its first alarm is made, or until it is turned on.
    public func isOn(_ kind: AlarmKind) -> Bool { isOn >> kind.rawValue & 1 == 1 }

    /// An alarm of a kind turned off stops ringing after the settle time.
    public mutating func turn(_ kind: AlarmKind, on: Bool, at time: WallTime) {
        isDecided |= 1 << kind.rawValue
        guard isOn(kind) != on else { return }
        turns.append(PartTurn(part: kind.rawValue, isOn: on, at: time))
        if on { isOn |= 1 << kind.rawValue } else { isOn &= ~(1 << kind.rawValue) }
        for index in alarms.indices where alarms[index].plan.kind == kind {
            // Times while it was off were not missed.
            alarms[index].since = time
        }
    }

    public mutating func takeTurns() -> [PartTurn] {
        defer { turns = [] }
        return turns
    }

    /// Nil if the book is full.
    public mutating func add(_ plan: AlarmPlan, at time: WallTime) -> AlarmEntry.ID? {
        guard alarms.count < Self.mostAlarms else { return nil }
        if isDecided >> plan.kind.rawValue & 1 == 0 { turn(plan.kind, on: true, at: time) }
        defer { nextID += 1 }
        alarms.append(AlarmEntry(id: nextID, plan: plan, since: time))
        return nextID
    }

    /// Returns whether the alarm existed.
    public mutating func remove(_ id: AlarmEntry.ID) -> Bool {
        let count = alarms.count
        alarms.removeAll { $0.id == id }
        return alarms.count < count
    }

    /// Snoozes the ringing alarms. Returns them.
    public mutating func snooze(for length: Interval, at now: BootTime, in boot: BootID) -> [AlarmEntry.ID] {
        ringing(in: boot).map { index in
            alarms[index].ring?.isPlaying = false
            alarms[index].ring?.nextAt = now + length
            return alarms[index].id
        }
    }

    /// Ends the ringing alarms and their follow-ups. Returns them.
    public mutating func stop(in boot: BootID) -> [AlarmEntry.ID] {
        ringing(in: boot).map { index in
            alarms[index].ring = nil
            return alarms[index].id
        }
    }

    private func ringing(in boot: BootID) -> [Int] { alarms.indices.filter { alarms[$0].ring?.boot == boot } }
}

// MARK: - Deciding

extension AlarmBook {
    /// The circumstances of a decision.
    public struct Circumstances: Sendable {
        public var zone: LocalZone
        /// Earlier times do not count: the domain was off.
        public var since: WallTime
        /// A wake alarm may be played this long before its time.
        public var wakeWindow: Interval
        /// The latest movement after stillness, of this boot.
        public var stirredAt: BootTime?
        /// The time after which turning off a kind ends its ringing alarms.
        public var settleTime: Interval

        public init(
            zone: LocalZone, since: WallTime, wakeWindow: Interval = .zero, stirredAt: BootTime? = nil,
            settleTime: Interval = .zero
        ) {
            self.zone = zone
            self.since = since
            self.wakeWindow = wakeWindow
            self.stirredAt = stirredAt
            self.settleTime = settleTime
        }
    }

    /// Called at the start of the program: an alarm that was playing starts its pattern again, or was cut short if that
    /// was long ago.
    public mutating func resume(at moment: AlarmMoment, _ circumstances: Circumstances) -> [Act] {
        var acts: [Act] = []
        for index in alarms.indices {
            guard var ring = alarms[index].ring else { continue }
            guard isOn(alarms[index].plan.kind) else {
                alarms[index].ring = nil
                continue
            }
            let isOfThisBoot = ring.boot == moment.boot
            let goesOn = ring.isPlaying && isOfThisBoot && ring.nextAt.map { $0 > moment.now } ?? true
            if goesOn, let outcome = alarms[index].outcome, let began = alarms[index].outcomeAt,
                began >= circumstances.since, began <= moment.wall, moment.wall - began <= AlarmEntry.tolerance
            {
                acts.append(.play(alarms[index].id, alarms[index].plan.kind, outcome))
                continue
            }
            if ring.isPlaying || !isOfThisBoot { acts.append(cutShort(index, at: moment)) }
            ring.isPlaying = false
            alarms[index].ring = isOfThisBoot && ring.nextAt != nil ? ring : nil
        }
        return acts
    }

    /// Handles everything that is due.
    public mutating func act(at moment: AlarmMoment, _ circumstances: Circumstances) -> [Act] {
        var acts: [Act] = []
        for index in alarms.indices {
            guard isOn(alarms[index].plan.kind) else {
                // If the clock jumped, the settling is over as well.
                let elapsed = moment.wall - alarms[index].since
                if elapsed < .zero || elapsed >= circumstances.settleTime { alarms[index].ring = nil }
                continue
            }
            acts += followUp(index, at: moment)
            acts += begin(index, at: moment, circumstances)
        }
        return acts
    }

    /// The time of the next action; nil if none is due later.
    public func next(at moment: AlarmMoment, _ circumstances: Circumstances) -> BootTime? {
        var earliest: BootTime?
        for alarm in alarms {
            guard isOn(alarm.plan.kind) else {
                if alarm.ring != nil {
                    let settled = moment.boot(at: alarm.since + circumstances.settleTime)
                    earliest = min(earliest ?? settled, settled)
                }
                continue
            }
            let times = [
                alarm.ring?.nextAt, nextTime(of: alarm, at: moment, circumstances).map { moment.boot(at: $0.at) },
            ]
            for time in times.compactMap({ $0 }) { earliest = min(earliest ?? time, time) }
        }
        return earliest
    }

    /// Its next time, for people; nil while its kind is off.
    public func nextTime(of alarm: AlarmEntry, at moment: AlarmMoment, _ zone: LocalZone) -> WallTime? {
        guard isOn(alarm.plan.kind) else { return nil }
        return nextTime(of: alarm, at: moment, Circumstances(zone: zone, since: moment.wall))?.at
    }

    private func nextTime(
        of alarm: AlarmEntry, at moment: AlarmMoment, _ circumstances: Circumstances
    ) -> AlarmPlan.Occurrence? {
        let window = window(of: alarm, circumstances)
        return alarm.plan.next(after: moment.wall, circumstances.zone) {
            !alarm.isDealtWith($0, at: moment, early: window)
        }
    }

    private func window(of alarm: AlarmEntry, _ circumstances: Circumstances) -> Interval {
        alarm.plan.kind == .wake ? circumstances.wakeWindow : .zero
    }

    private mutating func followUp(_ index: Int, at moment: AlarmMoment) -> [Act] {
        guard var ring = alarms[index].ring, let due = ring.nextAt, due <= moment.now else { return [] }
        guard moment.now - due <= AlarmEntry.tolerance else {
            alarms[index].ring = nil
            return [cutShort(index, at: moment)]
        }
        ring.isPlaying = true
        ring.followUpsLeft = max(ring.followUpsLeft - 1, 0)
        ring.nextAt = ring.followUpsLeft > 0 ? moment.now + .minutes(Int64(alarms[index].plan.interval)) : nil
        alarms[index].ring = ring
        let outcome: AlarmEntry.Outcome = moment.isTrusted ? .played : .playedByUntrustedClock
        (alarms[index].outcome, alarms[index].outcomeAt) = (outcome, moment.wall)
        return [.play(alarms[index].id, alarms[index].plan.kind, outcome)]
    }

    private mutating func begin(_ index: Int, at moment: AlarmMoment, _ circumstances: Circumstances) -> [Act] {
        let alarm = alarms[index]
        let window = window(of: alarm, circumstances)
        // A later time than now was set by a wrong clock, so it is replaced.
        let floor = max(alarm.since, circumstances.since)
        let since = floor > moment.wall ? moment.wall - AlarmEntry.tolerance : floor
        if let latest = alarm.plan.latest(atOrBefore: moment.wall, circumstances.zone), latest.at >= since,
            !alarm.isDealtWith(latest, at: moment, early: window)
        {
            let earlier = missed(before: latest, of: alarm, since: since, circumstances.zone, at: moment)
            if moment.wall - latest.at <= AlarmEntry.tolerance {
                let told = earlier > 0 ? [Act.missed(alarm.id, alarm.plan.kind, times: earlier)] : []
                return told + [play(index, latest, moment.isTrusted ? .played : .playedByUntrustedClock, at: moment)]
            }
            if moment.isTrusted { return [miss(index, latest, times: earlier + 1, at: moment)] }
        }
        guard window > .zero, let stirredAt = circumstances.stirredAt,
            let next = nextTime(of: alarm, at: moment, circumstances), next.at - window <= moment.wall(at: stirredAt),
            stirredAt <= moment.now, moment.now - stirredAt <= AlarmEntry.tolerance
        else { return [] }
        return [play(index, next, moment.isTrusted ? .playedEarly : .playedByUntrustedClock, at: moment)]
    }

    private mutating func play(
        _ index: Int, _ occurrence: AlarmPlan.Occurrence, _ outcome: AlarmEntry.Outcome, at moment: AlarmMoment
    ) -> Act {
        let plan = alarms[index].plan
        mark(index, occurrence, at: moment)
        alarms[index].ring = AlarmEntry.Ring(
            boot: moment.boot, isPlaying: true,
            nextAt: plan.followUps > 0 ? moment.now + .minutes(Int64(plan.interval)) : nil,
            followUpsLeft: plan.followUps)
        (alarms[index].outcome, alarms[index].outcomeAt, alarms[index].missed) = (outcome, moment.wall, 0)
        return .play(alarms[index].id, plan.kind, outcome)
    }

    /// The number of times in a row before `latest` that were neither played nor reported; 0 for an untrusted clock.
    private func missed(
        before latest: AlarmPlan.Occurrence, of alarm: AlarmEntry, since: WallTime, _ zone: LocalZone,
        at moment: AlarmMoment
    ) -> Int {
        guard moment.isTrusted else { return 0 }
        let others = (1...14).lazy.compactMap { alarm.plan.occurrence(on: latest.day + -$0, zone) }
        return others.prefix { $0.at >= since && !alarm.isDealtWith($0, at: moment) }.count
    }

    private mutating func miss(
        _ index: Int, _ latest: AlarmPlan.Occurrence, times: Int, at moment: AlarmMoment
    ) -> Act {
        let alarm = alarms[index]
        mark(index, latest, at: moment)
        alarms[index].ring = nil
        (alarms[index].outcome, alarms[index].outcomeAt) = (.missed, latest.at)
        alarms[index].missed = min(alarm.missed + times, 1000)
        return .missed(alarm.id, alarm.plan.kind, times: times)
    }

    private mutating func mark(_ index: Int, _ occurrence: AlarmPlan.Occurrence, at moment: AlarmMoment) {
        alarms[index].mark = AlarmEntry.Mark(
            day: occurrence.day, isTrusted: moment.isTrusted, boot: moment.boot, at: moment.now)
    }

    private mutating func cutShort(_ index: Int, at moment: AlarmMoment) -> Act {
        (alarms[index].outcome, alarms[index].outcomeAt) = (.cutShort, moment.wall)
        return .cutShort(alarms[index].id, alarms[index].plan.kind)
    }

    /// Called when its pattern is over, or could not be played.
    public mutating func ended(_ id: AlarmEntry.ID, failed: Bool) {
        guard let index = alarms.firstIndex(where: { $0.id == id }) else { return }
        if failed { alarms[index].outcome = .failed }
        alarms[index].ring?.isPlaying = false
        if alarms[index].ring?.nextAt == nil { alarms[index].ring = nil }
    }

    /// Whether its pattern is playing.
    public func isPlaying(_ id: AlarmEntry.ID) -> Bool {
        alarms.contains { $0.id == id && $0.ring?.isPlaying == true }
    }

    /// Whether any alarm is ringing.
    public var isRinging: Bool { alarms.contains(where: \.isRinging) }
}

// MARK: - Storing

extension AlarmBook: BookRow {
    public static let book = Book.alarms
    public var tallies: [BookTally] { [BookTally("alarm", alarms.count)] }

    /// Compares the stored forms.
    public static func == (left: AlarmBook, right: AlarmBook) -> Bool { left.bytes == right.bytes }

    /// Never reuse a tag.
    private enum Part {
        static let kinds = Parts.Kind(1, version: 1)
        static let alarms = Parts.Kind(2, version: 1)
    }

    public static func newerPart(of bytes: [UInt8]) -> Parts.Newer? {
        Parts.firstNewer(in: bytes, than: [Part.kinds, Part.alarms])
    }

    public var bytes: [UInt8] {
        var parts = kept
        parts.put(Part.kinds) {
            $0.put(isOn)
            $0.put(isDecided)
            $0.put(nextID)
        }
        parts.put(Part.alarms, each: alarms) { $0.pack(into: &$1) }
        return parts.bytes
    }

    public init(_ bytes: [UInt8]) throws(Unpacker.Malformed) {
        let parts = try Parts(bytes)
        if var unpacker = try parts[Part.kinds]?.unpacker {
            isOn = try unpacker.take()
            isDecided = try unpacker.take()
            nextID = try unpacker.take()
            guard unpacker.isAtEnd, nextID > 0, nextID < .max else { throw Unpacker.Malformed() }
        }
        alarms = try parts.list(Part.alarms, atMost: Self.mostAlarms) { unpacker throws(Unpacker.Malformed) in
            try AlarmEntry(from: &unpacker)
        }
        kept = parts.excluding([Part.kinds, Part.alarms])
    }
}
