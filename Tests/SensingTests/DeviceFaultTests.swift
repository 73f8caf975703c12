import Domains
import Devices
import Core
import Sensing
import Testing

/// The errors of the real interfaces that take a domain away, through driver, service and session.
@Suite struct DeviceFaultTests {
    private static let lasting: [(BusError, Obstacle)] = [
        (.denied, .refused), (.absent, .absent), (.unsupported, .absent),
    ]
    private static let passing: [BusError] = [.busy, .stuck, .failed(errno: 5)]

    @Test(arguments: lasting) func aBusThatCannotBeUsedIsLostAtOnce(fault: BusError, obstacle: Obstacle) {
        let bench = ServiceBench()
        bench.devices.sensorFault = fault
        bench.allow(ServiceBench.both)
        let losses = bench.service.takeLosses()
        #expect(losses.map(\.domain) == [.motion])
        #expect(losses.map(\.obstacle) == [obstacle])
        #expect(losses.allSatisfy { $0.reason.hasPrefix("simulated bus: ") })
        #expect(bench.service.takeLosses().isEmpty)
        #expect(!bench.devices.isBusOpen)
        #expect(bench.notes.isEmpty)
        bench.run(for: .hours(5))
        #expect(bench.service.takeLosses().isEmpty)
    }

    @Test(arguments: lasting) func aLineThatCannotBeUsedIsLostAtOnce(fault: BusError, obstacle: Obstacle) {
        let bench = ServiceBench()
        bench.devices.lineFault = fault
        bench.allow(ServiceBench.both)
        let losses = bench.service.takeLosses()
        #expect(losses.map(\.domain) == [.steps])
        #expect(losses.map(\.obstacle) == [obstacle])
        #expect(losses.allSatisfy { $0.reason.hasPrefix("simulated line: ") })
        #expect(bench.devices.line == nil)
        bench.run(for: .minutes(5))
        #expect(bench.notes == [.sensorFound] && bench.service.session.allowed == ServiceBench.motion)
        #expect(bench.figure(.sedentaryMinutes) != nil)
    }

    @Test(arguments: passing) func whatMayPassTakesNothingAway(fault: BusError) {
        let bench = ServiceBench()
        bench.devices.sensorFault = fault
        bench.devices.lineFault = fault
        bench.allow(ServiceBench.both)
        bench.run(for: .days(1))
        #expect(bench.service.takeLosses().isEmpty)
        #expect(bench.service.session.allowed == ServiceBench.both)
        bench.devices.sensorFault = nil
        bench.devices.lineFault = nil
        bench.run(for: .hours(2))
        #expect(bench.notes.contains(.recovered(.imu)))
        #expect(bench.notes.contains(.recovered(.pulses)))
    }

    @Test func anotherChipIsLostAtOnce() {
        let bench = ServiceBench()
        bench.devices.chip.identity = 0x11
        bench.allow(ServiceBench.motion)
        #expect(bench.service.takeLosses().map(\.obstacle) == [.absent])
        #expect(!bench.devices.isBusOpen)
    }

    @Test func aNodeThatIsRefusedKeepsWhoHoldsIt() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.both)
        bench.devices.sensorFault = .denied
        bench.devices.lineFault = .denied
        #expect(bench.devices.sensorAccess == .denied)
        #expect(bench.devices.lineAccess == .denied)
        bench.run(for: .minutes(10))
        #expect(bench.service.takeLosses().isEmpty)
        bench.allow([])
        #expect(bench.chipSleeps)
        bench.allow(ServiceBench.both)
        #expect(bench.service.takeLosses().map(\.obstacle) == [.refused, .refused])
    }

    @Test func anAdapterThatIsUnpluggedIsLostAtTheNextWindowWithoutALineOfOurs() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(5))
        let notes = bench.notes
        bench.devices.sensorFault = .absent
        bench.run(for: .minutes(5))
        #expect(bench.service.takeLosses().map(\.obstacle) == [.absent])
        #expect(bench.notes == notes)
        #expect(bench.service.pulseLine != nil && bench.figure(.steps) == 100, "steps go on")
    }

    @Test func aChipThatIsUnpluggedIsLostAfterTheRetriesWithOneLineForEachThing() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.motion)
        bench.run(for: .minutes(5))
        bench.devices.sensorFault = .noAcknowledge
        bench.run(for: .hours(1))
        #expect(bench.service.takeLosses().map(\.obstacle) == [.absent])
        #expect(bench.count { if case .sensorStaysAwake = $0 { true } else { false } } == 1)
        #expect(bench.count { if case .failed(.imu, _, _) = $0 { true } else { false } } == 1)
        #expect(bench.count { if case .sensorQuiet = $0 { true } else { false } } == 0)
        #expect(!bench.devices.isBusOpen)
    }

    @Test func aChipThatCannotBePutToSleepIsNotedOncePerFault() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.motion)
        bench.run(for: .seconds(20))
        for _ in 0..<3 {
            bench.devices.sensorFault = .stuck
            bench.allow([])
            bench.devices.sensorFault = nil
            bench.allow(ServiceBench.motion)
        }
        #expect(bench.count { if case .sensorStaysAwake = $0 { true } else { false } } == 1)
        bench.run(for: .seconds(20))
        bench.devices.sensorFault = .stuck
        bench.allow([])
        #expect(bench.count { if case .sensorStaysAwake = $0 { true } else { false } } == 2)
    }

    @Test func anotherIdentityInTheMiddleIsLookedAtAgainBeforeTheSensorIsLost() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.motion)
        bench.run(for: .minutes(2))
        bench.devices.bus.fault = .nak(next: 2)
        bench.devices.chip.identity = 0
        bench.run(for: .seconds(70))
        bench.devices.chip.identity = 0x68
        bench.run(for: .minutes(3))
        #expect(
            bench.count { if case .windowLost(let reason) = $0 { reason.contains("holds 0x00") } else { false } } == 1)
        #expect(bench.service.takeLosses().isEmpty)
        #expect(bench.service.session.lastWindow.map { bench.clock.now.boot - $0 < .minutes(2) } == true)
    }
}
