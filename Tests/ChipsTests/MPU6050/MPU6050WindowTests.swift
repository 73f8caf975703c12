import Ports
import Quantities
import SimulatedBus
import Testing

@testable import Chips

/// The driver against the simulated chip, which was written from the datasheet apart from it.
@Suite struct MPU6050WindowTests {
    /// Rises by 1/4096 g, the resolution at ±8 g, with each sample.
    static func ramp(_ time: BootTime) -> Acceleration {
        let step = Float(time.nanoseconds / MPU6050.samplePeriod.nanoseconds) / 4096
        return Acceleration(x: step, y: -step, z: 1)
    }

    @Test func theThermometerFollowsFromWindowToWindowWhicheverWayTheChipRests() throws {
        let wearer = SimulatedWearer()
        for (degrees, wakeOnMotion) in [(31.0, false), (25.5, true), (-11, false)] {
            wearer.felt.temperature = degrees
            _ = try wearer.recordWindow()
            #expect(abs(Double(try #require(try wearer.sensor.temperature())) - degrees) <= 0.5 / 340 + 1e-5)
            try wearer.sensor.rest(wakeOnMotion: wakeOnMotion)
            wearer.wait(.seconds(55))
        }
    }

    @Test(arguments: [nil, 32, 7, 1] as [Int?])
    func aWindowHoldsConsecutiveSamplesWhateverTheAdapterCanMoveAtOnce(maximumTransfer: Int?) throws {
        let wearer = SimulatedWearer(maximumTransfer: maximumTransfer)
        wearer.felt.acceleration = Self.ramp
        let first = try wearer.recordWindow()
        #expect(first.count == 128)
        wearer.wait(MPU6050.samplePeriod * 128)
        let both = first + (try wearer.sensor.readWindow())
        for (earlier, later) in zip(both, both.dropFirst()) {
            #expect(later.x - earlier.x == 1 / 4096 && later.y - earlier.y == -1 / 4096 && later.z == 1)
        }
    }

    @Test(arguments: [false, true])
    func aWindowIsCompleteWhenItIsSaidToBe(wakeOnMotion: Bool) throws {
        let wearer = SimulatedWearer()
        #expect(try wearer.recordWindow().count == 128)
        try wearer.sensor.rest(wakeOnMotion: wakeOnMotion)
        wearer.wait(.seconds(55))
        #expect(try wearer.recordWindow().count == 128)
    }

    @Test(arguments: MPU6050.FullScale.allCases)
    func everyRangeGivesTheSameAccelerationAndSaturatesAtItsEnd(fullScale: MPU6050.FullScale) throws {
        let wearer = SimulatedWearer(fullScale: fullScale)
        wearer.felt.acceleration = { _ in Acceleration(x: 0.5, y: -1.25, z: 100) }
        let largest = Float(fullScale.rawValue)
        for sample in try wearer.recordWindow() {
            #expect(sample.x == 0.5 && sample.y == -1.25)
            #expect(sample.z < largest && sample.z > 0.999 * largest)
        }
    }

    @Test func aSlowOscillatorIsNotReadyAndLosesNothing() throws {
        let wearer = SimulatedWearer(oscillatorError: -0.05)
        wearer.felt.acceleration = Self.ramp
        try wearer.sensor.start()
        wearer.wait(SimulatedWearer.windowDuration)
        let first = try wearer.sensor.readWindow()
        #expect((120...127).contains(first.count))
        wearer.wait(MPU6050.samplePeriod * Int64(129 - first.count))
        let window = first + (try wearer.sensor.readWindow(128 - first.count))
        #expect(window.count == 128)
        for (earlier, later) in zip(window, window.dropFirst()) {
            #expect((1...2).contains((later.x - earlier.x) * 4096), "42 ms apart")
        }
    }

    @Test func aFastOscillatorIsReadyEarlyAndTheOldestSamplesAreTaken() throws {
        let wearer = SimulatedWearer(oscillatorError: 0.05)
        wearer.felt.acceleration = Self.ramp
        try wearer.sensor.initialise()
        let began = Self.ramp(wearer.clock.now).x
        let window = try wearer.recordWindow()
        #expect(window.count == 128)
        #expect(try #require(window.first).x - began <= 4 / 4096)
    }

    @Test func readingAfterSevenSecondsReportsTheOverrunAndTheNextWindowIsSound() throws {
        let wearer = SimulatedWearer()
        wearer.felt.acceleration = { _ in Acceleration(x: 1, y: 2, z: 3) }
        try wearer.sensor.start()
        wearer.wait(.seconds(7))
        #expect(throws: SensorError.overrun) { try wearer.sensor.readWindow() }
        wearer.wait(MPU6050.samplePeriod * 128)
        #expect(try wearer.sensor.readWindow() == Array(repeating: Acceleration(x: 1, y: 2, z: 3), count: 128))
    }

    /// The latest moment at which reading is still in time, and whatever comes after it: never a shifted sample.
    @Test func everyWaitGivesRightSamplesOrAnOverrun() throws {
        let right = Acceleration(x: 1, y: 2, z: 3)
        for milliseconds in stride(from: Int64(6600), through: 14_000, by: 20) {
            let wearer = SimulatedWearer()
            wearer.felt.acceleration = { _ in right }
            try wearer.sensor.start()
            wearer.wait(.milliseconds(milliseconds))
            do throws(SensorError) {
                let samples = try wearer.sensor.readWindow()
                #expect(samples.allSatisfy { $0 == right } && milliseconds < 6730)
            } catch {
                #expect(error == .overrun && milliseconds >= 6690, "after \(milliseconds) ms")
            }
        }
    }

    @Test func anAbandonedWindowLeavesNothingInTheNext() throws {
        let wearer = SimulatedWearer()
        try wearer.sensor.start()
        wearer.wait(.seconds(10))
        wearer.felt.acceleration = { _ in Acceleration(x: 0, y: 0.5, z: 0) }
        #expect(try wearer.recordWindow() == Array(repeating: Acceleration(x: 0, y: 0.5, z: 0), count: 128))
    }

    @Test func allButTheUnsettledSampleOfAFullFIFOCanBeDrained() throws {
        let wearer = SimulatedWearer()
        try wearer.sensor.start()
        let depth = Chip.mpu6050.sampling.fifoDepth
        wearer.wait(MPU6050.samplePeriod * Int64(depth))
        #expect(try wearer.sensor.drain(.max).samples.count == depth - 2)
    }

    @Test func aStuckBusIsUsableAgainAfterItsRecovery() throws {
        let wearer = SimulatedWearer()
        try wearer.sensor.start()
        wearer.bus.fault = .stuck()
        #expect(throws: SensorError.bus(.stuck, register: 0x72)) { try wearer.sensor.readWindow() }
        #expect(throws: SensorError.bus(.stuck, register: 0x75)) { try wearer.sensor.initialise() }
        try wearer.bus.recover()
        #expect(try wearer.recordWindow().count == 128)
    }
}
