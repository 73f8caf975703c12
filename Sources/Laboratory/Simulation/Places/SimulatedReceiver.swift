import Domains
import Glibc
import Core

/// A satellite receiver with the faults of a worn one: drift, walls that displace the position by hundreds of metres
/// for minutes while its estimated error stays small, spikes of 1.5 km, places without a signal, and a slow first fix.
struct SimulatedReceiver {
    /// The quality of its view of the sky.
    enum Sky: Sendable {
        case open
        /// Between high walls and in rooms.
        case canyon
    }

    private var chance: TrialChance
    /// Metres of displacement by slow drift.
    private var drift = TravelPlan.Point(east: 0, north: 0)
    /// The displacement caused by walls, and its end.
    private var ghost: (offset: TravelPlan.Point, until: Double)?
    private var nextGhost: Double
    private var spikeUntil = -1.0
    private var spike = TravelPlan.Point(east: 0, north: 0)
    private var blindUntil = -1.0
    private var latest = -1e9
    private var readyAt = 0.0
    private let sky: Sky

    static let origin = (latitude: 48.2, longitude: 16.37)

    init(seed: UInt64, sky: Sky) {
        chance = TrialChance(seed: seed, stream: 72)
        self.sky = sky
        nextGhost = 0
        nextGhost = draw(600, 7_200)
    }

    /// The fix at a time, in seconds; nil for none. Times must increase, by a second while it works.
    mutating func fix(at time: Double, _ leg: TravelPlan.Leg) -> Fix? {
        let pause = time - latest
        if pause > 60 {
            // It was off: the first fix takes a while, longer after hours.
            readyAt = time + (pause > 7_200 ? draw(15, 45) : draw(2, 8))
        }
        advance(to: time, pause)
        latest = time
        guard time >= readyAt, time >= blindUntil else { return nil }
        let truth = leg.place(at: time)
        var off = drift
        var error = max(4, drift.length * draw(0.6, 1.6))
        if let ghost {
            off = TravelPlan.Point(east: off.east + ghost.offset.east, north: off.north + ghost.offset.north)
            // Its estimated error is too small by a factor of two to six.
            error = max(6, ghost.offset.length / draw(2, 6))
        }
        if time < spikeUntil {
            off = spike
            error = draw(5, 30)
        }
        let noise = ghost == nil ? 0.25 : 0.6
        return Fix(
            at: BootTime(nanoseconds: Int64(time * 1e9)),
            Self.coordinates(TravelPlan.Point(east: truth.east + off.east, north: truth.north + off.north)),
            mode: .threeD, error: error, speed: max(0, leg.speed + draw(-noise, noise)),
            wall: WallTime(nanoseconds: 1_768_435_200_000_000_000 + Int64(time * 1e9)))
    }

    private mutating func advance(to time: Double, _ pause: Double) {
        // First-order drift: five minutes, 7 m on each axis.
        let kept = exp(-min(pause, 1e6) / 300)
        let spread = 7 * (1 - kept * kept).squareRoot()
        drift = TravelPlan.Point(
            east: drift.east * kept + spread * normal(), north: drift.north * kept + spread * normal())
        if let ghost, time >= ghost.until {
            self.ghost = nil
            nextGhost = time + (sky == .canyon ? draw(300, 3_600) : draw(7_200, 86_400))
        }
        if ghost == nil, time >= nextGhost {
            ghost = (direction(draw(40, sky == .canyon ? 260 : 120)), time + draw(30, sky == .canyon ? 600 : 120))
        }
        if time >= spikeUntil, draw(0, 1) < (sky == .canyon ? 1 / 900.0 : 1 / 7_200.0) * min(pause, 60) {
            spikeUntil = time + draw(1, 45)
            spike = direction(draw(300, 1_500))
        }
        if time >= blindUntil, draw(0, 1) < min(pause, 60) / 1_800 { blindUntil = time + draw(2, 90) }
    }

    private mutating func draw(_ least: Double, _ most: Double) -> Double {
        least + (most - least) * Double(chance.number(0...1_000_000)) / 1e6
    }

    private mutating func normal() -> Double {
        (0..<12).reduce(-6.0) { sum, _ in sum + Double(chance.number(0...1_000_000)) / 1e6 }
    }

    private mutating func direction(_ length: Double) -> TravelPlan.Point {
        let angle = draw(0, 2 * .pi)
        return TravelPlan.Point(east: length * cos(angle), north: length * sin(angle))
    }

    static func coordinates(_ point: TravelPlan.Point) -> Coordinates {
        let latitude = origin.latitude + point.north / 111_194.93
        let longitude = origin.longitude + point.east / (111_194.93 * cos(origin.latitude * .pi / 180))
        guard let place = Coordinates(latitude: latitude, longitude: longitude) else {
            preconditionFailure("places of the simulation lie around its origin")
        }
        return place
    }
}
