import Core
import Signal

/// Reports when the wearer arrives at a place, leaves it or stays there, from believed fixes (SPEC §11).
///
/// Coordinates are kept in memory only, unless the wearer agreed to store them. The stored state has the sides of the
/// fences and the times of a stay.
struct LocationCollector: Collector {
    private let settings: LocationSettings
    private var filter: FixFilter
    private var fences: [FenceWatch]
    private var stays: StayDetector
    private var receiver: ReceiverPlan
    private var keepsCoordinates = false
    /// The place of the latest significant change; nil without the scope `coordinates`.
    private var kept: Coordinates?
    /// The latest believed fix.
    private var latest: Fix?
    /// Changes without a date so far.
    private var undated: [StayDetector.Change] = []
    /// Whether a window made the latest of them, which has no date with it: the next fix may be hours away.
    private var wantsDate = false
    /// Visits that ended with an earlier boot, to be stored when collection begins.
    private var ended: [Visit] = []

    private static let mostUndated = 64

    init(_ settings: DomainValues) {
        let settings = settings[LocationSettings.self]
        self.settings = settings
        filter = FixFilter(settings)
        fences = settings.fences.compactMap { FenceWatch($0, dwell: settings.dwell) }
        stays = StayDetector(settings)
        receiver = ReceiverPlan(settings)
    }

    var signals: CollectorSignals { wantsFixes ? .position : [] }
    private var wantsFixes = false

    func agenda(at now: BootTime) -> BootTime? {
        let times =
            fences.compactMap(\.decidesAt)
            + [receiver.agenda(at: now), stays.endsAt, wantsDate ? now : nil].compactMap { $0 }
        return times.min()
    }

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        var effects: [CollectorEffect] = []
        switch input {
        case .began(let scope, _): effects = begin(scope)
        case .window(let window): effects = take(window, at: now)
        case .fixes(let fixes, let clock): effects = take(fixes, clock, at: now)
        case .woke(let clock):
            wantsDate = false
            effects = decideFences(at: now) + note(stays.decide(at: now), clock)
            receiver.follow(
                believed: 0, isUndecided: isUndecided, isStaying: stays.stay != nil, border: border, at: now)
        case .interrupted:
            receiver.interrupt()
            filter.interrupt()
            for index in fences.indices { fences[index].interrupt() }
        case .finished(let clock): effects = endings() + note(stays.end().map { [.left($0)] } ?? [], clock)
        default: return []
        }
        wantsFixes = receiver.wantsFixes(at: now)
        return effects
    }

    private var followsStays: Bool { settings.mode != .geofence }
    private var isUndecided: Bool { fences.contains(where: \.isUndecided) || stays.isUndecided }

    /// Metres from the latest fix to the nearest border.
    private var border: Double? {
        guard let latest, !fences.isEmpty else { return nil }
        return fences.reduce(Double.infinity) { min($0, $1.distance(from: latest.position, exactUpTo: $0)) }
    }

    private mutating func begin(_ scope: Scope) -> [CollectorEffect] {
        keepsCoordinates = scope.contains(.coordinates)
        if !keepsCoordinates { kept = nil }
        return endings()
    }

    /// Returns the visits of an earlier boot, once.
    private mutating func endings() -> [CollectorEffect] {
        defer { ended = [] }
        return ended.map { visit in
            .stayed(
                .visit(
                    Visit(
                        arrived: visit.arrived, left: visit.left, place: visit.place,
                        position: keepsCoordinates ? visit.position : nil)))
        }
    }

    private mutating func take(_ window: JudgedWindow, at now: BootTime) -> [CollectorEffect] {
        receiver.take(window, at: now)
        let isWorn = window.wear.state != .notWorn || window.wearBefore.state != .notWorn
        filter.elapse(until: now, pace: isWorn ? max(window.before.activity.pace, window.after.activity.pace) : 0)
        receiver.follow(believed: 0, isUndecided: isUndecided, isStaying: stays.stay != nil, border: border, at: now)
        guard followsStays else { return [] }
        switch window.after.activity {
        // A wearer who walked about without a signal may rest elsewhere.
        case .stationary where window.wear.state != .notWorn && filter.reach <= Double(settings.visitRadius):
            let changes = stays.rest(until: now, place: fences.place)
            wantsDate = !changes.isEmpty
            return note(changes, nil)
        case .stationary, .walking: stays.linger(until: now)
        case .running, .automotive, .unknown: break
        }
        return []
    }

    private mutating func take(_ fixes: [Fix], _ clock: TrustedClock?, at now: BootTime) -> [CollectorEffect] {
        var effects: [CollectorEffect] = []
        var believed = 0
        for fix in fixes where filter.believes(fix, pace: receiver.pace(at: fix.at)) {
            believed += 1
            latest = fix
            for index in fences.indices {
                if let since = fences[index].take(fix) { effects.append(fences[index].crossing(since)) }
            }
            if followsStays { effects += note(stays.take(fix, place: fences.place), clock) }
            effects += keep(fix, clock)
            if keepsCoordinates, let speed = fix.speed { effects.append(.travelled(speed: Float(speed))) }
        }
        receiver.follow(
            believed: believed, isUndecided: isUndecided, isStaying: stays.stay != nil, border: border, at: now)
        effects += note([], clock)
        // Only the state holds the length of a stay and the sides of the fences.
        return believed > 0 ? effects + [.storeQuietly] : effects
    }

    private mutating func decideFences(at now: BootTime) -> [CollectorEffect] {
        var effects: [CollectorEffect] = []
        for index in fences.indices {
            if let since = fences[index].decide(at: now) { effects.append(fences[index].crossing(since)) }
        }
        return effects
    }

    /// Stores a position if the wearer agreed to that and it is far from the last stored one.
    private mutating func keep(_ fix: Fix, _ clock: TrustedClock?) -> [CollectorEffect] {
        guard keepsCoordinates, let clock else { return [] }
        if let kept, kept.distance(to: fix.position) < Double(settings.significantChange) { return [] }
        kept = fix.position
        return [.stayed(.passed(clock.time(at: fix.at).wall, fix.position)), .storeSoon]
    }

    /// Reports a stay once it is long enough, and stores it once it has a date.
    private mutating func note(_ changes: [StayDetector.Change], _ clock: TrustedClock?) -> [CollectorEffect] {
        var effects: [CollectorEffect] = []
        for case .arrived(let stay) in changes { effects.append(.raise(.visit, value: stay.place, at: stay.arrived)) }
        undated = (undated + changes).suffix(Self.mostUndated)
        guard let clock else { return effects }
        effects += undated.map { .stayed(.visit(visit($0, clock))) }
        if !undated.isEmpty { effects.append(.storeSoon) }
        undated = []
        return effects
    }

    private func visit(_ change: StayDetector.Change, _ clock: TrustedClock) -> Visit {
        let (stay, left): (StayDetector.Stay, BootTime?) =
            switch change {
            case .arrived(let stay): (stay, nil)
            case .left(let stay): (stay, stay.latest)
            }
        return Visit(
            arrived: clock.time(at: stay.arrived).wall, left: left.map { clock.time(at: $0).wall }, place: stay.place,
            position: keepsCoordinates ? stay.middle : nil)
    }
}

