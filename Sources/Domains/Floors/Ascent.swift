import Core

/// What counts as a flight climbed. docs/decisions/0063-floors.md has the reasons.
public struct AscentRule: Equatable, Sendable {
    /// In metres.
    public var flight: Int32 = 3
    /// The longest time in which a flight is climbed.
    public var within = Interval.minutes(2)

    /// In metres: a flight counts from this much less on. It covers the noise of a barometer, and cold or warm air.
    let slack: Float = 0.45
    /// The greatest rise of one step, in metres. A higher one is not the wearer's own.
    let steepest: Float = 0.25
    /// The least rise of one step of a climb, in metres, with its landings …
    let flattest: Float = 0.12
    /// … and without so many steps on the flat, as many as two halves of a window have …
    let stepsAround: Float = 10
    /// … or twice as many, if the wearer rose like that over two windows, in metres per step: more than on a hill.
    let stair: Float = 0.11
    /// The greatest change, up or down, in metres per second. A faster one is a lift, a vehicle, a door or a gust.
    let fastest: Float = 0.45
    /// In metres: a greater change while the wearer does not walk is a lift or a vehicle.
    let standing: Float = 0.7
    /// Metres per step, more than on the flat and less than on a stair: a wearer who rose like that for
    /// `shortestHill` to `longestHill` before a climb is on a hill.
    let hill: ClosedRange<Float> = 0.02...0.095
    let longestHill = Interval.seconds(90)
    let shortestHill = Interval.seconds(40)
    /// Nothing counts for this time after a vehicle was recognised, and after the air was moved.
    let afterVehicle = Interval.minutes(2)
    let afterGust = Interval.minutes(1)

    public init() {}
}

/// Finds flights in the air pressure around a wearer on foot.
struct Ascent: Sendable {
    private struct Point {
        let time: BootTime
        /// In metres, above any level.
        let height: Float
        /// Counted until this time, since any other.
        let steps: Float
    }

    /// The height in which the pressure would fall to zero if it fell as it does here, in metres: R T / g of dry air at
    /// 15 °C, the temperature of the standard atmosphere (ISO 2533).
    private static let scale: Float = 8434.5

    private let rule: AscentRule
    /// The latest three readings since the last break, and the pressure of the last.
    private var readings: [Point] = []
    private var pressure: Float = 0
    /// Heights at which a flight may have begun, oldest first: the first reading, and medians of three.
    private var points: [Point] = []
    /// The same heights, also those before the latest flight.
    private var trail: [Point] = []
    /// Until then nothing counts, because the wearer was driven, or the air was moved.
    private var doubtUntil: BootTime?

    init(_ rule: AscentRule) { self.rule = rule }

    /// Forgets the heights: what follows is not their continuation.
    mutating func breakOff() { (readings, points) = ([], []) }

    /// The wearer is in a vehicle.
    mutating func rode(at now: BootTime) { doubt(until: now + rule.afterVehicle) }

    private mutating func doubt(until time: BootTime) { doubtUntil = max(time, doubtUntil ?? time) }

    /// Takes the next reading.
    ///
    /// - Parameters:
    ///   - pressure: in Pa.
    ///   - steps: counted until its time, since any other.
    ///   - isOnFoot: whether the wearer was seen to walk all the time since the previous reading.
    /// - Returns: the flights climbed.
    mutating func add(pressure: Float, steps: Int, isOnFoot: Bool, at time: BootTime) -> Int {
        let rise = 2 * Self.scale * (self.pressure - pressure) / (self.pressure + pressure)
        self.pressure = pressure
        var reading = Point(time: time, height: 0, steps: Float(steps))
        if let last = readings.last {
            reading = Point(time: time, height: last.height + rise, steps: reading.steps)
            let isFast = rise.magnitude > rule.fastest * Float((time - last.time).inMilliseconds) / 1000
            let isClimbed = isOnFoot && rise <= (reading.steps - last.steps) * rule.steepest
            if isFast { doubt(until: time + rule.afterGust) }
            if isFast || rise.magnitude > rule.standing && !isClimbed { breakOff() }
        }
        readings = readings.suffix(2) + [reading]
        if readings.count == 1 { (points, trail) = ([reading], [reading]) }
        guard readings.count == 3 else { return 0 }
        let height = median(readings[0].height, readings[1].height, reading.height)
        return climb(to: Point(time: readings[1].time, height: height, steps: readings[1].steps))
    }

    /// The flights of the greatest rise to this height.
    private mutating func climb(to top: Point) -> Int {
        points = points.filter { top.time - $0.time <= rule.within } + [top]
        trail = trail.filter { top.time - $0.time <= rule.within + rule.longestHill } + [top]
        if let doubtUntil, top.time < doubtUntil { return 0 }
        let flight = Float(rule.flight)
        var best: Point?
        for base in points where top.height - base.height >= flight - rule.slack {
            let (rise, steps) = (top.height - base.height, top.steps - base.steps)
            let flat = steepest(from: base) >= rule.stair ? 2 * rule.stepsAround : rule.stepsAround
            let isStair = rise >= (steps - flat) * rule.flattest && rise <= steps * rule.steepest
            if isStair, base.height < best?.height ?? .infinity, !isOnHill(base) { best = base }
        }
        guard let best else { return 0 }
        let rise = top.height - best.height
        let flights = ((rise + rule.slack) / flight).rounded(.down)
        // What remains may belong to the next flight.
        let share = min(flights * flight / rise, 1)
        points = [
            Point(
                time: top.time, height: best.height + flights * flight,
                steps: best.steps + (top.steps - best.steps) * share)
        ]
        return Int(flights)
    }

    /// The greatest slope over two windows since then.
    private func steepest(from base: Point) -> Float {
        let climb = points.filter { $0.time >= base.time }
        return zip(climb, climb.dropFirst(2)).map { slope(from: $0, to: $1) }.max() ?? 0
    }

    /// Whether the wearer had risen steadily before: in both halves of the time.
    private func isOnHill(_ base: Point) -> Bool {
        let before = trail.filter { $0.time <= base.time && base.time - $0.time <= rule.longestHill }
        guard let first = before.first, base.time - first.time >= rule.shortestHill else { return false }
        let middle = before[before.count / 2]
        return rule.hill.contains(slope(from: first, to: middle)) && rule.hill.contains(slope(from: middle, to: base))
    }

    private func slope(from low: Point, to high: Point) -> Float {
        high.steps > low.steps ? (high.height - low.height) / (high.steps - low.steps) : 0
    }

    private func median(_ a: Float, _ b: Float, _ c: Float) -> Float { max(min(a, b), min(max(a, b), c)) }
}
