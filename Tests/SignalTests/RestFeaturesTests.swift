import Foundation
import Core
import Recordings
import Signal
import SimulatedBus
import Testing

/// The share of windows that sway, by the rule's own measure, which tells a body from noise.
@Suite struct RestFeaturesTests {
    private static let rule = StillnessRule()

    private static func swayingShare(_ windows: [Window]) -> Double {
        let reposes = windows.map(RestFeatures.init)
        let swaying = reposes.count { $0.sway > max($0.flutter * rule.swayShare, rule.leastSway) }
        return Double(swaying) / Double(reposes.count)
    }

    private static func noise(_ deviation: Float, using generator: inout SeededGenerator) -> Acceleration {
        Acceleration(x: generator.normal(), y: generator.normal(), z: generator.normal()) * deviation
    }

    private static func windows(_ samples: [Acceleration]) -> [Window] {
        stride(from: 0, through: samples.count - Window.length, by: Window.length).compactMap {
            Window(Array(samples[$0..<$0 + Window.length]))
        }
    }

    /// White noise, recorded so many times a second and brought to 25 Hz.
    private static func recordedNoise(hours: Double, rate: Double, deviation: Float) -> [Window] {
        var generator = SeededGenerator(seed: 1)
        var resampler = Resampler()
        var samples: [Acceleration] = []
        for index in 0..<Int(hours * 3600 * rate) {
            let time = Interval.milliseconds(Int64((Double(index) * 1000 / rate).rounded()))
            let felt = StillThing.tilted + noise(deviation, using: &generator)
            resampler.add(RecordedSample(time: time, acceleration: felt, label: nil))
            while let sample = resampler.next() { samples.append(sample.acceleration) }
        }
        return windows(samples)
    }

    @Test(arguments: [20, 25, 31.25, 50], [0.002, 0.015] as [Float])
    func noiseThatWasInterpolatedDoesNotSway(rate: Double, deviation: Float) {
        #expect(Self.swayingShare(Self.recordedNoise(hours: 2, rate: rate, deviation: deviation)) <= 0.015)
    }

    /// Two poles of 15.5 Hz, which together let half of the power through at 10 Hz, seen 25 times a second.
    @Test func noiseBehindAFilterOfTenHertzDoesNotSway() {
        var generator = SeededGenerator(seed: 2)
        let share = Float(1 - exp(-2 * Double.pi * 15.5 / 1000))
        var (first, second) = (Acceleration.zero, Acceleration.zero)
        var samples: [Acceleration] = []
        for step in 0..<200 * Window.length * 40 {
            first = first + (Self.noise(0.02, using: &generator) - first) * share
            second = second + (first - second) * share
            if step % 40 == 0 { samples.append(second) }
        }
        #expect(Self.swayingShare(Self.windows(samples)) <= 0.01)
    }

    @Test(arguments: [6.25, 6.4, 9, 10.3, 12.3]) func whatShakesDoesNotSway(hertz: Double) {
        var generator = SeededGenerator(seed: 3)
        let samples = (0..<300 * Window.length).map { index in
            let shake = 0.03 * Float(sin(2 * .pi * hertz * Double(index) / 25))
            return Acceleration(x: 0, y: 0, z: 1 + shake) + Self.noise(0.001_26, using: &generator)
        }
        #expect(Self.swayingShare(Self.windows(samples)) <= 0.01)
    }

    @Test(arguments: [(0.001_25, 0.9), (0.001_5, 0.98)] as [(Float, Double)])
    func breathingSways(height: Float, share: Double) {
        var generator = SeededGenerator(seed: 4)
        let sleeper = StillThing(posture: StillThing.tilted, breath: height)
        let windows = (0..<1000).map { _ in sleeper.window(using: &generator) }
        #expect(Self.swayingShare(windows) >= share)
    }

    /// Every window, as `replay --continuous` and `evaluate` take them.
    @Test(arguments: [20, 25, 31.25]) func aRecordedTableIsNotWorn(rate: Double) {
        var stillness = Stillness()
        var states: [WearState] = []
        for (index, window) in Self.recordedNoise(hours: 4, rate: rate, deviation: 0.004).enumerated() {
            let end = BootTime(nanoseconds: Window.duration.nanoseconds * Int64(index + 1))
            _ = stillness.add(RestFeatures(window), activity: .stationary, at: end)
            states.append(stillness.state)
        }
        let notWorn = Double(states.count { $0 == .notWorn }) / Double(states.count)
        #expect(notWorn >= 0.25, "it lies tilted: not worn after two to three hours of four")
    }
}
