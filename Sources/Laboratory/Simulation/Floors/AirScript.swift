import Core
import SimulatedBus

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The air pressure around a wearer through a day: height, weather, rooms, wind and tunnels.
///
/// Times are seconds since the start of the day, and are added in rising order.
struct AirScript: Sendable {
    /// Straight lines between points.
    struct Line: Sendable {
        private(set) var points: [(time: Double, value: Double)] = []
        /// The line up to which the last reading came.
        private var index = 0

        init(at value: Double) { points = [(0, value)] }

        var last: Double { points.last?.value ?? 0 }

        /// Stays at the last value until `start`, and then changes to `value` until `end`.
        mutating func change(to value: Double, from start: Double, to end: Double) {
            points += [(start, last), (max(end, start + 0.001), value)]
        }

        mutating func value(at time: Double) -> Double {
            if points[index].time > time { index = 0 }
            while index + 1 < points.count, points[index + 1].time <= time { index += 1 }
            guard index + 1 < points.count else { return points[index].value }
            let (left, right) = (points[index], points[index + 1])
            return left.value + (right.value - left.value) * (time - left.time) / (right.time - left.time)
        }
    }

    /// A change of pressure that a leaky vehicle follows with this time constant.
    struct Wave: Sendable {
        let start: Double
        let end: Double
        /// In Pa.
        let pressure: Double
        /// In seconds.
        let leak: Double
    }

    /// In metres above the wearer's home.
    var height = Line(at: 0)
    /// At home, in Pa.
    var weather = Line(at: 101_325)
    /// The excess over the pressure outside, of rooms with ventilation, in Pa.
    var room = Line(at: 0)
    /// The size of gusts, in Pa.
    var wind = Line(at: 0)
    var waves: [Wave] = []
    let lane: UInt64

    init(lane: UInt64) { self.lane = lane }

    /// The pressure in Pa. Faster in order of time.
    mutating func pressure(at time: Double) -> Double {
        var pressure = weather.value(at: time) + room.value(at: time)
        // Gusts of some seconds, and eddies around the body.
        let gust = Double(ValueNoise.value(lane, at: time / 4)) * 1.6 + Double(ValueNoise.value(lane ^ 1, at: time * 2))
        pressure += wind.value(at: time) * gust
        for wave in waves where wave.start <= time && time < wave.end + 6 * wave.leak {
            let inside = wave.pressure * (1 - exp((wave.start - min(time, wave.end)) / wave.leak))
            pressure += time < wave.end ? inside : inside * exp((wave.end - time) / wave.leak)
        }
        return pressure * exp(-height.value(at: time) / 8434.5)
    }
}
