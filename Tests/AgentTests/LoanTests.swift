import Domains
import System
import Glibc
import Devices
import Store
import Core
import SimulatedBus
import Testing

@testable import Agent
@testable import Sensing

/// A daemon whose sensor a command borrows.
@Suite struct LoanTests {
    /// The command's end of a loan: a kill closes it as its own end does.
    final class Command {
        private let descriptor: Int32

        init(asking directory: String) throws {
            let address = try #require(UnixAddress(LendingSocket.path(in: directory)))
            descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
            try #require(descriptor >= 0 && address.with { connect(descriptor, $0, $1) } == 0)
        }

        deinit { close(descriptor) }

        /// The byte of the daemon's answer; nil while there is none.
        var answer: UInt8? {
            var byte: UInt8 = 0
            return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 1 ? byte : nil
        }

        func ask(forSeconds seconds: UInt32) {
            var seconds = seconds
            #expect(send(descriptor, &seconds, 4, 0) == 4)
        }
    }

    static let lent: UInt8 = 1
    private static let taken: UInt8 = 2
    private static let over: UInt8 = 3

    private let run: AlarmRun

    init() throws { run = try AlarmRun(domains: [.motion, .steps], source: Walker()) }

    /// Whose hip goes up and down twice a second: whether it is worn is never in doubt.
    private final class Walker: AccelerationSource {
        func acceleration(at time: BootTime) -> Acceleration {
            let phase = Double(time.nanoseconds % 500_000_000) / 500_000_000
            return Acceleration(x: 0.05, y: 0.1, z: 1 + 0.45 * Float(sin(2 * Double.pi * phase)))
        }
    }

    private var desk: LoanDesk? { run.daemon?.loans }
    /// A command that asks, and is answered.
    private func command() throws -> Command {
        let command = try Command(asking: run.settings.wakeFileDirectory)
        run.loop.becameReadable(try #require(desk?.socket).descriptor)
        return command
    }

    private func end(_ command: inout Command?) throws {
        let descriptor = try #require(desk?.loan).borrower.descriptor
        command = nil
        run.loop.becameReadable(descriptor)
    }

    @Test func itsDevicesAreClosedBeforeTheyAreLentAndOpenWhenTheyAreBack() throws {
        run.live(for: .minutes(10))
        let revision = try run.store.ledger.consent().state
        var command: Command? = try command()
        #expect(command?.answer == Self.lent)
        #expect(!run.devices.isBusOpen && run.devices.line == nil)
        #expect(run.allowed == [])
        #expect(
            run.lines(.sensorLent) == [
                "the sensor is lent to process \(getpid()); no sensor data is collected until it is returned"
            ])
        run.live(for: .minutes(10))
        #expect(!run.devices.isBusOpen, "no retry takes it away")
        try end(&command)
        #expect(run.devices.isBusOpen && run.devices.line != nil)
        #expect(run.allowed == [.motion, .steps])
        #expect(run.lines(.sensorReturned) == ["process \(getpid()) gave the sensor back"])
        #expect(try run.store.ledger.consent().state == revision, "a loan is no decision")
        #expect(run.lines(.permissionChanged).isEmpty && run.lines(.sensorFailed).isEmpty)
    }

    /// Nothing is known of it, so it stands for nothing, also where a gap as short would be bridged.
    @Test func theTimeOfALoanIsInNoFigure() throws {
        run.live(for: .minutes(40))
        let before = try worn()
        #expect(before >= .minutes(35))
        var command: Command? = try command()
        run.live(for: .minutes(8))
        #expect(try worn() == before)
        try end(&command)
        run.live(for: .minutes(20))
        let after = try worn()
        #expect(after >= before + .minutes(18))
        #expect(after <= before + .minutes(22))
    }

    /// A reload makes another session of it.
    @Test func alsoWhereTheConfigurationWasReadAgainMeanwhile() throws {
        run.live(for: .minutes(40))
        let before = try worn()
        var command: Command? = try command()
        run.live(for: .minutes(4))
        run.loop.send(SIGHUP)
        run.live(for: .minutes(4))
        try end(&command)
        run.live(for: .minutes(10))
        #expect(try worn() <= before + .minutes(12))
    }

    private func worn() throws -> Interval {
        let session = try #require(run.daemon?.service.session)
        let quarters = try run.store.ledger.datedQuarters(knowing: session.boots, and: session.quarters)
        let amounts = quarters.flatMap(\.quarter.amounts).filter { $0.figure == Figure.wornMinutes.id }
        return Interval(nanoseconds: amounts.reduce(0) { $0 + $1.value })
    }

    @Test func oneCommandAtATimeHasThem() throws {
        var first: Command? = try command()
        let second = try command()
        #expect(first?.answer == Self.lent && second.answer == Self.taken)
        try end(&first)
        #expect(run.devices.isBusOpen)
        #expect(try command().answer == Self.lent)
    }

    @Test func aToggleThatGoesOffMeanwhileStaysOff() throws {
        run.live(for: .minutes(5))
        var command: Command? = try command()
        try run.turn(.motion, on: false)
        run.live(for: .minutes(5))
        try end(&command)
        #expect(run.allowed == [.steps])
        #expect(!run.devices.isBusOpen && run.devices.line != nil)
    }

