import Foundation
import Core
import Testing

@testable import Domains

/// The wearer's clock, in the zones of Foundation, against a search minute by minute.
@Suite struct LocalZoneTests {
    private static func zone(_ name: String) throws -> LocalZone {
        let zone = try #require(TimeZone(identifier: name))
        return LocalZone { time in
            Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.secondsSinceEpoch))))
        }
    }

    private static func day(_ text: String) throws -> UTCDay { try #require(UTCDay(text)) }

    /// The first instant at which the clock shows so much, found by looking at every quarter of a minute.
    private func search(_ day: UTCDay, _ minute: Int, _ zone: LocalZone) -> WallTime? {
        let wanted = day.start + .minutes(Int64(minute))
        var time = wanted - .hours(27)
        var before = time
        while time < wanted + .hours(27) {
            let shown = time + .seconds(zone.offset(time))
            if shown >= wanted { return shown - before < .days(1) ? time : nil }
            (time, before) = (time + .seconds(15), shown)
        }
        return nil
    }

    static let zones: [String] = [
        "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Casablanca",
        "America/Sao_Paulo", "Pacific/Apia", "Asia/Kathmandu", "UTC", "America/St_Johns", "Africa/Cairo",
    ]

    @Test(arguments: zones)
    func everyTimeIsTheFirstAtWhichTheClockShowsIt(name: String) throws {
        let zone = try Self.zone(name)
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = Numbers(seed: seed)
        for _ in 0..<60 {
            let day = UTCDay(daysSinceEpoch: Int32.random(in: 15_000...22_500, using: &generator))
            let minute = Int.random(in: 0...1439, using: &generator)
            #expect(
                zone.time(of: day, minute: minute) == search(day, minute, zone), "\(day) \(minute), seed \(seed)")
        }
    }

    /// Samoa had no 30 December 2011.
    @Test func aDayThatIsSkippedHasNoTimeAndTheNextHas() throws {
        let zone = try Self.zone("Pacific/Apia")
        let skipped = UTCDay(daysSinceEpoch: 15_338)
        for minute in stride(from: 0, to: 1440, by: 30) {
            let time = Interval.minutes(Int64(minute))
            #expect(zone.time(of: skipped + -1, minute: minute) == skipped.start - .hours(14) + time)
            #expect(zone.time(of: skipped, minute: minute) == nil)
            #expect(zone.time(of: skipped.next, minute: minute) == skipped.start + .hours(10) + time)
        }
    }

    /// The days on which the clock is set, and every half hour of them.
    @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo"])
    func theDaysOnWhichTheClockIsSetAreRight(name: String) throws {
        let zone = try Self.zone(name)
        for number in Int32(19_700)..<20_090 {
            let day = UTCDay(daysSinceEpoch: number)
            guard zone.offset(day.start) != zone.offset(day.start + .days(1)) else { continue }
            for minute in stride(from: 0, to: 1440, by: 30) {
                #expect(zone.time(of: day, minute: minute) == search(day, minute, zone), "\(day) \(minute)")
            }
        }
    }

    @Test func aTimeThatTheClockLeapsOverIsTheFirstAfterTheLeap() throws {
        let time = try Self.zone("Europe/Berlin").time(of: try Self.day("2025-03-30"), minute: 150)
        #expect(time?.description == "2025-03-30T01:00:00Z", "03:00 of summer time")
    }

    @Test func aTimeThatTheClockShowsTwiceIsTheFirst() throws {
        let time = try Self.zone("Europe/Berlin").time(of: try Self.day("2025-10-26"), minute: 150)
        #expect(time?.description == "2025-10-26T00:30:00Z", "02:30 of summer time")
    }

    @Test func aDayThatTheClockLeapsOverHasNoTime() throws {
        #expect(try Self.zone("Pacific/Apia").time(of: try Self.day("2011-12-30"), minute: 420) == nil)
    }

    @Test func theTwentyNinthOfFebruaryIsADayOfItsWeek() throws {
        let plan = AlarmPlan(kind: .custom, minute: 420, weekdays: Weekdays(bits: 1 << 3))
        let next = plan.next(after: try #require(WallTime("2024-02-28T12:00:00Z")), .utc) { _ in true }
        #expect(next?.at.description == "2024-02-29T07:00:00Z", "a Thursday")
    }

    @Test func quietHoursMayHoldMidnight() {
        let night = QuietHours(from: 1320, to: 420)
        #expect([1320, 1439, 0, 419].allSatisfy(night.contains) && ![420, 1319, 720].contains(where: night.contains))
        #expect(QuietHours(from: 780, to: 840).contains(minute: 800))
    }
}

private struct Numbers: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed | 1 }
    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
