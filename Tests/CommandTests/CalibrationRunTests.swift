import Glibc
import Core
import Signal
import SimulatedBus
import Testing

@testable import Commands
@testable import anicca

/// The two manners of `anicca sensor calibrate`, on simulated chips.
@Suite struct CalibrationRunTests {
    private static let correction = Correction(
        offset: Acceleration(x: 0.06, y: -0.08, z: 0.1), gain: Acceleration(x: 1.04, y: 0.96, z: 0.95))
    private static let ids: [String] = SimulatedIMU.all.map(\.id)

    private func run(_ bench: SensorBenchDouble) -> CalibrationRun {
        CalibrationRun(sensor: bench.sensor, time: bench.time, say: { bench.talk.say($0) })
    }

    private func face(_ direction: Direction) -> Acceleration {
        let sign: Float = direction.isPositive ? 1 : -1
        return switch direction.axis {
        case .x: Acceleration(x: sign, y: 0, z: 0)
        case .y: Acceleration(x: 0, y: sign, z: 0)
        case .z: Acceleration(x: 0, y: 0, z: sign)
        }
    }

    @Test(arguments: ids) func sixPositionsInAnyOrderGiveTheCorrection(id: String) throws {
        let bench = try SensorBenchDouble(try #require(SimulatedIMU(id)).needing(Self.correction))
        let faces = Direction.all.reversed().map(face)
        // Seven seconds in each position, of which the first is movement.
        bench.felt.acceleration = { time in
            let place = Int(time.nanoseconds / 7_000_000_000) % 6
            let isMoved = time.nanoseconds % 7_000_000_000 < 1_000_000_000
            let swing: Float = time.nanoseconds / 80_000_000 % 2 == 0 ? 0.3 : -0.3
            return faces[place] + (isMoved ? Acceleration(x: swing, y: swing, z: 0) : .zero)
        }
        try bench.sensor.initialise()
        let means = try run(bench).guided()
        #expect(means.count == 12)
        let fit = try SphereFit(means)
        #expect((fit.correction.offset - Self.correction.offset).magnitude < 0.004)
        #expect((fit.correction.gain - Self.correction.gain).magnitude < 0.006)
        #expect(
            bench.said.prefix(2) == [
                "lay it so that x points up, then keep it still",
                "  also to come: x down, y up, y down, z up and z down",
            ])
        #expect(bench.said.contains("z down: taken"))
    }

    @Test func positionsThatNeverComeEndIt() throws {
        let bench = try SensorBenchDouble()
        do {
            _ = try run(bench).guided()
            Issue.record("one position was enough")
        } catch let failure as Failure {
            #expect(
                failure.message.hasPrefix(
                    "no calibration: x up, x down, y up, y down and z down not measured within 15 min"))
        }
        #expect(bench.now < BootTime(nanoseconds: 0) + .minutes(16))
    }

    @Test func whoeverWearsItIsCalibratedMeanwhile() throws {
        let bench = try SensorBenchDouble(.mpu6050.needing(Self.correction))
        var noise = GaussianNoise(seed: 4)
        let rests = (0..<40).map { _ in
            let felt = Acceleration(x: Float(noise.next()), y: Float(noise.next()), z: Float(noise.next()))
            return felt * (1 / felt.magnitude)
        }
        bench.felt.acceleration = { time in
            let place = Int(time.nanoseconds / 25_000_000_000) % rests.count
            let isMoved = time.nanoseconds % 25_000_000_000 < 4_000_000_000
            let swing: Float = time.nanoseconds / 120_000_000 % 2 == 0 ? 0.3 : -0.3
            return rests[place] + (isMoved ? Acceleration(x: 0, y: swing, z: swing) : .zero)
        }
        let means = try run(bench).automatic(for: .minutes(15))
        let fit = try SphereFit(means)
        #expect((fit.correction.offset - Self.correction.offset).magnitude < 0.004)
        #expect((fit.correction.gain - Self.correction.gain).magnitude < 0.006)
        #expect(fit.errorBefore > 0.03 && fit.errorAfter < 0.003)
        #expect(bench.said.last?.hasSuffix("all directions are covered") == true)
    }

    @Test func whoeverLiesStillIsNotCovered() throws {
        let bench = try SensorBenchDouble()
        let means = try run(bench).automatic(for: .minutes(5))
        #expect(means.count > 20)
        do {
            _ = try SphereFit(means)
            Issue.record("one position was enough")
        } catch {
            #expect(
                error.text.hasPrefix("the sensor was never at rest with x up, x down, y up, y down and z down (at"))
        }
    }

    @Test func aPassingFaultCostsAWindowAndALastingOneEndsIt() throws {
        let bench = try SensorBenchDouble()
        bench.bus.fault = .nak(next: 1, after: 100)
        #expect(try run(bench).automatic(for: .minutes(5)).count > 20)
        bench.bus.fault = .lasting(.noAcknowledge)
        #expect(throws: (any Error).self) { try run(bench).automatic(for: .minutes(5)) }
        bench.bus.fault = nil
        bench.interruption = (bench.now + .seconds(30), SIGTERM)
        #expect(throws: Interruption.self) { try run(bench).automatic(for: .minutes(5)) }
    }

    @Test func everyRefusalSaysWhatToDo() {
        let refusals: [SphereFit.Refusal] = [
            .fewWindows(1), .uncovered([Direction(.z, isPositive: false)]), .noFit, .gain(1.5, .x), .offset(-0.3, .y),
            .error(0.02), .notBetter(before: 0.001, after: 0.002),
        ]
        for refusal in refusals { #expect(refusal.text.contains("; ")) }
        #expect(SphereFit.Refusal.offset(-0.3, .y).text.contains("-300.0 mg"))
        #expect(SphereFit.Refusal.uncovered([Direction(.z, isPositive: false)]).text.contains("with z down ("))
    }

    @Test func figuresForPeople() {
        #expect(SensorFigures.mg(0.01234) == "12.3 mg" && SensorFigures.mg(-0.00001) == "0.0 mg")
        #expect(SensorFigures.decimals(0.9996, 3) == "1.000" && SensorFigures.decimals(12.05, 0) == "12")
        #expect(SensorFigures.decimals(.nan, 2) == "nan" && SensorFigures.decimals(-1.5, 1) == "-1.5")
        #expect(SensorFigures.signedMg(Acceleration(x: 0.001, y: -0.002, z: 0)) == "x +1.0 mg, y -2.0 mg, z +0.0 mg")
        #expect(listed(["a"]) == "a" && listed(["a", "b", "c"]) == "a, b and c" && listed([]) == "")
    }
}
