import Domains
import Devices
import Core
import Sensing
import Signal
import SimulatedBus
import Testing

private let noon = UTCDay(daysSinceEpoch: 20_103).start + .hours(12)

/// Windows of a chip whose FIFO holds less than one.
@Suite struct SmallFIFOTests {
    private static let small = Sampling(period: .milliseconds(40), fifoDepth: 32, startUp: .milliseconds(80))

    /// A chip that has taken what it should have by now, by its nominal rate.
    private static func harness() -> SessionHarness {
        var harness = SessionHarness(from: noon)
        harness.sampling = small
        var left = 5
        harness.window = { _ in
            left -= 1
            if left > 0 { return .windowIncomplete(missing: 25 * left) }
            left = 5
            return .window(SessionHarness.still)
        }
        return harness
    }

    @Test func aWindowTakesFiveDrainsAtEqualIntervals() {
        var harness = Self.harness()
        harness.allow(.motion)
        harness.run(for: .seconds(50))
        let reads = harness.times(of: .readWindow).map(\.boot)
        #expect(reads.count == 5)
        #expect(zip(reads, reads.dropFirst()).allSatisfy { $1 - $0 == .milliseconds(1044) })
        #expect(harness.times(of: .restSensor).count == 1)
        #expect(harness.session.lastWindow == reads.last)
    }

    @Test func theKernelMayWakeUsOnlySoLateThatNothingIsLost() {
        var harness = Self.harness()
        #expect(harness.session.agenda(at: harness.now).slack == .milliseconds(250))
        harness.allow(.motion)
        #expect(harness.session.agenda(at: harness.now).slack <= .milliseconds(100))
    }

    @Test func theLineIsDrainedOnceForAWindow() {
        var harness = Self.harness()
        harness.order([.motion, .steps])
        harness.run(for: .seconds(50))
        #expect(harness.times(of: .drainPulses).count == 1)
    }

    @Test func aLossInTheMiddleIsALostWindow() {
        var harness = Self.harness()
        var reads = 0
        harness.window = { _ in
            reads += 1
            return reads == 3 ? .windowLost(.gone) : .windowIncomplete(missing: 50)
        }
        harness.allow(.motion)
        harness.run(for: .seconds(50))
        #expect(reads == 3)
        #expect(harness.notes.count { if case .windowLost = $0 { true } else { false } } == 1)
    }

    /// Of those that have one: the ADXL345 has none.
    @Test(
        arguments: [
            ("mpu6050", 0x41), ("mpu6500", 0x41), ("lis3dh", 0x8C), ("lsm6dso", 0x20), ("lsm6ds3trc", 0x20),
            ("bma400", 0x11),
        ] as [(String, UInt8)])
    func aThermometerThatFailsCostsNoWindow(imu: String, register: UInt8) throws {
        let bench = ServiceBench(walking: .minutes(1), imu: try #require(SimulatedIMU(imu)))
        bench.allow(ServiceBench.motion)
        bench.run(for: .minutes(3))
        let before = try #require(bench.service.session.lastWindow)
        bench.devices.bus.deadRegister = register
        bench.run(for: .minutes(3))
        #expect(try #require(bench.service.session.lastWindow) > before + .minutes(2))
        #expect(bench.count { if case .windowLost = $0 { true } else { false } } == 0)
        #expect(bench.chipRests)
    }
}
