import Foundation
import Core
import Signal
import SimulatedBus

/// A thing or a body at rest, measured by an MPU-6050: ±8 g in 16 bits, 1.26 mg of white noise on each axis.
struct StillThing {
    /// Gravity on the sensor's axes, in g.
    var posture = StillThing.flat
    /// Half the height of a breath, in g, at 15 a minute.
    var breath: Float = 0
    /// Amplitude in g of a shaking of 9 Hz, as from a motor.
    var shaking: Float = 0

    /// On a face, with the zero-g offset of an uncalibrated chip.
    static let flat = Acceleration(x: 0.04, y: -0.03, z: 1.02)
    static let tilted = Acceleration(x: 0.5, y: 0.4, z: 0.77)
    static let otherwiseTilted = Acceleration(x: -0.6, y: 0.7, z: 0.4)

    func window(temperature: Float? = nil, using generator: inout SeededGenerator) -> Window {
        let phase = Double.random(in: 0..<1, using: &generator)
        let samples = (0..<Window.length).map { index -> Acceleration in
            let seconds = Double(index) / 25
            let lift = breath * Float(sin(2 * .pi * (seconds / 4 + phase)))
            let shake = shaking * Float(sin(2 * .pi * (seconds * 9 + phase)))
            let felt = posture + Acceleration(x: lift, y: 0.5 * lift, z: shake)
            func seen(_ value: Float) -> Float { ((value + generator.normal() * 0.00126) * 4096).rounded() / 4096 }
            return Acceleration(x: seen(felt.x), y: seen(felt.y), z: seen(felt.z))
        }
        guard let window = Window(samples, temperature: temperature) else { preconditionFailure("128 samples") }
        return window
    }
}

/// Feeds windows to a `Stillness` and records its decisions with their times.
struct StillnessDiary {
    var stillness = Stillness()
    var generator: SeededGenerator
    /// From one window to the next.
    var pace = Interval.minutes(1)
    private(set) var now = BootTime(nanoseconds: 0)
    private var isFirst = true
    /// Minutes since the beginning, and the state decided then; without the time before the first window.
    private(set) var decisions: [(minute: Int64, was: WearState)] = []

    init(seed: UInt64, pace: Interval = .minutes(1)) {
        generator = SeededGenerator(seed: seed)
        self.pace = pace
    }

    var minute: Int64 { (now - BootTime(nanoseconds: 0)).inMinutes }
    var state: WearState { stillness.state }

    /// The minutes until the state was decided for the first time; nil if it was not.
    func firstDecision(_ state: WearState) -> Int64? { decisions.first { $0.was == state }?.minute }

    mutating func rest(
        _ thing: StillThing, takenFor activity: Activity = .stationary, minutes: Int64,
        temperature: (Double) -> Float? = { _ in nil }
    ) {
        let end = now + .minutes(minutes)
        let start = now
        while now + pace <= end {
            now = now + pace
            let since = Double((now - start).inSeconds) / 60
            let window = thing.window(temperature: temperature(since), using: &generator)
            note(stillness.add(RestFeatures(window), activity: activity, at: now))
        }
    }

    /// Feeds one window with movement.
    mutating func move(_ activity: Activity = .unknown, temperature: Float? = nil) {
        now = now + pace
        let moved = RestFeatures(
            mean: StillThing.tilted, deviation: 0.3, sway: 0.2, flutter: 0.1, temperature: temperature)
        note(stillness.add(moved, activity: activity, at: now))
    }

    private mutating func note(_ decision: WearState?) {
        if let decision, !isFirst { decisions.append((minute, decision)) }
        isFirst = false
    }
}
