import Sensing
import Domains
import System
import Devices
import Core
import SimulatedBus
import Testing

/// The button of `[alarm] snooze-line`.
@Suite struct SnoozeButtonTests {
    private func at(_ time: Interval) -> BootTime { BootTime(nanoseconds: time.nanoseconds) }

    /// With the button pressed at these times after noon.
    private func run(pressedAt presses: [Interval]) throws -> AlarmRun {
        let run = try AlarmRun()
        run.devices.snoozePresses = presses.map { at($0) }
        return run
    }

    @Test func itEndsThePatternAtOnceAndPlaysItAgainNineMinutesLater() throws {
        let press = Interval.minutes(10) + .milliseconds(5300)
        let run = try run(pressedAt: [press])
        try run.set(.wake, in: .minutes(10))
        run.live(for: press - .milliseconds(1))
        #expect(run.devices.output?.isOn == true && run.devices.snoozeButton != nil)
        run.live(for: .milliseconds(2))
        #expect(run.devices.output?.isOn == false)
        run.live(for: .minutes(9) - .seconds(1))
        #expect(run.lines(.alarmPlayed).count == 1 && run.devices.output?.isOn == false)
        run.live(for: .seconds(2))
        #expect(run.lines(.alarmPlayed).count == 2)
        run.live(for: .hours(2))
        #expect(run.lines(.alarmPlayed).count == 2 && run.lines(.alarmMissed).isEmpty)
        #expect(run.devices.snoozeButton == nil, "it is let go of when nothing rings")
    }

    @Test func itPutsOffTheNextFollowUpAndKeepsTheRest() throws {
        let run = try run(pressedAt: [.minutes(12)])
        try run.set(.bedtime, in: .minutes(10), followUps: 2)
        run.live(for: .minutes(21) - .seconds(1))
        #expect(run.lines(.alarmPlayed).count == 1, "the follow-up of minute 15 is put off to 21")
        run.live(for: .seconds(2))
        #expect(run.lines(.alarmPlayed).count == 2)
        run.live(for: .minutes(5))
        #expect(run.lines(.alarmPlayed).count == 3)
        run.live(for: .hours(1))
        #expect(run.lines(.alarmPlayed).count == 3)
    }

    @Test func whoHammersOnItGetsOneSnoozeFromTheLastPress() throws {
        let run = try run(pressedAt: (0..<200).map { .minutes(10) + .milliseconds(1000 + 60 * $0) })
        try run.set(.wake, in: .minutes(10))
        run.live(for: .minutes(19) + .seconds(12))
        #expect(run.lines(.alarmPlayed).count == 1)
        run.live(for: .seconds(3))
        #expect(run.lines(.alarmPlayed).count == 2)
        run.live(for: .hours(1))
        #expect(run.lines(.alarmPlayed).count == 2)
    }

    @Test func itIsNotHeldWhileNothingRingsAndAnEarlierPressIsNone() throws {
        let run = try run(pressedAt: [.minutes(5)])
        try run.set(.custom, in: .minutes(10))
        run.live(for: .minutes(9))
        #expect(run.devices.snoozeButton == nil)
        run.live(for: .minutes(2))
        #expect(!AlarmRun.differs(run.edges, from: AlarmKind.custom.pattern))
    }

    @Test func itEndsNoNudge() throws {
        let run = try run(pressedAt: [.minutes(10) + .seconds(2)])
        try run.set(.wake, in: .minutes(10))
        run.live(for: .minutes(10) + .seconds(1))
        try run.nudge(.strong)
        run.live(for: .seconds(10))
        #expect(try run.outcome() == .played)
        #expect(!AlarmRun.differs(Array(run.edges.suffix(6)), from: .strong), "it waited for the alarm's end")
    }

    @Test func aRestartWithinTheSnoozeKeepsTheButtonAndTheTime() throws {
        let run = try run(pressedAt: [.minutes(10) + .seconds(5), .minutes(15)])
        try run.set(.wake, in: .minutes(10))
        run.live(for: .minutes(12))
        try run.kill()
        #expect(run.devices.snoozeButton != nil && run.lines(.alarmMissed).isEmpty)
        run.live(for: .minutes(12) - .seconds(1))
        #expect(run.lines(.alarmPlayed).count == 1, "put off again, to minute 24")
        run.live(for: .seconds(2))
        #expect(run.lines(.alarmPlayed).count == 2)
    }

    static let faults: [BusError] = [.busy, .denied, .absent]

    @Test(arguments: faults)
    func withoutItTheAlarmPlaysAndTheReasonIsToldOnce(fault: BusError) throws {
        let run = try run(pressedAt: [])
        run.devices.snoozeFault = fault
        try run.set(.custom, in: .minutes(10), followUps: 2)
        run.live(for: .hours(1))
        #expect(run.lines(.alarmPlayed).count == 3 && run.lines(.lineFailed).count == 1)
        #expect(!AlarmRun.differs(Array(run.edges.prefix(20)), from: AlarmKind.custom.pattern))
    }

    @Test func aButtonThatFailsWhileItIsHeldEndsNothingElse() throws {
        let run = try run(pressedAt: [.minutes(10) + .seconds(1), .minutes(10) + .seconds(2)])
        try run.set(.custom, in: .minutes(10), followUps: 2)
        run.live(for: .minutes(10) + .milliseconds(500))
        run.devices.snoozeFault = .absent
        run.live(for: .hours(1))
        #expect(run.lines(.alarmPlayed).count == 3 && run.lines(.lineFailed).count == 1)
    }
}
