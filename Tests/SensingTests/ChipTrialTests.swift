import Core
import SimulatedBus
import Testing

@testable import Simulation

/// The same wearer through every chip.
@Suite struct ChipTrialTests {
    private static let ids: [String] = SimulatedIMU.all.map(\.id)

    @Test func everyChipShowsTheSameDay() throws {
        let lines = SimulatedIMU.all.map { ChipTrial.live($0, hasPulseLine: true) }
        let alone = SimulatedIMU.all.map { ChipTrial.live($0, hasPulseLine: false) }
        let first = try #require(lines.first)
        for (trial, other) in zip(lines, alone) {
            #expect(trial.agreement(with: first) >= 0.98, "\(trial.imu.id)")
            #expect(first.agreement(with: trial) >= 0.98, "\(trial.imu.id)")
            #expect(trial.steps == first.steps, "\(trial.imu.id)")
            let steps = try #require(alone.first).steps
            #expect(abs(other.steps - steps) <= steps * 3 / 200, "\(trial.imu.id)")
            #expect(trial.charge > 0 && trial.use.share > 0.04 && trial.use.share < 0.1)
        }
    }

    @Test func anotherDayDoesNotAgree() {
        let day = ChipTrial.live(.mpu6050, hasPulseLine: true)
        let still = ChipTrial(
            imu: .mpu6050, verdicts: day.verdicts.map { ($0.end, .running) }, steps: 0, wakeUps: 0, busTransfers: 0,
            busBytes: 0, use: SensorUse())
        #expect(day.agreement(with: still) < 0.1)
    }

    @Test(arguments: ids) func eachKindOfTimeCostsItsCurrent(id: String) throws {
        let imu = try #require(SimulatedIMU(id))
        func charge(_ on: Int64, _ slow: Int64, _ watching: Int64, asleep: Int64 = 0) -> Double {
            let use = SensorUse(
                time: .hours(on + slow + watching + asleep), on: .hours(on), slow: .hours(slow),
                watching: .hours(watching))
            return imu.charge(of: use) * 1000
        }
        #expect(abs(charge(1, 0, 0) - imu.current.measuring) < 1e-9)
        #expect(abs(charge(0, 1, 0) - imu.current.slow) < 1e-9)
        #expect(abs(charge(0, 0, 1) - imu.current.watching) < 1e-9)
        #expect(abs(charge(0, 0, 0, asleep: 1) - imu.current.asleep) < 1e-9)
        #expect(abs(charge(2, 8, 14) - charge(2, 0, 0) - charge(0, 8, 0) - charge(0, 0, 14)) < 1e-6)
    }
}
