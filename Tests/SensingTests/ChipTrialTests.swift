import Quantities
import SimulatedBus
import Testing

@testable import Simulation

/// The same wearer through every chip.
@Suite struct ChipTrialTests {
    @Test func everyChipShowsTheSameDay() throws {
        let lines = SimulatedIMU.all.map { ChipTrial.live($0, hasPulseLine: true) }
        let alone = SimulatedIMU.all.map { ChipTrial.live($0, hasPulseLine: false) }
        let first = try #require(lines.first)
        for (trial, other) in zip(lines, alone) {
            #expect(trial.agreement(with: first) >= 0.98, "\(trial.imu.id)")
            #expect(first.agreement(with: trial) >= 0.98, "\(trial.imu.id)")
            #expect(trial.steps == first.steps, "\(trial.imu.id)")
            let steps = try #require(alone.first).steps
            #expect(abs(other.steps - steps) <= steps / 100, "\(trial.imu.id)")
            #expect(trial.charge > 0 && trial.onShare > 0.04 && trial.onShare < 0.1)
        }
    }

    @Test func anotherDayDoesNotAgree() {
        let day = ChipTrial.live(.mpu6050, hasPulseLine: true)
        let still = ChipTrial(
            imu: .mpu6050, verdicts: day.verdicts.map { ($0.end, .running) }, steps: 0, wakeUps: 0, busTransfers: 0,
            busBytes: 0, on: .zero, watching: .zero)
        #expect(day.agreement(with: still) < 0.1)
    }
}
