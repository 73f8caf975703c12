import Core
import Testing

@Suite struct CalendarTests {
    @Test(arguments: [
        (0, "1970-01-01"), (-1, "1969-12-31"), (59, "1970-03-01"), (11_016, "2000-02-29"),
        (19_782, "2024-02-29"), (20_103, "2025-01-15"), (47_481, "2099-12-31"),
    ])
    func dayNumbersAndDatesAgree(number: Int32, text: String) {
        #expect(UTCDay(daysSinceEpoch: number).description == text)
        #expect(number < 0 || UTCDay(text) == UTCDay(daysSinceEpoch: number))
    }

    @Test func everyDayOfFourCenturiesSurvivesTheRoundTrip() {
        for number in stride(from: Int32(-200_000), through: 200_000, by: 1) {
            let day = UTCDay(daysSinceEpoch: number)
            guard CivilDate(day).utcDay != day else { continue }
            Issue.record("day \(number) became \(CivilDate(day))")
        }
    }

    @Test(arguments: [
        "", "2025-1-15", "2025-13-01", "2025-02-29", "2025-00-10", "2025-01-00", "2025-01-15 ", "2025/01/15",
        "0000-01-01", "20250-1-15", "２025-01-15", "1677-09-22", "1969-12-31", "2200-01-01", "2262-04-10",
        "9999-12-31",
    ])
    func datesThatTheCalendarDoesNotHaveAreRefused(text: String) {
        #expect(UTCDay(text) == nil)
    }

    @Test func timesAreWrittenAndReadAsRFC3339() {
        let time = WallTime(secondsSinceEpoch: 1_736_946_300)
        #expect(time.description == "2025-01-15T13:05:00Z")
        #expect(WallTime("2025-01-15T13:05:00Z") == time)
        #expect((time + .milliseconds(999)).description == "2025-01-15T13:05:00Z")
    }

    @Test(arguments: [
        "2025-01-15T24:00:00Z", "2025-01-15T13:60:00Z", "2025-01-15T13:05:60Z", "2025-01-15T13:05:00",
        "2025-01-15T13:05:00+0", "2025-02-30T13:05:00Z", "2025-01-15t13:05:00Z", "-025-01-15T13:05:00Z",
        "9999-12-31T23:59:59Z", "1677-09-22T00:00:00Z", "2200-01-01T00:00:00Z",
    ])
    func timesThatAreNotRFC3339InUTCAreRefused(text: String) {
        #expect(WallTime(text) == nil)
    }

    @Test(arguments: ["1970-01-01", "2199-12-31"])
    func theFirstAndTheLastDayHaveAStartAndAnEnd(text: String) throws {
        let day = try #require(UTCDay(text))
        #expect(day.end - day.start == .days(1))
        #expect(WallTime("\(text)T00:00:00Z") == day.start)
    }

    @Test(arguments: [Int32.min, -106_752, -106_751, 106_750, 106_751, .max])
    func aDayThatNoClockShowsIsNoTrap(number: Int32) {
        let day = UTCDay(daysSinceEpoch: number)
        #expect(day.start <= day.end && day.end <= day.next.next.start)
        #expect(!day.description.isEmpty && !day.start.description.isEmpty && !day.end.description.isEmpty)
        #expect(day + -8 <= day && day <= day + .max)
    }

    @Test(arguments: [WallTime(nanoseconds: .min), WallTime(nanoseconds: .max)])
    func whatLiesBeyondAClockIsItsEnd(end: WallTime) {
        for length in [Interval.days(-90), .days(90), Interval(nanoseconds: .max), Interval(nanoseconds: .min)] {
            #expect(end + length == end || (end + length) - length == end)
            #expect(end - length == end || (end - length) + length == end)
        }
        #expect((WallTime(nanoseconds: .max) - WallTime(nanoseconds: .min)).nanoseconds == .max)
    }

    @Test func midnightBelongsToTheDayThatBegins() {
        let day = UTCDay(daysSinceEpoch: 20_103)
        #expect(UTCDay(containing: day.start) == day)
        #expect(UTCDay(containing: day.end) == day.next)
        #expect(UTCDay(containing: day.end - Interval(nanoseconds: 1)) == day)
        #expect(UTCDay(containing: WallTime(nanoseconds: -1)) == UTCDay(daysSinceEpoch: -1))
    }
}
