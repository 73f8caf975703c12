import Foundation
import Core
import Signal
import SimulatedBus

/// A made-up optical pulse signal of 8 s: beats with a second wave, breathing in the baseline, in the height and in the
/// rate, drift and noise.
struct SyntheticPulse {
    var beatsPerMinute: Double
    /// Deviation of the noise, in parts of that of the beats.
    var noise: Float = 0.2
    /// Height of the breathing in the baseline, in parts of the deviation of the beats.
    var breathing: Double = 1
    /// Deviation of the beats and mean of the light, in counts.
    var change: Float = 1000
    var mean: Float = 130_000

    func light(using generator: inout SeededGenerator) -> [Float] {
        let breath = Double.random(in: 0.2...0.33, using: &generator)
        let start = Double.random(in: 0..<1, using: &generator)
        let slope = Double.random(in: -0.3...0.3, using: &generator)
        var phase = Double.random(in: 0..<1, using: &generator)
        return (0..<PulseWindow.length).map { index in
            let time = Double(index) / Double(PulseWindow.rate)
            let air = sin(2 * .pi * (breath * time + start))
            phase += beatsPerMinute / 60 * (1 + 0.03 * air) / Double(PulseWindow.rate)
            let beat = 2.8 * (Self.wave(phase, at: 0.2, width: 0.1) + 0.5 * Self.wave(phase, at: 0.55, width: 0.13))
            let clean = beat * (1 + 0.15 * air) + breathing * sin(2 * .pi * (breath * time + start) + 1) + slope * time
            return mean + change * (Float(clean) + noise * generator.normal())
        }
    }

    private static func wave(_ phase: Double, at place: Double, width: Double) -> Double {
        let distance = (phase - place + 0.5) - (phase - place + 0.5).rounded(.down) - 0.5
        return exp(-0.5 * distance * distance / (width * width))
    }
}

/// A sensor that lies still, with the noise of a chip.
func stillAcceleration(using generator: inout SeededGenerator) -> [Acceleration] {
    (0..<PulseWindow.length).map { _ in
        Acceleration(x: 0.002 * generator.normal(), y: 0.002 * generator.normal(), z: 1 + 0.002 * generator.normal())
    }
}
