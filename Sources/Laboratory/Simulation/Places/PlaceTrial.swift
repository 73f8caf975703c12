import Domains
import Glibc
import Core
import Signal

/// Runs days of a wearer through the location collector, and compares its reports with the true places.
public struct PlaceTrial: Sendable {
    /// The conditions of a trial.
    public struct Conditions: Sendable {
        public var mode = LocationSettings.Mode.visit
        /// Whether the receiver always has a bad view of the sky.
        public var isInCanyon = false
        /// Whether an IMU reports when the wearer is still.
        public var hasIMU = true

        public init() {}
    }

    /// True crossings of fences that were reported, in the right order and within a few minutes; missed crossings; and
    /// false reports.
    public private(set) var crossings = 0
    public private(set) var missed = 0
    public private(set) var wrong = 0
    /// Seconds from the first of the unambiguous fixes to the report, for each reported crossing.
    public private(set) var delays: [Double] = []
    public private(set) var visits = 0
    public private(set) var foundVisits = 0
    public private(set) var falseVisits = 0
    /// Seconds for which the receiver worked, and the number of times that it was opened.
    public private(set) var receiverSeconds = 0.0
    public private(set) var takings = 0
    public let days: Int

    private struct Told {
        let at: Double
        let entered: Bool
        let fence: Int32
    }

    private let plan: TravelPlan
    private let settings: LocationSettings
    private let conditions: Conditions
    private var told: [Told] = []
    private var stays: [Visit] = []
    /// By fence: the last reported side, and the time since which fixes clearly show the other.
    private var sides: [Int32: (isInside: Bool, doubtlessSince: Double?)] = [:]

    public init(_ plan: TravelPlan, seed: UInt64, _ conditions: Conditions) {
        self.plan = plan
        self.conditions = conditions
        days = plan.days
        var settings = LocationSettings()
        settings.mode = conditions.mode
        settings.fences = [("home", TravelPlan.home), ("work", plan.work)].map { name, point in
            var fence = Fence(name: name)
            let place = SimulatedReceiver.coordinates(point)
            (fence.latitude, fence.longitude) = (place.latitude, place.longitude)
            fence.radius = 150
            return fence
        }
        self.settings = settings
        live(seed: seed)
        score()
    }

    private mutating func live(seed: UInt64) {
        var values = DomainValues()
        values[LocationSettings.self] = settings
        guard let type = Domain.location.collector else { return }
        var collector = type.init(values)
        var receiver = SimulatedReceiver(seed: seed, sky: conditions.isInCanyon ? .canyon : .open)
        let clock = TrustedClock(began: WallTime(secondsSinceEpoch: 1_768_435_200), source: .kernel, since: .seconds(0))
        take(collector.handle(.began(.placeEvents, servedBy: .gpsd), at: .seconds(0)), 0)
        let end = Double(plan.days) * 86_400
        var (time, nextWindow, leg) = (0.0, 0.0, 0)
        var (wasOn, before) = (false, Activity.stationary)
        while time < end {
            while leg + 1 < plan.legs.count, plan.legs[leg].end <= time { leg += 1 }
            let now = BootTime.seconds(time)
            if conditions.hasIMU, time >= nextWindow {
                nextWindow = time + (plan.legs[leg].isStay ? 300 : 60)
                let activity = plan.legs[leg].activity
                take(collector.handle(.window(Self.window(before, activity, now)), at: now), time)
                before = activity
            }
            if let agenda = collector.agenda(at: now), agenda <= now {
                take(collector.handle(.woke(clock), at: now), time)
            }
            let isOn = collector.signals.contains(.position)
            if isOn, !wasOn { takings += 1 }
            wasOn = isOn
            if isOn, let fix = receiver.fix(at: time, plan.legs[leg]) {
                observe(fix, time)
                take(collector.handle(.fixes([fix], clock), at: now), time)
            }
            // Asleep until the next event.
            var next = isOn ? time + 1 : end
            if conditions.hasIMU { next = min(next, max(nextWindow, time + 0.001)) }
            if conditions.hasIMU, plan.legs[leg].isStay { next = min(next, max(plan.legs[leg].end, time + 0.001)) }
            if let agenda = collector.agenda(at: now) {
                next = min(next, max(Double(agenda.nanoseconds) / 1e9, time + 0.001))
            }
            if conditions.hasIMU, plan.legs[leg].isStay, next >= plan.legs[leg].end {
                nextWindow = min(nextWindow, plan.legs[leg].end + 10)
            }
            if isOn { receiverSeconds += next - time }
            time = next
        }
        take(collector.handle(.finished(clock), at: .seconds(end)), end)
    }

