import Core

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A simulated day with stairs, and with what must not be taken for stairs.
public struct FloorsDay: Sendable {
    /// What a part of the day is for the count of flights.
    public enum Part: String, CaseIterable, Sendable {
        case stairs, downstairs, lift, escalator, car, train, hill, outdoors, indoors
    }

    public let life: WearerLife
    /// By their ends, without gaps. Those that count flights end well after the last step.
    public private(set) var parts: [(part: Part, end: WallTime, flights: Int)] = []
    var air: AirScript

    /// - Parameter hasStairs: whether the wearer takes stairs at all; otherwise all ways up are lifts.
    public init(seed: UInt64, hasStairs: Bool = true) {
        var builder = FloorsDayBuilder(seed: seed, hasStairs: hasStairs)
        builder.live()
        life = WearerLife(firstDay: FloorsDayBuilder.day, days: 1, episodes: builder.episodes, seed: seed)
        parts = builder.parts
        air = builder.air
    }

    /// The flights climbed on foot.
    public var flights: Int { parts.reduce(0) { $0 + $1.flights } }
}

/// Writes the episodes of a day, the air around them and the truth.
struct FloorsDayBuilder {
    static let day = UTCDay(daysSinceEpoch: 20_103)

    private(set) var episodes: [Episode] = []
    private(set) var parts: [(part: FloorsDay.Part, end: WallTime, flights: Int)] = []
    var air: AirScript
    var generator: SplitGenerator
    private let hasStairs: Bool
    private var now = Self.day.start
    /// Of this wearer: the height of a step of a stair in metres, steps per minute on stairs and on the flat.
    private var riser = 0.17
    private var stairCadence = 100.0
    private var cadence = 110.0
    /// In metres, of the wearer's home and of the place of work.
    private var homeStorey = 3.0
    private var workStorey = 3.3

    init(seed: UInt64, hasStairs: Bool) {
        generator = SplitGenerator(seed: seed, stream: 0x464C_4F4F)
        self.hasStairs = hasStairs
        air = AirScript(lane: generator.next())
    }

    private var seconds: Double { Double((now - Self.day.start).nanoseconds) / 1e9 }

    mutating func live() {
        riser = random(0.155...0.19)
        stairCadence = random(85...110)
        cadence = random(98...122)
        homeStorey = random(3.0...3.2)
        workStorey = random(3.0...3.4)
        writeWeather()
        add(.sleeping, until: .minutes(6 * 60 + 30))
        beAtHome(visits: 2)
        leave(ventilation: 5)
        commute()
        enter(ventilation: 30)
        let office = Int.random(in: 1...8, using: &generator)
        goUp(office, storey: workStorey)
        work(until: .hours(12), office)
        goDown(office, storey: workStorey)
        leave(ventilation: 30)
        goOutdoors(minutes: 8...15)
        enter(ventilation: 30)
        goUp(office, storey: workStorey)
        work(until: .hours(17), office)
        goDown(office, storey: workStorey)
        leave(ventilation: 30)
        commute()
        if chance(0.5) { walkOverHill() }
        enter(ventilation: 5)
        beAtHome(visits: 3)
        while now < Self.day.start + .hours(21) { beAtHome(visits: 1) }
        finish(.indoors)
        add(.sleeping, until: .hours(24))
        finish(.indoors)
    }

    /// Slow waves, a front on some days, and a thunderstorm on a few.
    private mutating func writeWeather() {
        var time = 0.0
        while time < 86_400 {
            let length = random(1_800...14_400)
            // Up to 3 hPa an hour.
            let slope = random(-1...1) * (chance(0.15) ? 0.083 : 0.02)
            air.weather.change(to: air.weather.last + slope * length, from: time, to: time + length)
            time += length
            guard chance(0.03) else { continue }
            let jump = random(100...250) * (chance(0.8) ? 1 : -1)
            air.weather.change(to: air.weather.last + jump, from: time, to: time + random(240...900))
            time += 900
        }
    }
}

// MARK: - Places

extension FloorsDayBuilder {
    private mutating func beAtHome(visits: Int) {
        for _ in 0..<visits {
            if chance(0.5) { sit(minutes: 5...20) } else { add(.standing, .seconds(Int64(random(120...600)))) }
            if chance(0.3) { slam() }
            walk(seconds: 5...25)
            if chance(0.35) {
                climb(1, storey: homeStorey)
                if chance(0.5) { sit(minutes: 5...15) } else { add(.standing, .seconds(Int64(random(20...300)))) }
                walk(seconds: 4...15)
                descend(1, storey: homeStorey)
            }
            walk(seconds: 5...25)
        }
    }

    private mutating func work(until time: Interval, _ office: Int) {
        while now < Self.day.start + time - .minutes(35) {
            sit(minutes: 15...30)
            if chance(0.3) { slam() }
            walk(seconds: 15...60)
            if chance(0.4) {
                let floors = Int.random(in: 1...3, using: &generator)
                goUp(floors, storey: workStorey)
                sit(minutes: 3...10)
                walk(seconds: 10...40)
                goDown(floors, storey: workStorey)
            }
            walk(seconds: 15...60)
        }
        sit(minutes: 5...10)
        walk(seconds: 15...60)
    }

