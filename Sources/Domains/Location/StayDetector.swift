import Core

/// Finds stays in the believed fixes: a minimum time within a circle, from the arrival until the wearer is beyond doubt
/// outside.
struct StayDetector: Sendable {
    /// A stay that has not ended.
    struct Stay: Equatable, Sendable {
        let arrived: BootTime
        /// The latest time at which the wearer was certainly there.
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
    /// The time until which the wearer certainly was not carried elsewhere.
    private(set) var knownUntil: BootTime?

    /// The least time between two kept fixes.
    private static let thinning = Interval.seconds(10)
    /// The middle follows the fixes slowly, so that a wearer who walks away does not move it.
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

    /// The end of the stay, unless an earlier input shows that it continues.
    var endsAt: BootTime? {
        guard stay != nil, let knownUntil else { return nil }
        // Windows show it while they come.
        return knownUntil + max(longestGap, ReceiverPlan.windowsHold) + Interval(nanoseconds: 1)
    }

    /// Ends the stay if its time has come.
    mutating func decide(at now: BootTime) -> [Change] {
        guard let endsAt, endsAt <= now, let stay = end() else { return [] }
        return [.left(stay)]
    }

    /// Takes a believed fix.
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

    /// The IMU shows rest at the place of the latest fixes.
    mutating func rest(until now: BootTime, place: (Coordinates) -> Int32) -> [Change] {
        knownUntil = now
        if stay != nil {
            if outside == nil { stay?.latest = now }
            return []
        }
        return arrive(at: now, place)
    }

    /// The IMU shows the wearer on foot, so the place is nearby.
    mutating func linger(until now: BootTime) { if stay != nil { knownUntil = now } }

    /// Nil while the stay continues; otherwise the ended stay.
    private mutating func leave(_ stay: Stay, with fix: Fix, afterGap: Bool, _ place: (Coordinates) -> Int32) -> Stay? {
        if afterGap { return stay }
        guard let middle = stay.middle else {
            // After a restart, the fix defines the place, if its fence matches.
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

    /// Keeps the fixes around this one, up to it.
    private mutating func gather(_ fix: Fix) {
        if let last = recent.last, fix.at - last.at < Self.thinning, recent.count > 1 { return }
        recent.append(fix)
        while let centre = mean(of: recent), recent.contains(where: { $0.position.distance(to: centre) > radius }) {
            recent.removeFirst()
        }
        // If fixes are rare, the first and last ones prove a stay.
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

    /// Ends the current stay with the present knowledge: nothing follows, or it may no longer be followed.
    mutating func end() -> Stay? {
        defer { (stay, recent, outside, knownUntil) = (nil, [], nil, nil) }
        return stay
    }

    mutating func restore(_ stay: Stay, knownUntil: BootTime) { (self.stay, self.knownUntil) = (stay, knownUntil) }
}
