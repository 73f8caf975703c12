import Domains
import Core
import Devices
import Sensing
import Testing

private let noon = UTCDay(daysSinceEpoch: 20_103).start + .hours(12)
private let both: DomainSet = [.motion, .steps]

/// A device that is taken away for good, in contrast to one that fails for a while.
@Suite struct DeviceLossTests {
    @Test(arguments: [DeviceFault.refused, .gone]) func aLostSensorLeavesStepsAlone(fault: DeviceFault) {
        var harness = SessionHarness(from: noon)
        harness.sensorFault = { _ in fault }
        harness.walk(from: .minutes(1), steps: 100)
        harness.order(both)
        harness.run(for: .minutes(10))
        #expect(harness.figure(.steps) == 100 && harness.figure(.sedentaryMinutes) == nil)
        #expect(harness.session.allowed == (fault == .gone ? both : DomainSet(.steps)))
    }

    @Test(arguments: [DomainSet(), DomainSet(.motion)])
    func itIsOpenedAgainOnlyAfterItsDomainWasOffOrSuspended(suspended: DomainSet) {
        var harness = SessionHarness(from: noon)
        harness.sensorFault = { _ in .refused }
        harness.order(both)
        harness.sensorFault = { _ in nil }
        harness.order(both, consentRevision: 2)
        harness.run(for: .hours(2))
        #expect(harness.times(of: .open(.imu)).count == 1)
        harness.order(DomainSet(.steps), suspended: suspended)
        harness.order(both)
        harness.run(for: .minutes(5))
        #expect(harness.times(of: .open(.imu)).count == 2 && harness.session.allowed == both)
        #expect(harness.figure(.sedentaryMinutes) != nil)
    }

    @Test func aSensorThatStaysSilentCountsAsUnpluggedWhenItIsGivenUp() {
        var harness = SessionHarness(from: noon)
        harness.sensorFault = { _ in .nak }
        harness.allow(.motion)
        harness.run(for: .days(1))
        #expect(harness.times(of: .open(.imu)).map { ($0.wall - noon).inSeconds } == [0, 60, 180, 420, 900])
        #expect(harness.losses == [DeviceLoss(domain: .motion, obstacle: .absent, reason: "nak")])
        #expect(harness.notes == [.failed(.imu, reason: "nak", retryIn: .seconds(60))])
    }

    @Test func aSensorThatWasGivenUpForAnotherReasonIsLostOnceItIsSilent() {
        var harness = SessionHarness(from: noon)
        harness.sensorFault = { ($0.wall - noon).inMinutes < 300 ? .gone : .nak }
        harness.allow(.motion)
        harness.run(for: .hours(4))
        #expect(harness.losses.isEmpty)
        harness.run(for: .hours(4))
        #expect(harness.losses.map(\.obstacle) == [.absent])
    }

    @Test func aSuspendedSensorLeavesWhatTheDayHasAndGoesOnWhenItIsBack() {
        var harness = SessionHarness(from: noon)
        harness.window = { _ in .window(SessionHarness.still) }
        harness.order(both)
        harness.run(for: .minutes(40))
        harness.order(DomainSet(.steps), suspended: DomainSet(.motion))
        let before = harness.figure(.sedentaryMinutes) ?? 0
        #expect(before > 30)
        let opened = harness.times(of: .open(.imu)).count
        harness.run(for: .minutes(30))
        #expect(harness.times(of: .open(.imu)).count == opened, "nothing is read while the device is away")
        #expect(harness.figure(.sedentaryMinutes) == before)
        harness.order(both)
        harness.run(for: .minutes(20))
        #expect(harness.times(of: .open(.imu)).count == opened + 1)
        #expect((harness.figure(.sedentaryMinutes) ?? 0) >= before + 15)
    }

    @Test func aSuspendedDomainThatIsTurnedOffLosesItsDay() {
        var harness = SessionHarness(from: noon)
        harness.window = { _ in .window(SessionHarness.still) }
        harness.order(both)
        harness.run(for: .minutes(40))
        harness.order(DomainSet(.steps), suspended: DomainSet(.motion))
        harness.order(DomainSet(.steps))
        #expect(harness.figure(.sedentaryMinutes) == nil)
    }

    @Test func aWindowIsNotTakenFromASensorThatWasClosedMeanwhile() {
        var harness = SessionHarness(from: noon)
        harness.allow(.motion)
        harness.allow()
        for event in [SensingEvent.windowStarted, .windowLost(.nak), .window(SessionHarness.still)] {
            harness.deliver(event)
        }
        let tomorrow = (UTCDay(containing: noon).end - noon)
        #expect(harness.session.agenda(at: harness.now).wakeAt ?? harness.now.boot >= harness.now.boot + tomorrow)
        #expect(harness.figure(.sedentaryMinutes) == nil)
    }
}

/// The same of the pulse line.
@Suite struct LineLossTests {
    @Test func aLineThatGoesWhileItIsReadIsLostAtOnce() {
        var harness = SessionHarness(from: noon)
        harness.walk(from: .seconds(10), steps: 60)
        harness.allow(.steps)
        harness.run(for: .seconds(20))
        harness.drainFault = DeviceFault(.lasting(.absent), reason: "no chip")
        harness.run(for: .days(2))
        #expect(harness.losses == [DeviceLoss(domain: .steps, obstacle: .absent, reason: "no chip")])
        #expect(harness.times(of: .open(.pulses)).count == 1)
        #expect(!harness.session.agenda(at: harness.now).watchesPulses)
        #expect(harness.notes.allSatisfy { if case .dayClosed = $0 { true } else { false } })
    }

    @Test func aBusyLineIsTriedLessAndLessOftenForEverWithOneLineAtEachEnd() {
        var harness = SessionHarness(from: noon)
        harness.lineFault = { ($0.wall - noon).inMinutes < 240 ? DeviceFault(.passing, reason: "busy") : nil }
        harness.allow(.steps)
        harness.run(for: .hours(6))
        let attempts = harness.times(of: .open(.pulses)).map { ($0.wall - noon).inSeconds }
        #expect(attempts == [0, 60, 180, 420, 900, 4500, 8100, 11_700, 15_300])
        #expect(harness.losses.isEmpty)
        #expect(harness.notes == [.failed(.pulses, reason: "busy", retryIn: .seconds(60)), .recovered(.pulses)])
        #expect(harness.session.allowed == DomainSet(.steps))
    }

    @Test func aLineThatCanBeHeldButNotReadHasNotRecovered() {
        var harness = SessionHarness(from: noon)
        harness.drainFault = DeviceFault(.passing, reason: "errno 5")
        harness.walk(from: .seconds(1), steps: 10)
        harness.allow(.steps)
        harness.run(for: .hours(3))
        #expect(harness.notes == [.failed(.pulses, reason: "errno 5", retryIn: .seconds(60))])
        #expect(harness.times(of: .open(.pulses)).count == 7)
    }

    @Test func aSilentLineCountsAsUnpluggedWhenItIsGivenUp() {
        var harness = SessionHarness(from: noon)
        harness.lineFault = { _ in .nak }
        harness.allow(.steps)
        harness.run(for: .hours(3))
        #expect(harness.times(of: .open(.pulses)).count == 5)
        #expect(harness.losses == [DeviceLoss(domain: .steps, obstacle: .absent, reason: "nak")])
    }
}
