import Core
import Signal

/// Decides when the receiver works, which uses more power than the rest of the device.
///
/// It works in looks, until the place is known and decisions are made. Then it sleeps until the wearer can have moved
/// so far that another look may show a change; while the IMU shows rest, indefinitely.
struct ReceiverPlan: Sendable {
    private let mode: LocationSettings.Mode
    /// The longest look, even if fixes at a border decide nothing; a look that decides takes the dwell time.
    private let longestLook: Interval
    /// The latest window, if any.
    private var window: (at: BootTime, activity: Activity, isWorn: Bool)?
    /// Windows in a row without movement.
    private var stillInARow = 0
    private var look = Look.due(at: BootTime(nanoseconds: 0))
    /// Looks in a row in which no fix counted.
    private var blindLooks = 0
    /// Looks in a row that found the wearer staying.
    private var quietLooks: Int64 = 0
    /// Whether a look showed the place of rest, or enough looks failed.
    private var knowsRest = false

    private enum Look: Equatable {
        case due(at: BootTime)
        case under(since: BootTime, fixes: Int)
    }

    /// The number of believed fixes that show the place.
    private static let enough = 5
    /// Without a fix for this long, a look has no signal.
    private static let patience = Interval.minutes(2)
    /// The waits after looks without a signal.
    private static let afterBlindness = DoublingWait(first: .minutes(1), longest: .minutes(10))
    /// The longest validity of a window: the longest interval between two, and some.
    static let windowsHold = Interval.minutes(11)
    private static let stillWindows = 2
    /// Looks without a signal at rest, for instance in a room, after which more do not help.
    private static let blindLooksAtRest = 4
    private static let leastLongLook = Interval.minutes(5)
    /// Timeout for the first fix after a look starts, besides the dwell time.
    private static let beforeDwell = Interval.minutes(1)
    /// The shortest and the longest time between looks.
    private static let pause = Interval.seconds(60)
    private static let longestPause = Interval.minutes(10)
    private static let mostPauses: Int64 = 3

    init(_ settings: LocationSettings) {
        mode = settings.mode
        longestLook = max(Self.leastLongLook, settings.dwell + Self.beforeDwell)
    }

    /// The wearer's speed that the latest window allows, in m/s; nil without a recent one.
    func pace(at now: BootTime) -> Double? {
        guard let window, now - window.at <= Self.windowsHold else { return nil }
        return window.isWorn ? window.activity.pace : 0
    }

    /// Whether the IMU shows that the wearer stays in place.
    func isStill(at now: BootTime) -> Bool {
        stillInARow >= Self.stillWindows && window.map { now - $0.at <= Self.windowsHold } ?? false
    }

    mutating func take(_ judged: JudgedWindow, at now: BootTime) {
        let isMoving = judged.wear.state != .notWorn && judged.after.activity != .stationary
        let wasStill = isStill(at: now)
        window = (now, judged.after.activity, judged.wear.state != .notWorn)
        stillInARow = isMoving ? 0 : stillInARow + 1
        if isMoving { knowsRest = false }
        if judged.after.activity.pace > Activity.walking.pace { quietLooks = 0 }
        // A wearer who sets out gets a look at once.
        if wasStill, isMoving, case .due = look { look = .due(at: now) }
    }

    /// Whether fixes are wanted now.
    func wantsFixes(at now: BootTime) -> Bool {
        switch look {
        case .due(let time): time <= now && !rests(at: now)
        case .under: true
        }
    }

    /// The time at which `wantsFixes` changes by itself.
    func agenda(at now: BootTime) -> BootTime? {
        switch look {
        // Windows may stop, as when motion is turned off: then rest is no longer known.
        case .due(let time): rests(at: now) ? restEnds : time
        case .under(let since, let fixes): since + (fixes < Self.enough ? patience(at: now) : longestLook)
        }
    }

    /// Follows the result of the fixes.
    ///
    /// - Parameters:
    ///   - believed: The count of new believed fixes.
    ///   - isUndecided: Whether more are needed at once.
    ///   - isStaying: Whether the wearer has been at this place for a while.
    ///   - border: Metres to the nearest border of a fence; nil without one.
    mutating func follow(believed: Int, isUndecided: Bool, isStaying: Bool, border: Double?, at now: BootTime) {
        switch look {
        case .due(let time):
            guard time <= now, !rests(at: now) else { return }
            look = .under(since: now, fixes: believed)
        case .under(let since, let fixes):
            let fixes = fixes + believed
            look = .under(since: since, fixes: fixes)
            let age = now - since
            // If fixes are rare, fewer are enough after the wait.
            guard fixes >= Self.enough || age >= patience(at: now) else { return }
            if fixes == 0 {
                blindLooks += 1
                if isStill(at: now), blindLooks >= Self.blindLooksAtRest { knowsRest = true }
                look = .due(at: now + Self.afterBlindness.wait(afterFailures: blindLooks))
                return
            }
            blindLooks = 0
            if mode == .standard, !isStill(at: now) {
                look = .under(since: now, fixes: 0)
                return
            }
            guard !isUndecided || age >= longestLook else {
                look = .under(since: since, fixes: max(fixes, Self.enough))
                return
            }
            knowsRest = isStill(at: since)
            quietLooks = isStaying && !isUndecided ? quietLooks + 1 : 0
            look = .due(at: now + pause(border, at: now))
        }
    }

    /// Whether the wearer is known to stay in place.
    private func rests(at now: BootTime) -> Bool { knowsRest && isStill(at: now) }

    /// The end of the latest window's validity.
    private var restEnds: BootTime? { window.map { $0.at + Self.windowsHold + Interval(nanoseconds: 1) } }

    /// The receiver was lost: the current look starts again.
    mutating func interrupt() { if case .under(let since, _) = look { look = .due(at: since) } }

    private func patience(at now: BootTime) -> Interval { isStill(at: now) ? .seconds(30) : Self.patience }

    private func pause(_ border: Double?, at now: BootTime) -> Interval {
        switch mode {
        case .standard: return .zero
        case .visit:
            // A wearer who walks about at home does not need a look each minute.
            return Self.pause * (window == nil ? 1 : min(max(quietLooks, 1), Self.mostPauses))
        case .geofence:
            guard let border else { return Self.longestPause }
            let seconds = border / max(pace(at: now) ?? 33, 1.5)
            return min(max(.seconds(Int64(min(seconds, 3600))), Self.pause), Self.longestPause)
        }
    }
}

extension Activity {
    /// The greatest speed of the activity, in m/s.
    var pace: Double {
        switch self {
        case .stationary: 0
        case .walking: 2.5
        case .running: 6
        case .automotive, .unknown: FixFilter.fastest
        }
    }
}
