import Glibc
import Core
import SimulatedBus

/// The motion of the chip: of one kind until a test chooses another.
///
/// The amplitudes lie within those measured on people, so that a classifier recognises each kind. Everything is a
/// function of time, and the same in every run.
final class SimulatedMotion: AccelerationSource {
    enum Kind: String, CaseIterable {
        /// Worn by a sitting person.
        case still
        /// Left on a table.
        case table
        /// At 108 steps a minute.
        case walking
        /// At 162 steps a minute.
        case running
        /// In a car.
        case driving
        /// Repeats every hour: 5 minutes of walking, 35 of sitting, 15 of driving, and 5 on a table.
        case day

        static var names: String { allCases.map(\.rawValue).joined(separator: "|") }
    }

    var kind: Kind

    init(_ kind: Kind) { self.kind = kind }

    func acceleration(at time: BootTime) -> Acceleration {
        let seconds = Double(time.nanoseconds) * 1e-9
        switch moment(at: time) {
        case .table, .day: return Acceleration(x: 0, y: 0, z: 1)
        case .still: return sitting(seconds)
        case .walking: return upright + step(108 / 60 * seconds, lift: (0.30, 0.12, 0.08), push: 0.13, lean: 0.11)
        case .running: return upright + step(162 / 60 * seconds, lift: (1.00, 0.26, 0.12), push: 0.45, lean: 0.30)
        case .driving: return road(seconds)
        }
    }

    /// The temperature of the wearer or of the room, in degrees Celsius.
    func temperature(at time: BootTime) -> Double? { moment(at: time) == .table ? 22 : 31 }

    /// The kind at `time` in a `day`; otherwise the kind itself.
    private func moment(at time: BootTime) -> Kind {
        guard kind == .day else { return kind }
        switch (time.nanoseconds / Interval.minutes(1).nanoseconds) % 60 {
        case ..<5: return .walking
        case ..<40: return .still
        case ..<55: return .driving
        default: return .table
        }
    }

    /// Gravity in a sensor that hangs upright, and in one that leans back with a sitting wearer.
    private var upright: Acceleration { Acceleration(x: 0.08, y: -0.99, z: 0.11) }
    private var leaning: Acceleration { Acceleration(x: 0.05, y: -0.83, z: 0.555) }

    private func sitting(_ seconds: Double) -> Acceleration {
        leaning + shaking(seconds * 2.5) * 0.002
            + Acceleration(x: wave(seconds * 0.31), y: 0, z: wave(seconds * 0.23)) * 0.010
    }

    /// A push up and forward with its overtones; every second step leans to the same side.
    private func step(
        _ steps: Double, lift: (Float, Float, Float), push: Float, lean: Float
    ) -> Acceleration {
        let effort = 1 + 0.12 * wave(steps * 0.13)
        let up = lift.0 * cosine(steps) + lift.1 * cosine(2 * steps) + lift.2 * cosine(3 * steps)
        let ahead = push * wave(steps) + 0.6 * push * cosine(2 * steps)
        return Acceleration(x: lean * wave(steps / 2), y: -up, z: ahead) * effort + shaking(steps * 5) * 0.05
    }

    /// Wheels and body shake between 4 and 12 Hz, and the car speeds up, brakes and turns.
    private func road(_ seconds: Double) -> Acceleration {
        let roughness = 0.08 + 0.03 * wave(seconds * 0.07)
        let turning = Acceleration(x: 0.10 * wave(seconds * 0.11), y: 0, z: 0.12 * wave(seconds * 0.083))
        return leaning + shaking(seconds * 6) * roughness + turning
    }

    /// Waves that never fall into step with one another, on three axes; a root mean square of about 0.7 on each.
    private func shaking(_ position: Double) -> Acceleration {
        func axis(_ phase: Double) -> Float {
            (wave(position * 0.731 + phase) + wave(position * 1.213 + 2 * phase) + wave(position * 1.837 + 3 * phase))
                * 0.58
        }
        return Acceleration(x: axis(0.1), y: axis(0.37), z: axis(0.71))
    }

    private func wave(_ turns: Double) -> Float { Float(sin(turns * 2 * .pi)) }
    private func cosine(_ turns: Double) -> Float { Float(cos(turns * 2 * .pi)) }
}
