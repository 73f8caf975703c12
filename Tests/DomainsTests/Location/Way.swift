import Core

@testable import Domains

/// A receiver that reports a fix each second, or more seldom, while its wearer stays or goes east, in metres from one place.
struct Way {
    static let middle = place(0)
    private(set) var now = BootTime(nanoseconds: 3_600_000_000_000)
    private(set) var east = 0.0
    var error: Double? = 8
    var speed: Double? = 0
    var every = Interval.seconds(1)

    static func place(_ east: Double) -> Coordinates {
        // At the equator a degree is as long in both directions.
        guard let place = Coordinates(latitude: 0, longitude: east / 111_195.08) else {
            preconditionFailure("far away")
        }
        return place
    }

    /// So many fixes at one place.
    mutating func stay(_ count: Int, at east: Double? = nil) -> [Fix] {
        self.east = east ?? self.east
        return (0..<count).map { _ in next() }
    }

    /// Fixes on the way to a place.
    mutating func go(to goal: Double, metresPerSecond: Double) -> [Fix] {
        speed = metresPerSecond
        defer { speed = 0 }
        var fixes: [Fix] = []
        while east != goal {
            let rest = goal - east
            east = abs(rest) <= metresPerSecond ? goal : east + (rest < 0 ? -metresPerSecond : metresPerSecond)
            fixes.append(next())
        }
        return fixes
    }

    mutating func pass(_ interval: Interval) { now = now + interval }

    private mutating func next() -> Fix {
        now = now + every
        let wall = WallTime(secondsSinceEpoch: 1_768_435_200 + (now - BootTime(nanoseconds: 0)).inSeconds)
        return Fix(at: now, Self.place(east), error: error, speed: speed, wall: wall)
    }

    static func fence(_ name: String = "home", radius: Int32 = 100, at east: Double = 0) -> Fence {
        var fence = Fence(name: name)
        (fence.latitude, fence.longitude, fence.radius) = (place(east).latitude, place(east).longitude, radius)
        return fence
    }
}
