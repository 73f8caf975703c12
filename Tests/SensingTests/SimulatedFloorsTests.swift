import Foundation
import Simulation
import Testing

/// Days with stairs, through the registers of an accelerometer and of a barometer.
///
/// `ANICCA_FLOORS_DAYS` sets another number of days; `anicca-lab floors` prints the same.
@Suite struct SimulatedFloorsTests {
    private static let days = ProcessInfo.processInfo.environment["ANICCA_FLOORS_DAYS"].flatMap { Int($0) } ?? 20

    private func live(
        _ days: Int, hasStairs: Bool = true, from seed: UInt64, _ conditions: FloorsTrial.Conditions
    ) -> FloorsTrial {
        var trial = FloorsTrial()
        for number in 0..<UInt64(days) {
            trial.live(FloorsDay(seed: seed + number, hasStairs: hasStairs), conditions, seed: seed + number)
        }
        return trial
    }

    private func expectNothingElse(_ trial: FloorsTrial) {
        for part in [FloorsDay.Part.lift, .escalator, .car, .train] { #expect(trial.wrong[part] ?? 0 == 0, "\(part)") }
    }

    @Test func flightsAreRightWithinOneOnMostDays() {
        let trial = live(Self.days, from: 1, FloorsTrial.Conditions())
        #expect(trial.climbed > 5 * Self.days)
        #expect(trial.rightDays * 100 >= 90 * Self.days)
        expectNothingElse(trial)
    }

    @Test func withoutStairsNoneAreCounted() {
        let trial = live(Self.days / 2, hasStairs: false, from: 500, FloorsTrial.Conditions())
        #expect(trial.climbed == 0)
        expectNothingElse(trial)
    }

    @Test func aStepSensorAndAnotherBarometerDoAsWell() {
        var conditions = FloorsTrial.Conditions()
        conditions.hasStepSensor = true
        conditions.barometer = "bmp388"
        let trial = live(Self.days / 4, from: 1000, conditions)
        #expect((trial.counted - trial.climbed).magnitude * 20 <= trial.climbed)
        expectNothingElse(trial)
    }

    /// The barometer is read with the windows that steps from acceleration need anyway.
    @Test func theBarometerWakesNothing() {
        var conditions = FloorsTrial.Conditions()
        let with = live(1, from: 3, conditions)
        conditions.isOn = false
        let without = live(1, from: 3, conditions)
        #expect(with.wakeUps * 100 <= without.wakeUps * 102)
    }
}
