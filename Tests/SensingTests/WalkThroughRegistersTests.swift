import Domains
import Devices
import Core
import Sensing
import SimulatedBus
import Testing

/// Steps without a step line, through the registers of the chip and the real driver.
@Suite struct WalkThroughRegistersTests {
    /// A walk of ten minutes has 1200 steps; a window has ten. The FIFO of a LIS3DH and of an ADXL345 holds less than a window.
    @Test(arguments: ["mpu6050", "lis3dh", "adxl345"], [-0.05, -0.02, 0, 0.02, 0.05])
    func noStepIsLostBetweenTwoReads(imu: String, oscillatorError: Double) throws {
        let bench = ServiceBench(
            walking: .minutes(10), imu: try #require(SimulatedIMU(imu)), oscillatorError: oscillatorError)
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(15))
        let steps = try #require(bench.figure(.steps))
        #expect(abs(steps - 1200) <= 10)
        #expect(bench.lostWindows == 0)
        #expect(bench.chipRests)
    }

    /// Suspended for so long: the FIFO runs over, and its steps and those of the window before are unknown.
    @Test(arguments: [("mpu6050", 20, 1130), ("lis3dh", 2, 1150)] as [(String, Int64, Int64)])
    func afterAFIFOThatRanOverTheWalkGoesOn(imu: String, seconds: Int64, least: Int64) throws {
        let bench = ServiceBench(walking: .minutes(10), imu: try #require(SimulatedIMU(imu)))
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(4))
        bench.clock.advance(to: bench.clock.now.boot + .seconds(seconds))
        bench.run(for: .minutes(11))
        let steps = try #require(bench.figure(.steps))
        #expect((least..<1200).contains(steps), "\(steps) steps")
        #expect(bench.lostWindows == 1)
    }

    @Test func aSlowChipCostsNoMoreWakeUpsThanItsWindows() {
        let bench = ServiceBench(walking: .minutes(20), oscillatorError: -0.05)
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(2))
        let before = bench.wakeUps
        bench.run(for: .minutes(18))
        let windows: Int = 18 * 60 * 100 / 538
        #expect(bench.wakeUps - before <= windows + 5, "a window fills in 5.39 s")
    }

    @Test func wakeUpsThatComeASecondLateLoseNothing() throws {
        let bench = ServiceBench(walking: .minutes(10))
        bench.allow(ServiceBench.both)
        bench.run(for: .seconds(75))
        for _ in 0..<80 {
            let wakeAt = try #require(bench.service.agenda(at: bench.clock.now).wakeAt)
            bench.clock.advance(to: wakeAt + .seconds(1))
            bench.service.handle(.timer, at: bench.clock.now)
        }
        let steps = try #require(bench.figure(.steps))
        let walked = (bench.clock.now.boot - BootTime(nanoseconds: 0)).inSeconds * 2 - 120
        #expect(abs(steps - walked) <= 25, "the FIFO holds up to three seconds that were not read yet")
        #expect(bench.lostWindows == 0)
    }

    /// A supply that dips, and a transfer that is disturbed.
    @Test(arguments: [true, false]) func afterAFaultTheWalkGoesOn(isReset: Bool) throws {
        let bench = ServiceBench(walking: .minutes(10))
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(4))
        if isReset {
            bench.devices.chip.losePower()
        } else {
            bench.devices.bus.fault = .nak(next: 1)
        }
        bench.run(for: .minutes(11))
        let steps = try #require(bench.figure(.steps))
        #expect((1170...1195).contains(steps), "\(steps) steps")
        #expect(bench.lostWindows == 1)
        #expect(bench.chipRests)
    }

    @Test func stepsThatAreTurnedOffInAWalkLeaveTheFIFOEmpty() {
        let bench = ServiceBench(walking: .minutes(10))
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(4))
        #expect(bench.samplesHeld > 0)
        bench.allow(ServiceBench.motion)
        #expect(bench.samplesHeld == 0)
        #expect(bench.devices.busOpenings == 2)
        bench.run(for: .minutes(4))
        #expect(bench.figure(.steps) == nil)
        #expect(bench.chipRests)
    }

    @Test func whenTheServiceStopsInAWalkTheChipSleeps() {
        let bench = ServiceBench(walking: .minutes(10))
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(4))
        #expect(!bench.chipRests)
        bench.service.stop(at: bench.clock.now)
        #expect(bench.chipSleeps)
    }

    @Test func aChipThatCannotRestKeepsItsWindow() throws {
        let bench = ServiceBench()
        bench.allow(ServiceBench.motion)
        bench.run(for: .seconds(4))
        bench.devices.bus.fault = .nak(next: 2, after: 5)  // After the window was read.
        bench.run(for: .seconds(4))
        #expect(bench.service.session.lastWindow != nil)
        #expect(bench.count { if case .sensorStaysAwake = $0 { true } else { false } } == 1)
        bench.run(for: .minutes(2))
        #expect(bench.lostWindows == 0)
        #expect(bench.chipRests)
    }
}

extension ServiceBench {
    fileprivate var lostWindows: Int { count { if case .windowLost = $0 { true } else { false } } }
}
