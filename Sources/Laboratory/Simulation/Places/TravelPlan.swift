import Core
import Signal

/// The days of a wearer with a home, a place of work and other places: the true positions at any time.
///
/// Places are in metres east and north of home. All are made up and belong to no real person.
public struct TravelPlan: Sendable {
    struct Point: Equatable, Sendable {
        var east, north: Double

        static func - (left: Point, right: Point) -> Point {
            Point(east: left.east - right.east, north: left.north - right.north)
        }
        var length: Double { (east * east + north * north).squareRoot() }
    }

    /// A part of the days: a stay at one place, or a straight way between two.
    struct Leg: Sendable {
        let start: Double
        let end: Double
        let from, to: Point
        let activity: Activity
        var isStay: Bool { from == to }

        func place(at time: Double) -> Point {
            guard end > start else { return to }
            let part = (time - start) / (end - start)
            return Point(
                east: from.east + (to.east - from.east) * part, north: from.north + (to.north - from.north) * part)
        }

        var speed: Double { isStay ? 0 : (to - from).length / (end - start) }
    }

    /// In seconds from the beginning, without gaps.
    private(set) var legs: [Leg] = []
    public let days: Int
    private var chance: TrialChance
    private var here = Point(east: 0, north: 0)
    private var time = 0.0

    static let home = Point(east: 0, north: 0)
    let work: Point

    /// - Parameter travels: false for a wearer who stays at home throughout.
    public init(days: Int, seed: UInt64, travels: Bool) {
        self.days = days
        chance = TrialChance(seed: seed, stream: 71)
        work = Self.point(&chance, from: 900, to: 14_000)
        for day in 0..<days {
            guard travels else { break }
            liveThrough(day)
        }
        stay(until: Double(days) * 86_400)
    }

    private mutating func liveThrough(_ day: Int) {
        let midnight = Double(day) * 86_400
        stay(until: midnight + between(6.5 * 3600, 9 * 3600))
        if chance.isTrue(percent: 70) {
            go(to: work)
            stay(for: between(2.5 * 3600, 4 * 3600))
            if chance.isTrue(percent: 60) {
                go(to: around(work, 250, 900))
                stay(for: between(12 * 60, 45 * 60))
                go(to: work)
            }
            stay(for: between(3 * 3600, 4.5 * 3600))
        }
        for _ in 0..<chance.number(0...2) {
            go(to: around(here, 300, 4_000))
            stay(for: between(10 * 60, 2 * 3600))
        }
        if here != Self.home { go(to: Self.home) }
        if chance.isTrue(percent: 40) {
            stay(for: between(20 * 60, 3600))
            go(to: around(Self.home, 400, 1_500))
            // Round the block and back, without a stay.
            go(to: Self.home)
        }
    }

    private mutating func go(to place: Point) {
        let distance = (place - here).length
        let (speed, activity): (Double, Activity) =
            distance < 1_200 ? (between(1.1, 1.6), .walking) : (between(5, 16), .automotive)
        // To the bus, or to the car.
        add(until: time + distance / speed, to: place, activity)
    }

    private mutating func stay(for seconds: Double) { add(until: time + seconds, to: here, .stationary) }
    private mutating func stay(until end: Double) { if end > time { add(until: end, to: here, .stationary) } }

    private mutating func add(until end: Double, to place: Point, _ activity: Activity) {
        if let last = legs.last, last.isStay, place == here {
            legs[legs.count - 1] = Leg(start: last.start, end: end, from: here, to: here, activity: .stationary)
        } else {
            legs.append(Leg(start: time, end: end, from: here, to: place, activity: activity))
        }
        (time, here) = (end, place)
    }

    private mutating func between(_ least: Double, _ most: Double) -> Double {
        least + (most - least) * Double(chance.number(0...1_000_000)) / 1e6
    }

    private mutating func around(_ centre: Point, _ least: Double, _ most: Double) -> Point {
        let offset = Self.point(&chance, from: least, to: most)
        return Point(east: centre.east + offset.east, north: centre.north + offset.north)
    }

    private static func point(_ chance: inout TrialChance, from least: Double, to most: Double) -> Point {
        while true {
            let (limit, scale) = (Int64(most * 1000), 1000.0)
            let point = Point(
                east: Double(chance.number(-limit...limit)) / scale,
                north: Double(chance.number(-limit...limit)) / scale)
            if (least...most).contains(point.length) { return point }
        }
    }

    /// The stays of at least this length, in seconds: the true visits.
    func stays(of least: Double) -> [Leg] { legs.filter { $0.isStay && $0.end - $0.start >= least } }
}
