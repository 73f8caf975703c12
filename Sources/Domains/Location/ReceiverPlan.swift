import Core
import Signal

/// Decides when the receiver works: it uses more power than all else on the device.
///
/// It works in looks: until the place is known, and while something is undecided. Then it sleeps until the wearer can have come so far
/// that another look may show something; while the IMU says that they are still, for good.
struct ReceiverPlan: Sendable {
    private let mode: LocationSettings.Mode
    /// At a border that the fixes do not decide about, a look ends all the same; one that decides takes the dwell time.
    private let longestLook: Interval
    /// The windows of late, if there are any.
    private var window: (at: BootTime, activity: Activity, isWorn: Bool)?
    /// Windows in a row without movement.
    private var stillInARow = 0
    private var look = Look.due(at: BootTime(nanoseconds: 0))
    /// Looks in a row in which no fix counted.
    private var blindLooks = 0
    /// Looks in a row that found the wearer where they stay.
    private var quietLooks: Int64 = 0
    /// Whether a look showed where the wearer came to rest, or it was tried often enough.
    private var knowsRest = false

    private enum Look: Equatable {
        case due(at: BootTime)
        case under(since: BootTime, fixes: Int)
    }

    /// So many fixes that are believed show the place.
    private static let enough = 5
    /// Without a fix for so long there is none to be had here.
    private static let patience = Interval.minutes(2)
    /// The looks after blind ones are farther and farther apart.
    private static let afterBlindness = DoublingWait(first: .minutes(1), longest: .minutes(10))
    /// After a window, what it showed holds for so long: the longest that two are apart, and some.
    static let windowsHold = Interval.minutes(11)
    private static let stillWindows = 2
    /// In a room without a signal more looks do not help.
    private static let blindLooksAtRest = 4
    private static let leastLongLook = Interval.minutes(5)
    /// Timeout for the first fix after a look starts, besides the dwell time.
    private static let beforeDwell = Interval.minutes(1)
    /// From one look to the next, at the least and at the most.
    private static let pause = Interval.seconds(60)
    private static let longestPause = Interval.minutes(10)
    private static let mostPauses: Int64 = 3

    init(_ settings: LocationSettings) {
        mode = settings.mode
        longestLook = max(Self.leastLongLook, settings.dwell + Self.beforeDwell)
    }

    /// The wearer's speed that the latest window allows, in metres a second; nil without one of late.
    func pace(at now: BootTime) -> Double? {
        guard let window, now - window.at <= Self.windowsHold else { return nil }
        return window.isWorn ? window.activity.pace : 0
    }

    /// Whether the IMU says that the wearer stays where they are.
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
        // Whoever sets out is looked for at once.
        if wasStill, isMoving, case .due = look { look = .due(at: now) }
    }

    /// Whether fixes are wanted now.
    func wantsFixes(at now: BootTime) -> Bool {
        switch look {
        case .due(let time): time <= now && !rests(at: now)
        case .under: true
        }
    }

    /// When that changes by itself.
    func agenda(at now: BootTime) -> BootTime? {
        switch look {
        // Windows may end, as when motion is turned off: then rest is not known any more.
        case .due(let time): rests(at: now) ? restEnds : time
        case .under(let since, let fixes): since + (fixes < Self.enough ? patience(at: now) : longestLook)
        }
    }

    /// Follows what the fixes showed.
    ///
    /// - Parameters:
    ///   - believed: The count of new ones that are believed.
    ///   - isUndecided: Whether more are needed at once.
    ///   - isStaying: Whether the wearer is where they have stayed for a while.
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
            // Where fixes come seldom, they are enough when none is to be expected soon.
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

    /// The wearer stays where they are, and that is known.
    private func rests(at now: BootTime) -> Bool { knowsRest && isStill(at: now) }

    /// When the latest window stops showing anything.
    private var restEnds: BootTime? { window.map { $0.at + Self.windowsHold + Interval(nanoseconds: 1) } }

    /// The receiver was lost: whatever was under way begins anew.
    mutating func interrupt() { if case .under(let since, _) = look { look = .due(at: since) } }

    private func patience(at now: BootTime) -> Interval { isStill(at: now) ? .seconds(30) : Self.patience }

    private func pause(_ border: Double?, at now: BootTime) -> Interval {
        switch mode {
        case .standard: return .zero
        case .visit:
            // Whoever walks about at home is not looked for each minute.
            return Self.pause * (window == nil ? 1 : min(max(quietLooks, 1), Self.mostPauses))
        case .geofence:
            guard let border else { return Self.longestPause }
            let seconds = border / max(pace(at: now) ?? 33, 1.5)
            return min(max(.seconds(Int64(min(seconds, 3600))), Self.pause), Self.longestPause)
        }
    }
}

extension Activity {
    /// No wearer is faster at it, in metres a second.
    var pace: Double {
        switch self {
        case .stationary: 0
        case .walking: 2.5
        case .running: 6
        case .automotive, .unknown: FixFilter.fastest
        }
    }
}
