import Devices
import Core
import SimulatedBus
import Testing

/// The detector of movement of the simulated LSM6 chips, by its registers.
@Suite struct SimulatedLSM6WakeTests {
    let bench = LSM6Bench(.lsm6dso)

    /// In low power at 12.5 Hz and ±8 g, latched, on INT1; the threshold and WAKE_UP_DUR as given.
    private func watch(
        _ bench: LSM6Bench, threshold: UInt8 = 1, duration: UInt8 = 0, isLSM6DSO: Bool = true
    ) throws {
        try bench.set(0x15, 0x10)
        try bench.set(0x10, 0x1C)
        bench.wait(1000)
        try bench.set(0x5B, threshold)
        try bench.set(0x5C, duration)
        if isLSM6DSO { try bench.set(0x56, 0x41) }
        try bench.set(0x58, isLSM6DSO ? 0x80 : 0x81)
        try bench.set(0x5E, 0x20)
    }

    private func rises(_ bench: LSM6Bench) -> Int {
        bench.chip.interrupts(after: BootTime(nanoseconds: 0), through: bench.clock.now).count
    }

    /// Steps of 125 mg, or of 31.25 mg, which an LSM6DS3TR-C has not.
    @Test(
        arguments: [
            (1, 0x00, 0.120, false, false), (1, 0x00, 0.130, true, true), (1, 0x00, -0.130, true, true),
            (4, 0x10, 0.120, false, false), (4, 0x10, 0.130, true, false), (3, 0x10, 0.100, true, false),
            (3, 0x00, 0.370, false, false), (3, 0x00, 0.380, true, true),
        ] as [(UInt8, UInt8, Double, Bool, Bool)])
    func theThresholdHasStepsOfFullScale(
        threshold: UInt8, duration: UInt8, change: Double, raisesDSO: Bool, raisesDS3TRC: Bool
    ) throws {
        let other = LSM6Bench(.lsm6ds3trc)
        try watch(bench, threshold: threshold, duration: duration)
        try watch(other, threshold: threshold, duration: duration, isLSM6DSO: false)
        for each in [bench, other] {
            each.wait(60_000)
            #expect(rises(each) == 0, "gravity is no movement")
            each.feel(Float(change))
            each.wait(500)
        }
        #expect((rises(bench) == 1) == raisesDSO && (rises(other) == 1) == raisesDS3TRC)
    }

    @Test func aLatchedInterruptStaysUntilItsSourceIsRead() throws {
        try watch(bench)
        let end = bench.clock.now + .milliseconds(300)
        bench.source.felt = { Acceleration(x: 0, y: $0 < end ? 0.5 : 0, z: 1) }
        bench.wait(5000)
        #expect(rises(bench) == 1)
        #expect(try bench.get(0x1B) == 0x0A, "woke, Y")
        #expect(try bench.get(0x1B) == 0)
        bench.feel(0.5)
        bench.wait(500)
        #expect(rises(bench) == 2)
        #expect(try bench.get(0x1B) == 0x0C, "woke, X")
    }

    @Test func aStaleLatchKeepsTheLineFromRising() throws {
        try watch(bench)
        for x in [0.5, 0, 0.5] {
            bench.feel(Float(x))
            bench.wait(500)
            #expect(rises(bench) == 1)
        }
        try bench.set(0x5E, 0x00)
        try bench.set(0x5E, 0x20)
        #expect(rises(bench) == 2, "the line follows the latch")
    }

    /// One line for the watermark (a level) and the detector: a reader of edges sees the first alone.
    @Test func aWatermarkOnTheSameLineHidesMovement() throws {
        try watch(bench)
        try bench.set(0x07, 5)
        try bench.set(0x09, 0x01)
        try bench.set(0x0D, 0x08)
        try bench.set(0x0A, 0x06)
        bench.wait(1000)
        #expect(rises(bench) == 1)
        bench.feel(0.5)
        bench.wait(1000)
        #expect(rises(bench) == 1)
        _ = try bench.bus.drain(7 * 30, from: 0x78, unit: 7, of: bench.address)
        bench.wait(1000)
        #expect(rises(bench) == 1, "the latch is still there")
        _ = try bench.get(0x1B)
        _ = try bench.bus.drain(7 * 30, from: 0x78, unit: 7, of: bench.address)
        bench.wait(1000)
        #expect(rises(bench) == 2)
    }

    @Test func switchingOnAndAnotherRangeLookLikeMovement() throws {
        try watch(bench)
        try bench.set(0x10, 0x10)
        bench.wait(500)
        #expect(rises(bench) == 1)
        let other = LSM6Bench(.lsm6dso)
        try watch(other)
        try other.set(0x10, 0x00)
        try other.set(0x10, 0x1C)
        other.wait(500)
        #expect(rises(other) == 1)
    }

    @Test func aDurationTakesDifferencesInARow() throws {
        try watch(bench, duration: 0x20)
        bench.feel(0.5)
        bench.wait(500)
        #expect(rises(bench) == 0, "one difference")
        let start = bench.clock.now
        bench.source.felt = { Acceleration(x: Float(($0 - start).inMilliseconds / 80) * 0.3, y: 0, z: 1) }
        bench.wait(500)
        #expect(rises(bench) == 1)
    }

    @Test func anEventThatIsNotOnThePinOrNotEnabledRaisesNothing() throws {
        try watch(bench)
        try bench.set(0x5E, 0x00)
        bench.feel(0.5)
        bench.wait(500)
        #expect(bench.chip.interruptTime == nil)
        #expect(try bench.get(0x1B) & 0x08 == 0x08)
        try bench.set(0x5E, 0x20)
        try bench.set(0x58, 0x00)
        bench.feel(0)
        bench.wait(500)
        #expect(bench.chip.interruptTime == nil)
    }
}
