import Commands
import Domains
import Devices
import System
import Core
import Signal

/// The present reading of the sensor and its lines, limited to the data that the wearer allows.
struct LiveView: Equatable {
    /// The parts that the wearer allows.
    struct Permitted: Equatable {
        /// Motion, sleep, or steps from acceleration.
        var acceleration = false
        var steps = false
        var location = false
    }

    /// The state of gpsd, without positions.
    enum Receiver: Equatable {
        case away(String)
        case searching
        case fix(metres: Double?, speed: Double?)
    }

    var permitted = Permitted()
    /// The kinds of data that are on.
    var on: DomainSet = []
    /// The latest sample, in g.
    var acceleration: Acceleration?
    /// From the latest complete window; nil before the first.
    var judgement: Judgement?
    /// Steps a minute; nil without a walk.
    var cadence: Float?
    /// Credited since the start.
    var steps = 0
    /// Edges of the step line since the start; nil if it is not wired.
    var pulses: Int?
    /// Edges of the IMU's interrupt since the start; nil if it is not wired.
    var interrupts: Int?
    /// Whether the chip rests and watches for motion, without samples.
    var isWatchingForMotion = false
    var receiver: Receiver?
    /// The fault of the sensor or a line, on one line.
    var fault: String?
}

extension LiveView {
    /// One line for programs. An absent member is not allowed, not wired, or not known yet.
    func json(at time: WallTime) -> JSONObject {
        let axes = acceleration.map { measured in
            JSONObject(
                ("x", thousandths(measured.x)), ("y", thousandths(measured.y)), ("z", thousandths(measured.z)),
                ("length", thousandths(measured.magnitude)))
        }
        return JSONObject(
            ("time", time), ("toggles", JSONObject(Domain.all.map { ($0.description, on.allows($0)) })),
            ("acceleration", axes), ("activity", judgement?.activity.description),
            ("confidence", judgement?.confidence.description), ("steps", permitted.steps ? steps : nil),
            ("cadence", cadence.map { Double($0.rounded()) }), ("pulses", pulses), ("interrupts", interrupts),
            ("receiver", receiver?.json), ("fault", fault))
    }

    private func thousandths(_ value: Float) -> Double { (Double(value) * 1000).rounded() / 1000 }
}

extension LiveView.Receiver {
    fileprivate var json: JSONObject {
        switch self {
        case .away(let reason): JSONObject(("fault", reason))
        case .searching: JSONObject(("fix", false))
        case .fix(let metres, let speed):
            JSONObject(("fix", true), ("errorMetres", metres), ("metresPerSecond", speed))
        }
    }
}

extension LiveView.Permitted {
    /// - Parameter hasStepLine: whether steps come from a step sensor.
    init(_ on: DomainSet, hasStepLine: Bool) {
        steps = on.allowsAny(on: .stepSensor)
        acceleration = on.allowsAny(on: .accelerometer) || steps && !hasStepLine
        location = on.allowsAny(on: .gpsd)
    }
}
