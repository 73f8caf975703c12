import Core
import Signal

/// Separates plausible fixes from impossible ones.
///
/// A receiver with a bad view of the sky reports places hundreds of metres away, for seconds as a spike or for minutes
/// between high walls, with a small estimated error. Its speed comes from Doppler shift and not from the position, and
/// the IMU shows whether the wearer walks. So a fix is believed if the wearer can have reached it from the last
/// believed place.
struct FixFilter: Sendable {
    private let leastMode: Fix.Mode
    private let largestError: Double

    /// The last believed place, and its error.
    private var anchor: Fix?
    /// Metres that the wearer can have moved since then, up to `reckonedTo`.
    private(set) var reach = 0.0
    private var reckonedTo: BootTime?
    /// The time since which fixes have shown the anchor or the way to it; nil after a pause in which the wearer may
    /// have moved unseen.
    private var shownSince: BootTime?
    /// The latest fix that counts, believed or not.
    private var latest: Fix?
    /// Fixes in a row that agree with one another and not with the anchor: the first, the latest, their count, and the
    /// time covered without longer pauses. The row continues over pauses between two looks.
    private var dissent: (first: Fix, latest: Fix, count: Int, shown: Interval)?

    /// The greatest speed of a wearer over ground: an express train, in m/s.
    static let fastest = 97.0
    /// A receiver at rest also reports speeds below this.
    private static let restingSpeed = 0.7
    /// The measured speed may be too low by this factor, in sharp turns and under trees.
    private static let speedMargin = 2.0
    /// While the speed is measured, the IMU adds at most a walk that the receiver mistakes for rest.
    private static let walking = 2.5
    /// Metres by which fixes may differ beyond their errors.
    static let slack = 25.0
    /// Between fixes farther apart, the IMU is more reliable than their measured speed.
    private static let longestPause = Interval.seconds(10)
    /// Any journey can happen in a longer pause.
    private static let longestUnseen = Interval.minutes(10)
    /// Agreeing fixes replace the anchor if they last as long as it was shown, within these bounds. Examples: a first
    /// fix between walls, a ferry's deck, a receiver that was reset.
    private static let persuading = (least: Interval.minutes(1), most: Interval.minutes(15))
    /// The fixes needed, or the time of fixes from a receiver that reports seldom.
    private static let persuasive = (count: 20, length: Interval.minutes(2))

    init(_ settings: LocationSettings) {
        leastMode = settings.acceptsTwoD ? .twoD : .threeD
        largestError = Double(settings.largestError)
    }

    /// Takes the IMU's bound on movement up to a time: no faster than this, in m/s.
    mutating func elapse(until time: BootTime, pace: Double) {
        guard let from = reckonedTo, time > from else { return }
        reach += pace * (time - from).seconds
        reckonedTo = time
    }

    /// Whether the wearer can be there, by all knowledge so far.
    ///
    /// - Parameter pace: the speed that the IMU's latest window allows, in m/s; nil for none.
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
        // After a pause at another place, the earlier time there does not count.
        if fix.at - before.at > Self.longestPause, !isWithinReach(fix, of: anchor, 0) { shownSince = nil }
        shownSince = shownSince ?? fix.at
        // For a wearer at rest, the fix with the least error is the anchor.
        if reach > Self.slack || error < anchor.error ?? 0 { move(to: fix) }
        return true
    }

    /// The receiver was away: the time for which the anchor was shown starts again.
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

    /// The greatest possible speed of the wearer between two fixes, in m/s.
    private func speed(from: Fix, to: Fix, _ pace: Double?) -> Double {
        let pause = to.at - from.at
        guard let before = from.speed, let after = to.speed, pause <= Self.longestUnseen else {
            return pace ?? Self.fastest
        }
        let measured = max(before, after) < Self.restingSpeed ? 0 : max(before, after) * Self.speedMargin
        if pause <= Self.longestPause { return max(measured, min(pace ?? 0, Self.walking)) }
        // In a pause the IMU is more reliable, and a moving wearer has speed at one of its ends.
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