    private mutating func goUp(_ storeys: Int, storey: Double) {
        if hasStairs, chance(storeys <= 3 ? 0.6 : 0.2) {
            climb(storeys, storey: storey)
        } else if chance(0.1) {
            rideEscalator(storeys, storey: storey)
        } else {
            rideLift(Double(storeys) * storey)
        }
    }

    private mutating func goDown(_ storeys: Int, storey: Double) {
        if chance(0.5) { descend(storeys, storey: storey) } else { rideLift(-Double(storeys) * storey) }
    }

    private mutating func commute() {
        let isHome = air.height.last.magnitude < 1
        let level = isHome ? random(-60...120) : 0
        if chance(0.5) { drive(to: level) } else { rideTrain(to: level) }
    }

    /// Through a door: the ventilation inside begins, in Pa.
    private mutating func enter(ventilation: Double) {
        finish(.outdoors)
        // One without wind at once, as the door shuts.
        air.wind.change(to: 0, from: seconds, to: seconds + 1)
        air.room.change(to: random(-0.3...1) * ventilation, from: seconds, to: seconds + random(0.5...2))
        walk(seconds: 20...90)
    }

    private mutating func leave(ventilation: Double) {
        finish(.indoors)
        air.room.change(to: 0, from: seconds, to: seconds + random(0.5...2))
        // Gusts of 1 to 6 Pa, and of 15 Pa on a stormy day.
        air.wind.change(to: chance(0.1) ? 15 : random(1...6), from: seconds, to: seconds + 2)
        walk(seconds: 60...240)
    }

    private mutating func goOutdoors(minutes: ClosedRange<Double>) {
        walk(.seconds(Int64(random(minutes) * 60)))
        finish(.outdoors)
    }

    /// A door of the room is shut with force.
    private mutating func slam() {
        let push = random(-25...25)
        let room = air.room.last
        air.room.change(to: room + push, from: seconds, to: seconds + 0.3)
        air.room.change(to: room + push * random(-0.5...0.2), from: seconds + 0.5, to: seconds + 1)
        air.room.change(to: room, from: seconds + 1.2, to: seconds + 2.5)
    }
}

// MARK: - Ways up and down

extension FloorsDayBuilder {
    /// Half flights with landings, and a little way from one storey to the next.
    private mutating func climb(_ storeys: Int, storey: Double) {
        guard hasStairs else { return rideLift(Double(storeys) * storey) }
        finish(.indoors)
        walk(seconds: 2...15)
        takeStairs(Double(storeys) * storey, storey)
        walk(seconds: 5...20)
        stayAWhile()
        finish(.stairs, flights: Int(Double(storeys) * storey / 3 + 0.001))
    }

    private mutating func descend(_ storeys: Int, storey: Double) {
        guard hasStairs else { return rideLift(-Double(storeys) * storey) }
        finish(.indoors)
        walk(seconds: 2...15)
        takeStairs(-Double(storeys) * storey, storey)
        walk(seconds: 5...20)
        finish(.downstairs)
    }

    private mutating func takeStairs(_ height: Double, _ storey: Double) {
        let pace = height > 0 ? stairCadence : stairCadence * 1.08
        let halves = Int((height.magnitude / storey * 2).rounded())
        let rise = height / Double(halves)
        for half in 0..<halves {
            let start = seconds
            let length = rise.magnitude / riser * 60 / pace
            add(.walking, Interval(nanoseconds: Int64(length * 1e9)), cadence: pace)
            air.height.change(to: air.height.last + rise, from: start, to: seconds)
            guard half + 1 < halves else { break }
            let flat = half % 2 == 0 ? random(2...4) : random(2...8)
            add(.walking, Interval(nanoseconds: Int64(flat * 60 / pace * 1e9)), cadence: pace)
            if chance(0.05) { add(.standing, .seconds(Int64(random(5...30)))) }
        }
    }

    /// Walks to it, waits, turns round in it perhaps, and walks out.
    private mutating func rideLift(_ height: Double) {
        walk(seconds: 5...30)
        finish(.indoors)
        if chance(0.8) { add(.standing, .seconds(Int64(random(3...50)))) }
        walk(seconds: 2...3)
        add(.standing, .seconds(Int64(random(3...6))))
        let speed = [0.4, 0.63, 1.0, 1.6, 2.5][Int.random(in: 0..<5, using: &generator)]
        let length = height.magnitude / speed + speed
        let start = seconds
        if chance(0.15) {
            add(.standing, .seconds(Int64(length * 0.4)))
            walk(seconds: 2...3)
            let rest = start + length - seconds
            if rest > 0 { add(.standing, Interval(nanoseconds: Int64(rest * 1e9))) }
        } else {
            add(.standing, Interval(nanoseconds: Int64(length * 1e9)))
        }
        air.height.change(to: air.height.last + height, from: start, to: start + length)
        add(.standing, .seconds(Int64(random(1.5...4))))
        walk(seconds: 8...40)
        stayAWhile()
        finish(.lift)
    }

