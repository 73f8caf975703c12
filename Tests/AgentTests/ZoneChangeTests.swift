import Sensing
import Domains
import Core
import Testing

/// The system's time zone is another one while the daemon runs.
@Suite struct ZoneChangeTests {
    private static let zoneDirectory = "/etc"

    private func run() throws -> AlarmRun {
        let run = try AlarmRun()
        run.devices.zoneDirectory = Self.zoneDirectory
        return run
    }

    /// As `timedatectl set-timezone` to a zone that is so far ahead of UTC.
    private func move(_ run: AlarmRun, to minutes: Int64) {
        run.devices.zone = LocalZone { _ in minutes * 60 }
        run.loop.changed(in: Self.zoneDirectory)
    }

    @Test func alarmsPlayByTheNewZone() throws {
        let run = try run()
        try run.set(.custom, in: .hours(3))
        run.live(for: .hours(1))
        move(run, to: 90)
        run.live(for: .minutes(30) - .seconds(1))
        #expect(run.edges.isEmpty)
        run.live(for: .seconds(2))
        #expect(run.lines(.alarmPlayed).count == 1, "the clock shows 15:00 at 13:30 UTC")
        run.live(for: .hours(20))
        #expect(run.lines(.alarmPlayed).count == 1 && run.lines(.alarmMissed).isEmpty)
    }

    @Test func whatTheClockLeapsOverIsToldOnceAndNotPlayedLate() throws {
        let run = try run()
        try run.set(.custom, in: .hours(2))
        run.live(for: .hours(25))
        #expect(run.lines(.alarmPlayed).count == 1)
        move(run, to: 120)
        #expect(run.lines(.alarmMissed).count == 1, "it was 13:00 and is 15:00")
        move(run, to: 125)
        run.live(for: .hours(20))
        #expect(run.lines(.alarmMissed).count == 1 && run.lines(.alarmPlayed).count == 1)
        run.live(for: .hours(4))
        #expect(run.lines(.alarmPlayed).count == 2, "the day after, in the new zone")
    }

    @Test func whatWasPlayedTodayIsNotPlayedAgainInAZoneToTheWest() throws {
        let run = try run()
        try run.set(.custom, in: .hours(1))
        run.live(for: .hours(2))
        move(run, to: -180)
        run.live(for: .hours(10))
        #expect(run.lines(.alarmPlayed).count == 1 && run.lines(.alarmMissed).isEmpty)
        run.live(for: .hours(17))
        #expect(run.lines(.alarmPlayed).count == 2)
    }

    @Test func aPatternGoesOnThroughAChangeAndFollowUpsKeepTheirTimes() throws {
        let run = try run()
        try run.set(.custom, in: .minutes(10), followUps: 1)
        run.live(for: .minutes(10) + .seconds(1))
        move(run, to: -600)
        run.live(for: .minutes(10))
        #expect(run.lines(.alarmPlayed).count == 2 && run.lines(.alarmMissed).isEmpty)
        #expect(!AlarmRun.differs(Array(run.edges.prefix(20)), from: AlarmKind.custom.pattern))
    }

    @Test func aZoneOfTheConfigurationIsNotWatched() throws {
        let run = try AlarmRun { $0.alarm.timeZone = "Europe/Berlin" }
        run.devices.zoneDirectory = Self.zoneDirectory
        try run.set(.custom, in: .hours(3))
        move(run, to: 120)
        run.live(for: .hours(1) + .seconds(1))
        #expect(run.edges.isEmpty, "nothing woke it")
    }
}
