import Core
import Signal

/// Tells the fixes that show where the wearer is from those that cannot be right.
///
/// A receiver that sees the sky badly reports places hundreds of metres away, for seconds as a spike or for minutes between high
/// walls, and calls itself exact. Its speed comes from the carrier's shift and not from the position, and the IMU knows whether
/// anyone walks: a fix is believed where the wearer can have got since the last place that was.
struct FixFilter: Sendable {
    private let leastMode: Fix.Mode
    private let largestError: Double

    /// The place that is believed in, and its error.
    private var anchor: Fix?
    /// Metres that the wearer can have covered since, up to a time.
    private(set) var reach = 0.0
    private var reckonedTo: BootTime?
    /// Since when fixes have shown the anchor or the way to it; nil after a pause in which the wearer may have moved unseen.
    private var shownSince: BootTime?
    /// The latest fix that counts, believed or not.
    private var latest: Fix?
    /// Fixes in a row that agree with one another and not with the anchor: the first, the latest, their count, and the time in which they
    /// came without a longer pause. The row goes on over the pauses between two looks.
    private var dissent: (first: Fix, latest: Fix, count: Int, shown: Interval)?

    /// No wearer is faster over ground: an express train, in metres a second.
    static let fastest = 97.0
    /// Below it a receiver at rest reports speeds too.
    private static let restingSpeed = 0.7
    /// The speed that is measured may lie so far below the true one, in sharp turns and under trees.
    private static let speedMargin = 2.0
    /// While the speed is measured, the IMU adds no more than a walk that the receiver takes for rest.
    private static let walking = 2.5
    /// Metres by which fixes may differ besides their errors.
    static let slack = 25.0
    /// Between fixes farther apart the speed that they measure says less than the IMU.
    private static let longestPause = Interval.seconds(10)
    /// A longer pause can have held any journey.
    private static let longestUnseen = Interval.minutes(10)
    /// Fixes that agree with one another are believed against the anchor when they last for as long as it was shown, within these bounds:
    /// a first fix between walls, a ferry's deck, a receiver that was reset.
    private static let persuading = (least: Interval.minutes(1), most: Interval.minutes(15))
    /// It takes so many of them, or fixes for so long of a receiver that reports seldom.
    private static let persuasive = (count: 20, length: Interval.minutes(2))

    init(_ settings: LocationSettings) {
        leastMode = settings.acceptsTwoD ? .twoD : .threeD
        largestError = Double(settings.largestError)
    }

    /// The IMU saw how the wearer moved up to a time: no faster than this, in metres a second.
    mutating func elapse(until time: BootTime, pace: Double) {
        guard let from = reckonedTo, time > from else { return }
        reach += pace * (time - from).seconds
        reckonedTo = time
    }

    /// Whether the wearer is there, as far as can be known.
    ///
    /// - Parameter pace: the speed that the IMU's latest window allows, in metres a second; nil where there is none.
    mutating func believes(_ fix: Fix, pace: Double?) -> Bool {
        guard let error = fix.error, fix.mode >= leastMode, error <= largestError, fix.speed ?? 0 <= Self.fastest
        else { return false }
        guard let anchor, let before = latest else {
            settle(at: fix)
            return true
        }
        guard fix.at > before.at else { return false }
        elapse(until: fix.at, pace: speed(from: before, to: fix, pace))
        latest = fix
        if fix.at - before.at > Self.longestUnseen { shownSince = nil }
        guard isWithinReach(fix, of: anchor, reach) else { return persuades(fix) }
        dissent = nil
        // Whoever is elsewhere after a pause has been seen there for no longer than that.
        if fix.at - before.at > Self.longestPause, !isWithinReach(fix, of: anchor, 0) { shownSince = nil }
        shownSince = shownSince ?? fix.at
        // A wearer at rest is where the fixes were best.
        if reach > Self.slack || error < anchor.error ?? 0 { move(to: fix) }
        return true
    }

    /// The receiver was away: for how long the place before had been seen counts no more.
    mutating func interrupt() { (shownSince, dissent) = (nil, nil) }

    private mutating func settle(at fix: Fix) {
        (latest, dissent, shownSince) = (fix, nil, fix.at)
        move(to: fix)
    }

    private mutating func move(to fix: Fix) { (anchor, reach, reckonedTo) = (fix, 0, fix.at) }

    private mutating func persuades(_ fix: Fix) -> Bool {
        guard let row = dissent, fix.at - row.latest.at <= Self.longestUnseen,
            isWithinReach(fix, of: row.latest, speed(from: row.latest, to: fix, nil) * (fix.at - row.latest.at).seconds)
        else {
            dissent = (fix, fix, 1, .zero)
            return false
        }
        let pause = fix.at - row.latest.at
        let shown = row.shown + (pause <= Fix.longestPause ? pause : .zero)
        dissent = (row.first, fix, row.count + 1, shown)
        let before = shownSince.map { row.first.at - $0 } ?? .zero
        let needed = min(max(before, Self.persuading.least), Self.persuading.most)
        guard fix.at - row.first.at >= needed, shown >= Self.persuading.least,
            row.count >= Self.persuasive.count || shown >= Self.persuasive.length
        else { return false }
        settle(at: fix)
        return true
    }

    /// As fast as the wearer can have been between two fixes, in metres a second.
    private func speed(from: Fix, to: Fix, _ pace: Double?) -> Double {
        let pause = to.at - from.at
        guard let before = from.speed, let after = to.speed, pause <= Self.longestUnseen else {
            return pace ?? Self.fastest
        }
        let measured = max(before, after) < Self.restingSpeed ? 0 : max(before, after) * Self.speedMargin
        if pause <= Self.longestPause { return max(measured, min(pace ?? 0, Self.walking)) }
        // In a pause the IMU knows better, and whoever moves is seen moving at one of its ends.
        return pace ?? measured
    }

    private func isWithinReach(_ fix: Fix, of other: Fix, _ reach: Double) -> Bool {
        let errors = (fix.error ?? 0) + (other.error ?? 0)
        return fix.position.distance(to: other.position) <= errors + reach + Self.slack
    }
}

extension Interval {
    var seconds: Double { Double(nanoseconds) / 1e9 }
}
