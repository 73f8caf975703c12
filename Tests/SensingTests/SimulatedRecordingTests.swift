import Devices
import Core
import Testing

@testable import Simulation

@Suite struct SimulatedRecordingTests {
    private let start = BootTime(nanoseconds: 5_000_000_000)
    private let up = Acceleration(x: 0, y: 0, z: 1)

    private func at(_ milliseconds: Int64) -> BootTime { start + .milliseconds(milliseconds) }

    @Test func itIsInterpolatedBetweenSamplesWhateverItsClockShows() {
        let wearer = RecordedWearer(
            [[(.seconds(100), up), (.milliseconds(100_040), Acceleration(x: 0.4, y: 0, z: 0.8))]], from: start)
        #expect(wearer.acceleration(at: at(0)) == up)
        #expect(abs(wearer.acceleration(at: at(10)).x - 0.1) < 1e-5)
        #expect(abs(wearer.acceleration(at: at(30)).z - 0.85) < 1e-5)
        #expect(wearer.end == at(40))
    }

    @Test func beforeAndAfterItAndInGapsThePostureStays() {
        let lying = Acceleration(x: 2, y: 0, z: 0)
        let wearer = RecordedWearer(
            [[(.zero, up), (.seconds(30), lying), (.milliseconds(30_040), lying)]], from: start)
        #expect(wearer.acceleration(at: BootTime(nanoseconds: 0)) == up)
        #expect(wearer.acceleration(at: at(20_000)) == up)
        let after = wearer.acceleration(at: at(90_000))
        #expect(abs(after.magnitude - 1) < 1e-5)
        #expect(after.x > 0.9)
    }

    @Test func recordingsFollowOneAnotherAfterAPause() {
        let other = Acceleration(x: 0, y: 1, z: 0)
        let wearer = RecordedWearer(
            [[(.zero, up), (.milliseconds(40), up)], [], [(.seconds(7), other), (.milliseconds(7040), other)]],
            from: start, pause: .seconds(30))
        #expect(wearer.starts == [at(0), at(30_040)])
        #expect(wearer.acceleration(at: at(20_000)) == up)
        #expect(wearer.acceleration(at: at(30_060)) == other)
        #expect(wearer.end == at(30_080))
    }

    @Test func withoutAnyRecordingTheSensorLiesFlat() {
        #expect(RecordedWearer([], from: start).acceleration(at: at(1)) == up)
    }

    @Test func itReachesTheDriverThroughTheChip() throws {
        let samples = (0..<400).map { index in
            (time: Interval.milliseconds(40 * index), acceleration: Acceleration(x: Float(index) / 400, y: -0.5, z: 1))
        }
        let clock = VirtualClock(bootingAt: UTCDay(daysSinceEpoch: 20_000).start)
        let wearer = RecordedWearer([samples], from: clock.now.boot)
        let devices = SimulatedDevices(source: wearer, pulses: [], clock: clock, seed: 1)
        let sensor = try devices.openSensor()
        try sensor.start()
        clock.advance(to: clock.now.boot + .milliseconds(5200))
        let window = try sensor.drain(128).samples
        #expect(window.allSatisfy { abs($0.y + 0.5) < 0.02 && abs($0.z - 1) < 0.02 })
        let first = try #require(window.first)
        let last = try #require(window.last)
        #expect(abs((last.x - first.x) - 127.0 / 400) < 0.02)
    }
}
