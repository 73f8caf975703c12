import Core

/// Finds stays in the fixes that are believed: so long within a circle, from the arrival until the wearer is beyond doubt outside.
struct StayDetector: Sendable {
    /// A stay that lasts.
    struct Stay: Equatable, Sendable {
        let arrived: BootTime
        /// The latest time at which the wearer was there for sure.
        var latest: BootTime
        /// The mean of its fixes; nil after a restart without the scope `coordinates`.
        var middle: Coordinates?
        /// `Fence.number`, or zero.
        let place: Int32
    }

    private let radius: Double
    private let after: Interval
    private let longestGap: Interval
    private let dwell: Interval
    private(set) var stay: Stay?
    /// Fixes before a stay, thinned out, all within reach of one another.
    private var recent: [Fix] = []
    /// Fixes in a row outside of the stay.
    private var outside: (since: BootTime, count: Int)?
    /// Up to when it is known that the wearer was not carried elsewhere.
    private(set) var knownUntil: BootTime?

    /// Between two fixes that are kept.
    private static let thinning = Interval.seconds(10)
    /// The middle follows the fixes slowly, so that a wearer who walks away does not take it along.
    private static let settling = Interval.minutes(20)
    private static let mostShare = 1.0 / 8
    private static let leastFixes = 4

    enum Change: Equatable {
        case arrived(Stay)
        case left(Stay)
    }

    init(_ settings: LocationSettings) {
        radius = Double(settings.visitRadius)
        after = settings.visitAfter
        longestGap = settings.visitGap
        dwell = settings.dwell
    }

    /// Whether more fixes are needed to decide.
    var isUndecided: Bool { outside != nil }

    /// When the stay is over unless something shows before that it goes on.
    var endsAt: BootTime? {
        guard stay != nil, let knownUntil else { return nil }
        // While windows come, they show it.
        return knownUntil + max(longestGap, ReceiverPlan.windowsHold) + Interval(nanoseconds: 1)
    }

    /// Ends the stay where its time has come.
    mutating func decide(at now: BootTime) -> [Change] {
        guard let endsAt, endsAt <= now, let stay = end() else { return [] }
        return [.left(stay)]
    }

    /// Takes a fix that is believed.
    mutating func take(_ fix: Fix, place: (Coordinates) -> Int32) -> [Change] {
        var changes: [Change] = []
        let hasGap = knownUntil.map { fix.at - $0 > longestGap } ?? false
        knownUntil = fix.at
        if hasGap { recent = [] }
        if let stay {
            guard let end = leave(stay, with: fix, afterGap: hasGap, place) else { return [] }
            changes.append(.left(end))
            self.stay = nil
            recent = []
        }
        gather(fix)
        return changes + arrive(at: fix.at, place)
    }

    /// The wearer rests, by the IMU, where the latest fixes showed them.
    mutating func rest(until now: BootTime, place: (Coordinates) -> Int32) -> [Change] {
        knownUntil = now
        if stay != nil {
            if outside == nil { stay?.latest = now }
            return []
        }
        return arrive(at: now, place)
    }

    /// The wearer is on foot, by the IMU: they can be anywhere near, and nowhere else.
    mutating func linger(until now: BootTime) { if stay != nil { knownUntil = now } }

    /// Nil while the stay goes on; else the stay as it ended.
    private mutating func leave(_ stay: Stay, with fix: Fix, afterGap: Bool, _ place: (Coordinates) -> Int32) -> Stay? {
        if afterGap { return stay }
        guard let middle = stay.middle else {
            // After a restart: the place is that of the fix, unless it cannot be.
            if place(fix.position) != stay.place { return stay }
            self.stay?.middle = fix.position
            self.stay?.latest = fix.at
            return nil
        }
        let distance = fix.position.distance(to: middle)
        guard distance > radius else {
            outside = nil
            let share = min((fix.at - stay.latest).seconds / Self.settling.seconds, Self.mostShare)
            self.stay?.latest = fix.at
            self.stay?.middle = middle.moved(by: share, towards: fix.position)
            return nil
        }
        guard distance - (fix.error ?? 0) > radius else { return nil }
        let row = outside ?? (since: fix.at, count: 0)
        outside = (row.since, row.count + 1)
        guard row.count + 1 >= Self.leastFixes, fix.at - row.since >= dwell else { return nil }
        outside = nil
        return stay
    }

    /// Keeps the fixes up to this one that lie around it.
    private mutating func gather(_ fix: Fix) {
        if let last = recent.last, fix.at - last.at < Self.thinning, recent.count > 1 { return }
        recent.append(fix)
        while let centre = mean(of: recent), recent.contains(where: { $0.position.distance(to: centre) > radius }) {
            recent.removeFirst()
        }
        // Where fixes are rare, a stay is known by its ends.
        if recent.count > 128 { recent.remove(at: recent.count / 2) }
    }

    private mutating func arrive(at now: BootTime, _ place: (Coordinates) -> Int32) -> [Change] {
        guard let first = recent.first, now - first.at >= after, recent.count >= 2, let middle = mean(of: recent) else {
            return []
        }
        let found = Stay(arrived: first.at, latest: now, middle: middle, place: place(middle))
        stay = found
        recent = []
        return [.arrived(found)]
    }

    private func mean(of fixes: [Fix]) -> Coordinates? {
        guard var mean = fixes.first?.position else { return nil }
        for (index, fix) in fixes.enumerated().dropFirst() {
            mean = mean.moved(by: 1 / Double(index + 1), towards: fix.position)
        }
        return mean
    }

    /// Ends what lasts, as far as it is known: nothing follows, or it may no longer be followed.
    mutating func end() -> Stay? {
        defer { (stay, recent, outside, knownUntil) = (nil, [], nil, nil) }
        return stay
    }

    mutating func restore(_ stay: Stay, knownUntil: BootTime) { (self.stay, self.knownUntil) = (stay, knownUntil) }
}
