import Ports
import Quantities
import SimulatedBus
import Testing

@testable import Chips

@Suite struct MPU6050RestTests {
    let wearer = SimulatedWearer()

    @Test func theChipSleepsAfterInitialisingRestingAndSleeping() throws {
        try wearer.sensor.initialise()
        #expect(try wearer.register(0x6B) & 0x60 == 0x40)
        _ = try wearer.recordWindow()
        try wearer.sensor.rest(wakeOnMotion: false)
        #expect(try wearer.register(0x6B) & 0x60 == 0x40)
        _ = try wearer.recordWindow()
        try wearer.sensor.rest(wakeOnMotion: true)
        #expect(try wearer.register(0x6B) & 0x60 == 0x20)
        try wearer.sensor.sleep()
        #expect(try wearer.register(0x6B) & 0x60 == 0x40)
    }

    @Test func sleepTurnsOffAChipThatSomeoneElseLeftRunning() throws {
        try wearer.bus.write(0x00, to: 0x6B, of: wearer.sensor.address)
        try wearer.sensor.sleep()
        #expect(try wearer.register(0x6B) & 0x40 == 0x40)
    }

    @Test func initialiseOverridesWhateverWasSetBefore() throws {
        for register in UInt8(0x19)...0x6C where register != 0x6B {
            try wearer.bus.write(0xFF, to: register, of: wearer.sensor.address)
        }
        wearer.felt.acceleration = { _ in Acceleration(x: 1, y: 2, z: 3) }
        #expect(try wearer.recordWindow() == Array(repeating: Acceleration(x: 1, y: 2, z: 3), count: 128))
    }

    @Test func theChipIsOnForTheWindowAlone() throws {
        try wearer.sensor.initialise()
        let before = wearer.chip.awakeTime
        for _ in 0..<10 {
            _ = try wearer.recordWindow()
            try wearer.sensor.rest(wakeOnMotion: true)
            wearer.wait(.seconds(60) - SimulatedWearer.windowDuration)
        }
        // It takes 10 ms to wake, and 5 ms for its filter.
        #expect(wearer.chip.awakeTime - before == (SimulatedWearer.windowDuration + .milliseconds(15)) * 10)
    }

    @Test func aChipWithoutAnInterruptLineSaysOnceThatItWasMoved() throws {
        _ = try wearer.recordWindow()
        #expect(try !wearer.sensor.hasMoved(), "it is not armed")
        try wearer.sensor.rest(wakeOnMotion: true)
        wearer.wait(.seconds(30))
        #expect(try !wearer.sensor.hasMoved())
        let end = wearer.clock.now + .seconds(1)
        wearer.felt.acceleration = { time in Acceleration(x: time < end ? 0.2 : 0, y: 0, z: 1) }
        wearer.wait(.seconds(2))
        #expect(try wearer.sensor.hasMoved())
        #expect(try !wearer.sensor.hasMoved())
    }

    @Test func movementRaisesTheInterruptOnceAndTheNextWindowClearsIt() throws {
        _ = try wearer.recordWindow()
        try wearer.sensor.rest(wakeOnMotion: true)
        wearer.wait(.seconds(30))
        #expect(wearer.chip.interruptTime == nil)

        wearer.felt.acceleration = { _ in Acceleration(x: 0.2, y: 0, z: 1) }
        let moved = wearer.clock.now
        wearer.wait(.seconds(30))
        let interrupt = try #require(wearer.chip.interruptTime)
        #expect(interrupt > moved && interrupt <= moved + .milliseconds(200))
        #expect(wearer.chip.interrupts(after: moved, through: wearer.clock.now).count == 1)

        #expect(try wearer.recordWindow().allSatisfy { abs($0.x - 0.2) < 0.001 })
        try wearer.sensor.rest(wakeOnMotion: true)
        wearer.wait(.minutes(5))
        #expect(wearer.chip.interruptTime == interrupt, "the new posture is the one to compare with")
    }

    @Test func stillnessInAnyPostureRaisesNothing() throws {
        for (x, y, z) in [(1, 0, 0), (0, -1, 0), (0, 0, 1)] as [(Float, Float, Float)] {
            try wearer.sensor.start()
            wearer.felt.acceleration = { _ in Acceleration(x: x, y: y, z: z) }
            wearer.wait(SimulatedWearer.windowDuration)
            try wearer.sensor.rest(wakeOnMotion: true)
            wearer.wait(.minutes(5))
        }
        #expect(wearer.chip.interruptTime == nil)
    }

    @Test(arguments: [(0.090, false), (0.102, true)] as [(Float, Bool)])
    func theThresholdDecidesWhatIsMovement(change: Float, raises: Bool) throws {
        _ = try wearer.recordWindow()
        try wearer.sensor.rest(wakeOnMotion: true)
        wearer.felt.acceleration = { _ in Acceleration(x: 0, y: 0, z: 1 - change) }
        wearer.wait(.seconds(1))
        #expect((wearer.chip.interruptTime != nil) == raises)
    }

    @Test func withoutWakeOnMotionNothingRaisesTheInterrupt() throws {
        _ = try wearer.recordWindow()
        try wearer.sensor.rest(wakeOnMotion: false)
        wearer.felt.acceleration = { _ in Acceleration(x: 2, y: 0, z: 0) }
        wearer.wait(.minutes(5))
        #expect(wearer.chip.interruptTime == nil)
    }

    /// 780 bytes are samples, the two unsettled ones included.
    @Test func aWindowCostsLittleMoreThanItsSamples() throws {
        _ = try wearer.recordWindow()
        try wearer.sensor.rest(wakeOnMotion: false)
        let before = wearer.bus.statistics
        _ = try wearer.recordWindow()
        try wearer.sensor.rest(wakeOnMotion: false)
        #expect(wearer.bus.statistics.transfers - before.transfers == 5)
        #expect(wearer.bus.statistics.bytes - before.bytes == 854)
    }
}
