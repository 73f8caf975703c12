import Sensing
import Config
import Domains
import System
import Glibc
import Store
import Core
import SimulatedBus
import Simulation
import TestFiles
import Testing

/// The daemon plays alarms and nudges on a simulated line, in virtual time.
@Suite struct AlarmTests {
    @Test func anAlarmPlaysItsPatternAtItsTimeAndEndsOff() throws {
        let run = try AlarmRun()
        try run.set(.custom, in: .minutes(30))
        run.live(for: .minutes(30) - .seconds(1))
        #expect(run.edges.isEmpty && run.devices.output?.isOpen == true)
        run.live(for: .seconds(30))
        #expect(!AlarmRun.differs(run.edges, from: AlarmKind.custom.pattern))
        #expect(try #require(run.edges.first).at.nanoseconds - Interval.minutes(30).nanoseconds < 1_000_000_000)
        #expect(run.devices.output?.isOn == false && run.lines(.alarmPlayed).count == 1)
        #expect(try run.store.ledger.book(AlarmBook.self).alarms[0].outcome == .played)
        run.live(for: .hours(2))
        #expect(run.lines(.alarmPlayed).count == 1)
    }

    @Test func followUpsPlayAndAStopEndsThem() throws {
        let run = try AlarmRun()
        try run.set(.bedtime, in: .minutes(10), followUps: 3)
        run.live(for: .minutes(16))
        #expect(run.lines(.alarmPlayed).count == 2)
        _ = try run.store.ledger.changeBook(AlarmBook.self) { $0.stop(in: BootID(high: 5, low: 5)) }
        try run.ring()
        run.live(for: .hours(1))
        #expect(run.lines(.alarmPlayed).count == 2)
    }

    @Test func aSnoozeEndsThePatternAtOnceAndPlaysItLater() throws {
        let run = try AlarmRun.thatRings()
        #expect(run.devices.output?.isOn == true)
        let now = run.loop.now.boot
        _ = try run.store.ledger.changeBook(AlarmBook.self) {
            $0.snooze(for: .minutes(9), at: now, in: BootID(high: 5, low: 5))
        }
        try run.ring()
        #expect(run.devices.output?.isOn == false)
        run.live(for: .minutes(9) - .seconds(1))
        #expect(run.lines(.alarmPlayed).count == 1 && run.devices.output?.isOn == false)
        run.live(for: .seconds(2))
        #expect(run.lines(.alarmPlayed).count == 2)
    }

