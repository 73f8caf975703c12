import Foundation
import Core
import Signal
import SimulatedBus

extension SeededGenerator {
    mutating func normal() -> Float {
        let radius = (-2 * log(Double.random(in: 1e-12..<1, using: &self))).squareRoot()
        return Float(radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self)))
    }
}

/// A rotation by a unit quaternion.
struct Rotation {
    private let w: Float
    private let axis: Acceleration

    init(using generator: inout SeededGenerator) {
        let parts = (0..<4).map { _ in generator.normal() }
        let length = parts.map { $0 * $0 }.reduce(0, +).squareRoot()
        w = parts[0] / length
        axis = Acceleration(x: parts[1], y: parts[2], z: parts[3]) * (1 / length)
    }

    func callAsFunction(_ vector: Acceleration) -> Acceleration {
        let twice = cross(axis, vector) * 2
        return vector + twice * w + cross(axis, twice)
    }

    private func cross(_ a: Acceleration, _ b: Acceleration) -> Acceleration {
        Acceleration(x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x)
    }
}

/// Samples at 25 Hz of a signal that is a function of the seconds since its start.
func samples(seconds: Double, _ signal: (Double) -> Acceleration) -> [Acceleration] {
    (0..<Int(seconds * 25)).map { signal(Double($0) / 25) }
}

/// The first 128 of those.
func window(_ signal: (Double) -> Acceleration) -> Window {
    guard let window = Window(samples(seconds: 5.12, signal)) else { preconditionFailure("5.12 s are 128 samples") }
    return window
}

/// A gait on the body's own axis: a peak per step, sharper than the trough, with sway across.
func gait(stepsPerMinute: Double, strength: Double) -> (Double) -> Acceleration {
    { time in
        let phase: Double = 2 * Double.pi * stepsPerMinute / 60 * time
        let sway: Double = 0.1 * strength * sin(phase / 2)
        let shape: Double = sin(phase) - 0.3 * cos(2 * phase)
        return Acceleration(x: Float(sway), y: 0, z: Float(1 + strength * shape))
    }
}

/// Lying still, with a sensor's noise (standard deviation per axis, in g).
func still(noise: Float, seed: UInt64) -> [Acceleration] {
    var generator = SeededGenerator(seed: seed)
    return (0..<Window.length).map { _ in
        Acceleration(
            x: generator.normal() * noise, y: generator.normal() * noise, z: 1 + generator.normal() * noise)
    }
}