extension [FenceWatch] {
    /// `Fence.number` of the smallest fence around a place; zero outside of all.
    fileprivate func place(_ position: Coordinates) -> Int32 {
        filter { $0.contains(position) }.min { $0.fence.radius < $1.fence.radius }?.fence.number ?? 0
    }
}

extension FenceWatch {
    /// The event for a change of sides.
    fileprivate func crossing(_ since: BootTime) -> CollectorEffect {
        .raise(isInside == true ? .geofenceEntered : .geofenceExited, value: fence.number, at: since)
    }
}

// MARK: - State

extension LocationCollector {
    func pack(into packer: inout Packer) {
        let known = fences.filter { $0.isInside != nil }
        packer.put(UInt8(known.count))
        for fence in known {
            packer.put(fence.fence.number)
            packer.put(fence.digest)
            packer.put(fence.isInside == true)
        }
        packer.put(stays.stay != nil)
        if let stay = stays.stay {
            packer.put(stay)
            packer.put(stays.knownUntil ?? stay.latest)
            packer.put(storable(stay.middle))
        }
        packer.put(UInt8(undated.count))
        for change in undated {
            switch change {
            case .arrived(let stay):
                packer.put(false)
                packer.put(stay)
                packer.put(storable(stay.middle))
            case .left(let stay):
                packer.put(true)
                packer.put(stay)
                packer.put(storable(stay.middle))
            }
        }
        packer.put(storable(kept))
    }

    /// Nil without the scope.
    private func storable(_ position: Coordinates?) -> Coordinates? { keepsCoordinates ? position : nil }

    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, times: RestoredTimes
    ) throws(Unpacker.Malformed) {
        for _ in 0..<(try unpacker.take(UInt8.self)) {
            let (number, digest) = (try unpacker.take(Int32.self), try unpacker.take(UInt32.self))
            let isInside = try unpacker.takeBool()
            // A fence that was moved or removed since is a different one.
            guard let index = fences.firstIndex(where: { $0.fence.number == number && $0.digest == digest }) else {
                continue
            }
            fences[index].restore(isInside: isInside)
        }
        var present: (stay: StayDetector.Stay, knownUntil: BootTime)?
        if try unpacker.takeBool() {
            var stay = try unpacker.takeStay(times)
            let knownUntil = try unpacker.takeTime(times)
            stay.middle = try unpacker.takePosition()
            present = (stay, knownUntil)
        }
        for _ in 0..<(try unpacker.take(UInt8.self)) {
            let hasLeft = try unpacker.takeBool()
            var stay = try unpacker.takeStay(times)
            stay.middle = try unpacker.takePosition()
            undated.append(hasLeft ? .left(stay) : .arrived(stay))
        }
        if times.isBroken {
            end(undated + [present.map { .left($0.stay) }].compactMap { $0 }, times)
            undated = []
        } else if let present {
            stays.restore(present.stay, knownUntil: present.knownUntil)
        }
        kept = try unpacker.takePosition()
    }

    /// The times of an earlier boot have the dates of that boot, or none: this boot's clock does not date them.
    private mutating func end(_ changes: [StayDetector.Change], _ times: RestoredTimes) {
        for change in changes {
            let (stay, hasLeft) =
                switch change {
                case .arrived(let stay): (stay, false)
                case .left(let stay): (stay, true)
                }
            guard let arrived = times.wall(at: stay.arrived), let left = times.wall(at: stay.latest) else { continue }
            ended.append(
                Visit(arrived: arrived, left: hasLeft ? left : nil, place: stay.place, position: stay.middle))
        }
    }
}

extension Packer {
    fileprivate mutating func put(_ stay: StayDetector.Stay) {
        put(stay.arrived)
        put(stay.latest)
        put(stay.place)
    }
}

extension Unpacker {
    fileprivate mutating func takeStay(_ times: RestoredTimes) throws(Malformed) -> StayDetector.Stay {
        let (arrived, latest) = (try takeTime(times), try takeTime(times))
        let place = try take(Int32.self)
        guard arrived <= latest, place >= 0 else { throw Malformed() }
        return StayDetector.Stay(arrived: arrived, latest: latest, middle: nil, place: place)
    }
}
