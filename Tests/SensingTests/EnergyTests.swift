import Config
import Core
import Sensing
import SimulatedBus
import Testing

@testable import Simulation

/// What a day takes by the model.
@Suite struct EnergyTests {
    private static let wired = EnergyTrial.live(.mpu6050, hasMotionLine: true, hasPulseLine: true)
    private static let unwired = EnergyTrial.live(.mpu6050, hasMotionLine: false, hasPulseLine: true)

    private func energy(_ id: String, of trial: EnergyTrial) throws -> Double {
        try #require(trial.parts.first { $0.id == id }).energy.typical
    }

    @Test func thePartsAddUp() {
        for trial in [Self.wired, Self.unwired] {
            let sum = trial.parts.reduce(0) { $0 + $1.energy.typical }
            #expect(abs(sum - trial.total.typical) < 1e-9)
            #expect(
                trial.parts.allSatisfy { $0.energy.low <= $0.energy.typical && $0.energy.typical <= $0.energy.high })
            #expect(Set(trial.parts.map(\.id)).count == trial.parts.count)
        }
    }

    @Test func theSensorTakesTheChargeOfItsCurrents() {
        let sensor = Self.wired.parts.filter { $0.id.hasPrefix("imu") }.reduce(0) { $0 + $1.charge }
        #expect(abs(sensor - SimulatedIMU.mpu6050.charge(of: Self.wired.day.use) * 1000) < 0.001)
    }

    /// Without INT the chip sleeps where it would watch, and nobody notices movement before the next window.
    @Test func withoutAnInterruptLineNothingIsSpentOnWatching() throws {
        #expect(try energy("imuWatching", of: Self.unwired) == 0)
        #expect(try energy("imuWatching", of: Self.wired) > 0.1)
        #expect(try energy("imuAsleep", of: Self.unwired) > energy("imuAsleep", of: Self.wired))
        #expect(Self.unwired.day.windows < Self.wired.day.windows)
        #expect(Self.unwired.total.typical < Self.wired.total.typical)
    }

    @Test func aDayWithNothingButTheUploadTakesThatAlone() {
        let day = EnergyModel.Day(
            use: SensorUse(), wakeUps: 0, windows: 0, transfers: 0, busBytes: 0, busBits: 0, commits: 0)
        let parts = EnergyModel.parts(of: day, through: .lis3dh)
        #expect(parts.filter { $0.energy.typical > 0 }.map(\.id) == ["upload"])
    }

    /// No source states that the counter works in low power.
    @Test func aStepCounterTakesTheCurrentOfWindowsAllDay() throws {
        var day = EnergyModel.Day(
            use: SensorUse(watching: .hours(10)), wakeUps: 0, windows: 0, transfers: 0, busBytes: 0, busBits: 0,
            commits: 0)
        func charge(_ imu: SimulatedIMU) throws -> Double {
            try #require(EnergyModel.parts(of: day, through: imu).first { $0.id == "imuWatching" }).charge
        }
        #expect(try abs(charge(.lsm6dso) - 90) < 0.01 && abs(charge(.lis3dh) - 30) < 0.01)
        day.countsSteps = true
        #expect(try abs(charge(.lsm6dso) - 1700) < 0.01 && abs(charge(.lis3dh) - 30) < 0.01)
    }

    @Test func theSensorOfTheConfigurationIsTaken() {
        var settings = Settings()
        #expect(EnergyTrial.imu(of: settings).id == "mpu6050")
        settings.imu.sensor = "mpu9250"
        #expect(EnergyTrial.imu(of: settings).id == "mpu6500")
        settings.imu.sensor = "lis3dh"
        #expect(EnergyTrial.imu(of: settings).id == "lis3dh")
    }
}