    private mutating func take(_ effects: [CollectorEffect], _ now: Double) {
        for effect in effects {
            switch effect {
            case .raise(let kind, let value, let at) where kind != .visit:
                let time = Double((at ?? .seconds(0)).nanoseconds) / 1e9
                told.append(Told(at: time, entered: kind == .geofenceEntered, fence: value))
                if let since = sides[value]?.doubtlessSince { delays.append(now - since) }
                sides[value] = (kind == .geofenceEntered, nil)
            case .enter(let note):
                guard case .visit(let visit)? = note.entry as? PlaceNote else { continue }
                stays.removeAll { $0.arrived == visit.arrived }
                stays.append(visit)
            default: break
            }
        }
    }

    /// Tracks the time since which fixes clearly show the side that was not reported.
    private mutating func observe(_ fix: Fix, _ time: Double) {
        for fence in settings.fences {
            guard let centre = fence.centre, let error = fix.error, error <= Double(settings.largestError) else {
                continue
            }
            let distance = metres(fix.position, centre)
            let radius = Double(fence.radius)
            let side: Bool? = distance + error < radius ? true : distance - error > radius ? false : nil
            guard let known = sides[fence.number] else {
                sides[fence.number] = side.map { ($0, nil) }
                continue
            }
            sides[fence.number]?.doubtlessSince = side == !known.isInside ? known.doubtlessSince ?? time : nil
        }
    }

    // MARK: Comparison

    private mutating func score() {
        for fence in settings.fences { score(fence) }
        scoreVisits()
    }

    /// The true times of crossing the border.
    private func trueCrossings(of fence: Fence) -> [(at: Double, entered: Bool)] {
        let centre = fence.name == "home" ? TravelPlan.home : plan.work
        let radius = Double(fence.radius)
        var crossings: [(at: Double, entered: Bool)] = []
        for leg in plan.legs where !leg.isStay {
            var inside = (leg.from - centre).length <= radius
            var time = leg.start
            while time < leg.end {
                time = min(time + 1, leg.end)
                let isInside = (leg.place(at: time) - centre).length <= radius
                if isInside != inside { crossings.append((time, isInside)) }
                inside = isInside
            }
        }
        return crossings
    }

    /// Two crossings within this time are a passing by, which need not be reported.
    private static let passing = 240.0
    private static let tolerance = 1_200.0

    private mutating func score(_ fence: Fence) {
        var truth = trueCrossings(of: fence)
        var index = 0
        var passings: [ClosedRange<Double>] = []
        while index + 1 < truth.count {
            if truth[index + 1].at - truth[index].at < Self.passing {
                passings.append(truth[index].at...truth[index + 1].at)
                truth.removeSubrange(index...index + 1)
            } else {
                index += 1
            }
        }
        crossings += truth.count
        var events = told.filter { $0.fence == fence.number }
        for crossing in truth {
            let match = events.firstIndex {
                $0.entered == crossing.entered && ($0.at - crossing.at) >= -60 && $0.at - crossing.at < Self.tolerance
            }
            if let match {
                events.remove(at: match)
            } else {
                missed += 1
            }
        }
        wrong +=
            events.filter { event in
                !passings.contains { $0.lowerBound - 60 <= event.at && event.at <= $0.upperBound + 300 }
            }.count
    }

    private mutating func scoreVisits() {
        let truth = plan.stays(of: Double(settings.visitAfter.inSeconds) + 60)
        visits = truth.count
        var found = stays.map { visit -> (Double, Double) in
            let zero = WallTime(secondsSinceEpoch: 1_768_435_200)
            let end = visit.left.map { Double(($0 - zero).nanoseconds) / 1e9 } ?? Double(plan.days) * 86_400
            return (Double((visit.arrived - zero).nanoseconds) / 1e9, end)
        }
        for stay in truth {
            let match = found.firstIndex { visit in
                let common = min(visit.1, stay.end) - max(visit.0, stay.start)
                return common >= 0.5 * (max(visit.1, stay.end) - min(visit.0, stay.start))
            }
            guard let match else { continue }
            foundVisits += 1
            found.remove(at: match)
        }
        falseVisits = found.filter { $0.1 - $0.0 >= Double(settings.visitAfter.inSeconds) + 60 }.count
    }

    private static func window(_ before: Activity, _ after: Activity, _ now: BootTime) -> JudgedWindow {
        guard let window = Window(samples) else { preconditionFailure("as many samples as a window has") }
        return JudgedWindow(
            window, before: Judgement(before, .high), after: Judgement(after, .high), start: now - .seconds(60),
            change: now)
    }

    private static let samples = Array(repeating: Acceleration(x: 0, y: 0, z: 1), count: Window.length)
}

extension BootTime {
    fileprivate static func seconds(_ seconds: Double) -> BootTime {
        BootTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }
}

/// Metres between two places near each other.
private func metres(_ one: Coordinates, _ other: Coordinates) -> Double {
    let north = (one.latitude - other.latitude) * 111_194.93
    let east = (one.longitude - other.longitude) * 111_194.93 * cos(other.latitude * .pi / 180)
    return (north * north + east * east).squareRoot()
}