    @Test func aToggleThatGoesOnMeanwhileWaitsForTheSensor() throws {
        try run.turn(.motion, on: false)
        run.live(for: .minutes(5))
        var command: Command? = try command()
        try run.turn(.motion, on: true)
        run.live(for: .minutes(5))
        #expect(run.allowed == [] && !run.devices.isBusOpen)
        try end(&command)
        #expect(run.allowed == [.motion, .steps] && run.devices.isBusOpen)
    }

    @Test func aReloadKeepsTheLoan() throws {
        var command: Command? = try command()
        run.loop.send(SIGHUP)
        run.live(for: .minutes(5))
        #expect(!run.devices.isBusOpen && run.devices.line == nil)
        try end(&command)
        #expect(run.devices.isBusOpen && run.devices.line != nil)
    }

    /// It is asked for them at the end, and has seconds to put the chip to sleep.
    @Test func aLoanEndsAfterItsUsualTime() throws {
        let command = try command()
        #expect(command.answer == Self.lent)
        run.live(for: .minutes(15) - .seconds(1))
        #expect(command.answer == nil && !run.devices.isBusOpen)
        run.live(for: .seconds(3))
        #expect(command.answer == Self.over && !run.devices.isBusOpen)
        run.live(for: .seconds(10))
        #expect(run.devices.isBusOpen && run.devices.line != nil && run.allowed == [.motion, .steps])
        #expect(run.lines(.sensorReturned).count == 1)
        withExtendedLifetime(command) {}
    }

    @Test func aLoanLastsAsLongAsTheCommandSays() throws {
        let command = try command()
        #expect(command.answer == Self.lent)
        try ask(command, forSeconds: 8 * 3600)
        run.live(for: .hours(8) - .seconds(1))
        #expect(command.answer == nil && !run.devices.isBusOpen)
        try ask(command, forSeconds: 60)
        run.live(for: .seconds(70))
        #expect(run.devices.isBusOpen)
    }

    @Test func aKeyExtendsALoanAndShortensNone() throws {
        let command = try command()
        #expect(command.answer == Self.lent)
        run.live(for: .minutes(10))
        try ask(command, forSeconds: 0)
        run.live(for: .minutes(14))
        #expect(command.answer == nil && !run.devices.isBusOpen)
        try ask(command, forSeconds: 3600)
        try ask(command, forSeconds: 0)
        run.live(for: .minutes(59))
        #expect(!run.devices.isBusOpen)
        run.live(for: .minutes(2))
        #expect(run.devices.isBusOpen)
    }

    @Test func theConfigurationSaysHowLongALoanLasts() throws {
        run.settings.loan = .minutes(2)
        run.loop.send(SIGHUP)
        let command = try command()
        #expect(command.answer == Self.lent)
        run.live(for: .minutes(2) + .seconds(10))
        #expect(run.devices.isBusOpen)
        withExtendedLifetime(command) {}
    }

    private func ask(_ command: Command, forSeconds seconds: UInt32) throws {
        command.ask(forSeconds: seconds)
        run.loop.becameReadable(try #require(desk?.loan).borrower.descriptor)
    }

    /// The alarm has a line of its own.
    @Test func onlyWhatTheSensorServesIsSuspended() throws {
        let run = try AlarmRun(domains: [.motion, .steps, .alarm])
        let command = try Command(asking: run.settings.wakeFileDirectory)
        run.loop.becameReadable(try #require(run.daemon?.loans.socket).descriptor)
        #expect(command.answer == Self.lent)
        #expect(run.allowed == [.alarm])
        #expect(run.daemon?.service.session.order?.suspended == [.motion, .steps])
    }

    /// The borrower has the whole bus.
    @Test func aGaugeIsLentWithTheBus() {
        let gauge = Hardware.gauge(GaugeID(rawValue: 1))
        for (hardware, isLent) in [(gauge, true), (.accelerometer, true), (.gpsd, false)] {
            let domain = Domain(
                id: 50, name: "made", permission: .motion, scopes: [ScopePart(.motion, "made")], least: .motion,
                hardware: hardware, words: DomainWords(purpose: "", collected: "", whenOn: "", whenOff: "", policy: ""))
            #expect(domain.hardware.isSensor == isLent)
        }
    }

    /// Whoever had it may have left it awake.
    @Test func aSensorThatNoDomainNeedsIsPutToSleepAtTheEnd() throws {
        let run = try AlarmRun(domains: [.alarm])
        let opened = run.devices.busOpenings
        var command: Command? = try Command(asking: run.settings.wakeFileDirectory)
        let desk = try #require(run.daemon?.loans)
        run.loop.becameReadable(try #require(desk.socket).descriptor)
        #expect(command?.answer == Self.lent)
        let descriptor = try #require(desk.loan).borrower.descriptor
        command = nil
        run.loop.becameReadable(descriptor)
        #expect(run.devices.busOpenings == opened + 1)
        #expect(!run.devices.isBusOpen)
        withExtendedLifetime(command) {}
    }
}