    @Test func turningTheAlarmOffEndsThePatternAndReleasesTheLine() throws {
        let run = try AlarmRun.thatRings()
        #expect(run.devices.output?.isOn == true)
        try run.turn(.alarm, on: false)
        run.live(for: .seconds(2))
        #expect(run.devices.output?.isOn == false && run.devices.output?.isOpen == false)
        try run.set(.custom, in: .minutes(10))
        run.live(for: .hours(1))
        try run.turn(.alarm, on: true)
        run.live(for: .hours(1))
        #expect(
            run.lines(.alarmPlayed).count == 1 && run.lines(.alarmMissed).isEmpty, "what it was off for is not missed")
    }

    @Test func aKindThatGoesOffEndsThePatternOnceThatHasSettledAndAFlickEndsNothing() throws {
        let run = try AlarmRun.thatRings()
        try turn(.wake, on: false, run)
        run.live(for: .milliseconds(100))
        try turn(.wake, on: true, run)
        run.live(for: .minutes(1))
        #expect(!AlarmRun.differs(run.edges, from: AlarmKind.wake.pattern))
        let other = try AlarmRun.thatRings()
        try turn(.wake, on: false, other)
        other.live(for: .seconds(1))
        let edges = other.edges.count
        other.live(for: .minutes(1))
        #expect(other.devices.output?.isOn == false && other.edges.count == edges)
        #expect(AlarmRun.differs(other.edges, from: AlarmKind.wake.pattern))
        #expect(other.lines(.toggleChanged).last == "wake alarms are off: turned by the wearer")
    }

    private func turn(_ kind: AlarmKind, on isOn: Bool, _ run: AlarmRun) throws {
        let now = run.loop.now.wall
        try run.store.ledger.changeBook(AlarmBook.self) { $0.turn(kind, on: isOn, at: now) }
        try run.ring()
    }

    @Test(arguments: [SIGTERM, SIGHUP]) func aSignalEndsThePatternOffAndAReloadPlaysOn(signal: Int32) throws {
        let run = try AlarmRun.thatRings()
        let line = try #require(run.devices.output)
        #expect(line.isOn)
        run.loop.send(signal)
        #expect(!line.isOn && !line.isOpen)
        #expect((run.devices.output !== line) == (signal == SIGHUP), "a reload takes the line anew")
        guard signal == SIGHUP else { return }
        run.live(for: .seconds(90))
        #expect(!AlarmRun.differs(run.edges, from: AlarmKind.wake.pattern) && run.lines(.alarmPlayed).count == 2)
    }

    @Test(arguments: [true, false]) func aKillOrARestartInTheMiddlePlaysOn(isKill: Bool) throws {
        let run = try AlarmRun.thatRings()
        let left = try #require(run.devices.output)
        let wait = { run.loop.clock.advance(to: run.loop.now.boot + .seconds(5)) }
        if isKill { try run.kill(meanwhile: wait) }
        let next = isKill ? run : try run.restarted(meanwhile: wait)
        #expect(next.devices.output !== left, "the line is taken anew")
        next.live(for: .minutes(3))
        #expect(!AlarmRun.differs(next.edges, from: AlarmKind.wake.pattern) && next.lines(.alarmMissed).isEmpty)
        #expect(next.lines(.alarmPlayed).count == (isKill ? 2 : 1) && next.devices.output?.isOn == false)
        #expect(try next.store.ledger.book(AlarmBook.self).alarms[0].outcome == .played)
        try next.kill()
        next.live(for: .minutes(1))
        #expect(next.edges.isEmpty, "it is over")
    }

    @Test func aRestartLongAfterTheBeginningPlaysNothingLateAndTellsIt() throws {
        let run = try AlarmRun()
        try run.set(.wake, in: .minutes(10), followUps: 1)
        run.live(for: .minutes(10) + .milliseconds(300))
        try run.kill { run.loop.clock.advance(to: run.loop.now.boot + .minutes(3)) }
        run.live(for: .minutes(1))
        #expect(run.edges.isEmpty && run.lines(.alarmMissed).count == 1)
        run.live(for: .minutes(4))
        #expect(run.lines(.alarmPlayed).count == 2, "the follow-up")
    }

    /// Turned off by the wearer while the program was dead: the motor may run on.
    @Test(arguments: [true, false]) func afterAKillALineThatIsNotAllowedAnyMoreIsSwitchedOffOnce(isNudge: Bool) throws {
        let run = try AlarmRun()
        if isNudge { try run.nudge() } else { try run.set(.wake, in: .minutes(10)) }
        run.live(for: (isNudge ? .zero : .minutes(10)) + .milliseconds(300))
        let left = try #require(run.devices.output)
        #expect(left.isOn)
        try run.kill { try run.turnOffWhileDead() }
        let line = try #require(run.devices.output)
        #expect(line !== left && !line.isOpen && run.devices.outputOpenings == 2)
        run.live(for: .hours(1))
        #expect(run.devices.outputOpenings == 2 && run.lines(.alarmPlayed).count == (isNudge ? 0 : 1))
    }

    @Test func aStartWithoutTheAlarmLeavesTheLineAloneWhereNothingPlayed() throws {
        let run = try AlarmRun()
        try run.set(.custom, in: .minutes(10))
        run.live(for: .minutes(11))
        try run.kill { try run.turnOffWhileDead() }
        #expect(run.devices.outputOpenings == 1 && run.lines(.lineFailed).isEmpty)
    }

    @Test func aLineThatCannotBeSwitchedOffAfterAKillIsTold() throws {
        let run = try AlarmRun.thatRings()
        try run.kill {
            try run.turnOffWhileDead()
            run.devices.outputFault = .busy
        }
        #expect(run.lines(.lineFailed).count == 1)
    }

    @Test func anAlarmThatWasMissedWhileOffIsToldOnce() throws {
        let run = try AlarmRun()
        try run.set(.wake, in: .minutes(10))
        let later = try run.restarted { run.loop.clock.advance(to: run.loop.now.boot + .hours(1)) }
        later.live(for: .minutes(1))
        let again = try later.restarted {}
        again.live(for: .minutes(1))
        #expect(later.lines(.alarmMissed).count == 1 && again.lines(.alarmMissed).isEmpty && again.edges.isEmpty)
    }

    @Test func aLineThatGoesAwaySuspendsTheAlarmAndItResumes() throws {
        let run = try AlarmRun()
        run.devices.outputFault = .absent
        try run.set(.custom, in: .minutes(10))
        run.live(for: .minutes(11))
        #expect(try run.store.ledger.consent().state.isSuspended(.alarm))
        #expect(try run.store.ledger.consent().state.toggles == DomainSet(.alarm))
        run.devices.outputFault = nil
        run.live(for: .hours(2))
        #expect(try !run.store.ledger.consent().state.isSuspended(.alarm))
        try run.set(.custom, in: .minutes(10))
        run.live(for: .minutes(11))
        #expect(!AlarmRun.differs(run.edges, from: AlarmKind.custom.pattern))
    }

    @Test func aClockThatIsSetMovesTheAlarm() throws {
        let run = try AlarmRun()
        try run.set(.custom, in: .hours(5))
        run.live(for: .minutes(1))
        run.loop.clock.set(run.loop.now.wall + .hours(3), isSynchronised: true)
        run.loop.clockWasSet()
        run.live(for: .hours(2) - .minutes(2))
        #expect(run.edges.isEmpty)
        run.live(for: .minutes(2))
        #expect(run.lines(.alarmPlayed).count == 1)
    }

    /// As on a board without a battery for its clock.
    @Test func aClockThatCannotBePlaysNothingUntilItIsSet() throws {
        let run = try AlarmRun()
        let right = run.loop.now.wall
        try run.set(.custom, in: .hours(1))
        run.loop.clock.set(WallTime(secondsSinceEpoch: 3600), isSynchronised: false)
        try run.restart(boot: BootID(high: 6, low: 6))
        run.live(for: .minutes(10))
        run.loop.clock.set(right + .minutes(30), isSynchronised: true)
        run.loop.clockWasSet()
        run.live(for: .minutes(30) + .seconds(10))
        #expect(run.lines(.alarmPlayed).count == 1 && run.lines(.alarmMissed).isEmpty)
    }

    /// Nothing else wakes this daemon: an alarm that is not read is never played.
    @Test func booksThatCouldNotBeReadAreReadAgainAndTheirAlarmPlays() throws {
        let run = try AlarmRun()
        let plan = AlarmPlan(kind: .custom, minute: 12 * 60 + 10, followUps: 0)
        _ = try run.store.ledger.changeBook(AlarmBook.self) { $0.add(plan, at: run.loop.now.wall) }
        let path = run.settings.store.ledgerPath
        #expect(rename(path, path + ".away") == 0)
        try run.ring()
        run.live(for: .minutes(4))
        #expect(rename(path + ".away", path) == 0)
        run.live(for: .minutes(30))
        #expect(run.lines(.alarmPlayed).count == 1)
        #expect(run.lines(.storeFailed).filter { $0.contains("is read again every minute") }.count == 1, "told once")
        #expect(run.lines(.storeRecovered).filter { $0.contains("alarms") }.count == 1)
    }

    @Test func aNudgeIsPlayedByItsStrength() throws {
        let run = try AlarmRun()
        try run.nudge(.strong)
        run.live(for: .seconds(5))
        #expect(try run.outcome() == .played)
        #expect(!AlarmRun.differs(run.edges, from: .strong))
        try run.nudge(.light, record: 2)
        run.live(for: .seconds(5))
        #expect(!AlarmRun.differs(Array(run.edges.suffix(2)), from: .light))
    }

    @Test func aNudgeInQuietHoursIsKeptAndNotPlayed() throws {
        let run = try AlarmRun { $0.alarm.quietHours = QuietHours(from: 11 * 60, to: 14 * 60) }
        try run.nudge()
        try run.set(.custom, in: .minutes(10))
        run.live(for: .minutes(11))
        #expect(try run.outcome() == .quietHours)
        #expect(!AlarmRun.differs(run.edges, from: AlarmKind.custom.pattern), "they hold for no alarm")
    }

    @Test func aNudgeWhileTheAlarmIsOffIsKeptAndNotPlayed() throws {
        let run = try AlarmRun(domains: [.motion])
        try run.nudge()
        run.live(for: .seconds(5))
        #expect(try run.outcome() == .alarmOff && run.devices.output == nil)
    }

    @Test func aNudgeThatCameTooLateIsNotPlayed() throws {
        let run = try AlarmRun()
        let old = run.loop.now.wall - .minutes(11)
        try run.store.ledger.changeBook(NudgeBook.self) { $0.add(Nudge(.light, message: ""), answering: 1, at: old) }
        try run.ring()
        #expect(try run.outcome() == .expired)
        run.live(for: .days(6))
        #expect(try run.store.ledger.book(NudgeBook.self).nudges.count == 1)
        run.live(for: .days(2))
        #expect(try run.store.ledger.book(NudgeBook.self).nudges.isEmpty, "kept for a week")
    }

    @Test func withoutAnAlarmTheDomainCausesNoWakeUps() throws {
        let run = try AlarmRun()
        let counter = WakeUps()
        run.loop.observer = counter
        run.live(for: .hours(12))
        #expect(counter.count <= 2)
    }
}
