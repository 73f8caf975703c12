import Devices
import Domains
import Core
import SimulatedBus
import Testing

@testable import Agent

/// The made-up domain's thermometer under the daemon: consent, a loan of the bus, and a chip that comes and goes.
@Suite struct ProbeLoanTests {
    private let chip = SimulatedProbe()
    private let gauge: SimulatedGauge
    private let run: AlarmRun

    init() throws {
        gauge = SimulatedGauge(.probe, at: try #require(I2CAddress(0x48)), chip)
        run = try AlarmRun(domains: [.motion, .probe], gauges: [gauge])
    }

    @Test func itIsSuspendedWhileTheBusIsLent() throws {
        run.live(for: .minutes(10))
        #expect(run.allowed == [.motion, .probe] && chip.measurements > 0)
        var command: LoanTests.Command? = try LoanTests.Command(asking: run.settings.wakeFileDirectory)
        let desk = try #require(run.daemon?.loans)
        run.loop.becameReadable(try #require(desk.socket).descriptor)
        #expect(command?.answer == LoanTests.lent)
        #expect(run.allowed == [] && run.daemon?.service.session.order?.suspended == [.motion, .probe])
        let writes = chip.writes
        run.live(for: .minutes(10))
        #expect(chip.writes == writes)
        let descriptor = try #require(desk.loan).borrower.descriptor
        command = nil
        run.loop.becameReadable(descriptor)
        run.live(for: .minutes(10))
        #expect(run.allowed == [.motion, .probe] && chip.writes > writes)
        withExtendedLifetime(command) {}
    }

    @Test func unpluggedForLongItIsSuspendedAndComesBack() throws {
        run.live(for: .minutes(10))
        gauge.isUnplugged = true
        run.live(for: .hours(8))
        #expect(run.allowed == [.motion])
        #expect(!run.lines(.gaugeFailed).isEmpty)
        let before = chip.measurements
        gauge.isUnplugged = false
        run.live(for: .hours(2))
        #expect(run.allowed == [.motion, .probe] && chip.measurements > before)
    }

    @Test func itsToggleIsFollowed() throws {
        run.live(for: .minutes(10))
        try run.turn(.probe, on: false)
        // The wake-up that follows the toggle puts the chip to sleep.
        run.live(for: .minutes(10))
        let writes = chip.writes
        run.live(for: .hours(1))
        #expect(run.allowed == [.motion] && chip.writes == writes)
        try run.turn(.probe, on: true)
        run.live(for: .minutes(10))
        #expect(run.allowed == [.motion, .probe] && chip.writes > writes)
    }
}