    /// Stands on it: 0.5 m/s along a slope of 30°.
    private mutating func rideEscalator(_ storeys: Int, storey: Double) {
        finish(.indoors)
        for _ in 0..<storeys {
            walk(seconds: 3...15)
            let start = seconds
            add(.standing, Interval(nanoseconds: Int64(storey / 0.25 * 1e9)))
            air.height.change(to: air.height.last + storey, from: start, to: seconds)
        }
        walk(seconds: 8...40)
        stayAWhile()
        finish(.escalator)
    }

    /// Up and down again at 4 to 10 %.
    private mutating func walkOverHill() {
        finish(.outdoors)
        let gradient = random(0.04...0.1)
        // Tobler, "Three presentations on geographical analysis and modeling", NCGIA Technical Report 93-1: 6 km/h at
        // a slope of -5 %, and less by a factor of e for each 29 % from there.
        let speed = exp(-3.5 * (gradient + 0.05)) * 6 / 3.6
        let length = random(240...900)
        for direction in [1.0, -1.0] {
            let start = seconds
            walk(.seconds(Int64(length)))
            air.height.change(to: air.height.last + direction * gradient * speed * length, from: start, to: seconds)
        }
        finish(.hill)
    }

    private mutating func drive(to height: Double) {
        finish(.outdoors)
        let wind = air.wind.last
        air.wind.change(to: 1, from: seconds, to: seconds + 1)
        slam()
        let start = seconds
        let length = random(900...2400)
        add(.driving, .seconds(Int64(length)))
        wander(to: height, from: start, for: length)
        if chance(0.4) { addTunnel(at: start + random(0.2...0.7) * length, deepest: 300) }
        air.wind.change(to: wind, from: seconds, to: seconds + 1)
        walk(seconds: 30...60)
        finish(.car)
        walk(seconds: 30...180)
    }

    /// In two of five trains the wearer changes the seat.
    private mutating func rideTrain(to height: Double) {
        walk(seconds: 20...60)
        finish(.outdoors)
        let wind = air.wind.last
        air.wind.change(to: 0.5, from: seconds, to: seconds + 1)
        let start = seconds
        let length = random(1200...2700)
        if chance(0.4) {
            let first = random(0.2...0.7) * length
            add(.driving, .seconds(Int64(first)))
            walk(seconds: 15...80)
            add(.driving, .seconds(Int64(max(start + length - seconds, 120))))
        } else {
            add(.driving, .seconds(Int64(length)))
        }
        wander(to: height, from: start, for: seconds - start)
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
            addTunnel(at: start + random(0.1...0.85) * length, deepest: 1500)
        }
        air.wind.change(to: wind, from: seconds, to: seconds + 1)
        walk(seconds: 30...60)
        finish(.train)
        walk(seconds: 30...180)
    }

    /// Hills on the way, at 2 m/s at most.
    private mutating func wander(to height: Double, from start: Double, for length: Double) {
        let legs = 6
        let leg = length / Double(legs)
        for index in 0..<legs {
            let at = start + Double(index) * leg
            let goal =
                index + 1 < legs ? min(max(random(-80...150), air.height.last - leg), air.height.last + leg) : height
            air.height.change(to: goal, from: at, to: at + leg)
        }
    }

    /// In Pa; positive at the entry of most.
    private mutating func addTunnel(at start: Double, deepest: Double) {
        let pressure = random(0.2...1) * deepest * (chance(0.5) ? 1 : -1)
        air.waves.append(
            AirScript.Wave(start: start, end: start + random(10...120), pressure: pressure, leak: random(1...15)))
    }
}

// MARK: - Pieces

extension FloorsDayBuilder {
    private mutating func walk(seconds range: ClosedRange<Double>) {
        walk(Interval(nanoseconds: Int64(random(range) * 1e9)))
    }

    private mutating func walk(_ length: Interval) { add(.walking, length, cadence: cadence) }

    private mutating func sit(minutes range: ClosedRange<Double>) { add(.sitting, .seconds(Int64(random(range) * 60))) }

    /// So that what was counted late is counted to the right part.
    private mutating func stayAWhile() { add(.standing, .seconds(Int64(random(30...90)))) }

    private mutating func add(_ kind: Episode.Kind, until time: Interval) {
        let end = Self.day.start + time
        if end > now { add(kind, end - now) }
    }

    private mutating func add(_ kind: Episode.Kind, _ length: Interval, cadence: Double = 0) {
        let end = min(now + length, Self.day.end)
        guard end > now else { return }
        episodes.append(Episode(kind: kind, start: now, end: end, cadence: cadence))
        now = end
    }

    private mutating func finish(_ part: FloorsDay.Part, flights: Int = 0) {
        if parts.last.map({ $0.end < now }) ?? true { parts.append((part, now, flights)) }
    }

    private mutating func random(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &generator) }
    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < share }
}
