import Domains
import Core
import Testing

@testable import Devices

@Suite struct ReportReaderTests {
    private let now = WallTime(secondsSinceEpoch: 1_763_424_000 + 43_200)  // 2025-11-18T12:00:00Z

    private func read(_ text: String) throws(ReportFault) -> CompanionReport {
        try ReportReader.report(in: Array(text.utf8), written: now - .minutes(1), at: now)
    }

    private func use(_ text: String) throws -> Range<WallTime> {
        guard case .use(let use) = try read(text) else { throw InboxError.absent }
        return use
    }

    private func reason(_ text: String) -> String? {
        do {
            _ = try read(text)
            return nil
        } catch .unusable(let reason, let isKept) {
            return isKept ? reason : nil
        } catch {
            return nil
        }
    }

    @Test func aReportIsMinutesUpToATime() throws {
        let use = try use(#"{"type":"sns","timestamp":"2025-11-18T11:05:00Z","minutes":5}"#)
        #expect("\(use.lowerBound) \(use.upperBound)" == "2025-11-18T11:00:00Z 2025-11-18T11:05:00Z")
    }

    @Test(arguments: [
        #" { "minutes" : 5.0e0 , "timestamp":"2025-11-18T11:05:00.999Z","type":"sns" } "#,
        #"{"type":"sns","timestamp":"2025-11-18T12:05:00+01:00","minutes":5}"#,
        #"{"type":"sns","timestamp":"2025-11-17T23:35:00-11:30","minutes":5}"#,
        #"{"apps":[{"name":"\"},","n":[1,2,{}]},[],null,true],"type":"sns","timestamp":"2025-11-18T11:05:00Z","minutes":5}"#,
        #"{"type":"sns","type":"other","timestamp":"2025-11-18T11:05:00Z","minutes":5,"minutes":9}"#,
    ])
    func formsThatMeanTheSame(_ text: String) throws {
        #expect(try use(text).upperBound == WallTime("2025-11-18T11:05:00Z"))
        #expect(try use(text).lowerBound == WallTime("2025-11-18T11:00:00Z"))
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"type":"sns""#, #"{"type":"sns",}"#, #"{"a":01}"#, #"{"a":+1}"#, #"{"a":1.}"#,
        #"{"a":.5}"#, #"{"a":1e}"#, #"{"a":NaN}"#, #"{"a":nul}"#, #"{"a" 1}"#, #"{"a":"b}"#, "{\"a\":\"\u{1}\"}",
        #"{} {}"#, #"{"a":1e999}"#, #"{"a":[1,]}"#, #"{"a":{"b":}}"#, #"{"a":"\"#,
    ])
    func whatIsNoObjectIsRefused(_ text: String) {
        #expect(reason(text) == "not a JSON object")
    }

    private static let noTime = "timestamp is missing or not a time such as 2025-01-15T13:05:00Z"
    private static let noMinutes = "minutes is missing or not a number from 0 to 1440"

    static let unfit: [(String, String)] = [
        (#"{"timestamp":"2025-11-18T11:05:00Z","minutes":5}"#, "no member type"),
        (
            #"{"type":"steps","timestamp":"2025-11-18T11:05:00Z","minutes":5}"#,
            "its type is none of sns, sitting, mindful, nutrition"
        ),
        (#"{"type":"sns","minutes":5}"#, noTime),
        (#"{"type":"sns","timestamp":1763463900,"minutes":5}"#, noTime),
        (
            #"{"type":"sns","timestamp":"2025-11-18 11:05:00Z","minutes":5}"#,
            "timestamp is missing or not a time such as 2025-01-15T13:05:00Z"
        ),
        (#"{"type":"sns","timestamp":"2025-11-18T11:05:00","minutes":5}"#, noTime),
        (
            #"{"type":"sns","timestamp":"2025-11-18T11:05:00+1:00","minutes":5}"#,
            "timestamp is missing or not a time such as 2025-01-15T13:05:00Z"
        ),
        (#"{"type":"sns","timestamp":"2025-11-18T11:05:00Z"}"#, noMinutes),
        (#"{"type":"sns","timestamp":"2025-11-18T11:05:00Z","minutes":"5"}"#, noMinutes),
        (#"{"type":"sns","timestamp":"2025-11-18T11:05:00Z","minutes":-1}"#, noMinutes),
        (#"{"type":"sns","timestamp":"2025-11-18T11:05:00Z","minutes":1441}"#, noMinutes),
        (#"{"type":"sns","timestamp":"2025-11-18T12:05:01Z","minutes":5}"#, "of the future: 2025-11-18T12:05:01Z"),
        (
            #"{"type":"sns","timestamp":"2025-11-17T00:00:00Z","minutes":5}"#,
            "older than yesterday: 2025-11-17T00:00:00Z"
        ),
        (
            #"{"type":"sns","timestamp":"1970-01-01T00:05:00Z","minutes":5}"#,
            "older than yesterday: 1970-01-01T00:05:00Z"
        ),
    ]

    @Test(arguments: unfit) func whatCannotBeIsRefusedWithTheReason(_ text: String, _ expected: String) {
        #expect(reason(text) == expected)
    }

    @Test func aTotalIsOfADayByThePhonesClock() throws {
        let start = try #require(WallTime("2025-11-17T23:00:00Z"))
        let sitting = try read(#"{"type":"sitting","date":"2025-11-18+01:00","minutes":420}"#)
        #expect(sitting == .total(DayTotal(.sitting, of: start, amount: 420, written: now - .minutes(1))))
        let mindful = try read(#"{"total":12.4,"date":"2025-11-18+01:00","type":"mindful","app":"secret"}"#)
        #expect(mindful == .total(DayTotal(.mindful, of: start, amount: 12, written: now - .minutes(1))))
        let food = try read(#"{"type":"nutrition","date":"2025-11-18+01:00","total":20000}"#)
        #expect(food == .total(DayTotal(.nutrition, of: start, amount: 20_000, written: now - .minutes(1))))
    }

    /// A clock that was wrong when the file was written does not keep later reports from replacing it.
    @Test func aReportIsWrittenNoLaterThanItIsRead() throws {
        let text = Array(#"{"type":"mindful","date":"2025-11-18Z","total":1}"#.utf8)
        let report = try ReportReader.report(in: text, written: now + .days(9_000), at: now)
        #expect(report == .total(DayTotal(.mindful, of: UTCDay(containing: now).start, amount: 1, written: now)))
    }

    private static let noDate = "date is missing or not a day with its offset such as 2025-01-15+01:00"

    static let unfitTotals: [(String, String)] = [
        (#"{"type":"sitting","minutes":5}"#, noDate),
        (#"{"type":"sitting","date":"2025-11-18","minutes":5}"#, noDate),
        (#"{"type":"sitting","date":"2025-11-18T00:00:00Z","minutes":5}"#, noDate),
        (#"{"type":"sitting","date":"2025-02-30Z","minutes":5}"#, noDate),
        (#"{"type":"sitting","date":"2025-11-18+14:01","minutes":5}"#, noDate),
        (#"{"type":"sitting","date":"2025-11-18-12:00","minutes":5}"#, noDate),
        (#"{"type":"sitting","date":"2025-11-18++1:+5","minutes":5}"#, noDate),
        (#"{"type":"sitting","date":"2025-11-18+1:00","minutes":5}"#, noDate),
        (#"{"type":"sitting","date":"2025-11-18 01:00","minutes":5}"#, noDate),
        (#"{"type":"sitting","date":"2025-11-18+01:00Z","minutes":5}"#, noDate),
        (#"{"type":"sitting","date":20251118,"minutes":5}"#, noDate),
        (#"{"type":"sitting","date":"2025-11-18Z","total":5}"#, noMinutes),
        (#"{"type":"sitting","date":"2025-11-18Z","minutes":1441}"#, noMinutes),
        (#"{"type":"sitting","date":"2025-11-18Z","minutes":-1}"#, noMinutes),
        (#"{"type":"sitting","date":"2025-11-18Z","minutes":"5"}"#, noMinutes),
        (#"{"type":"mindful","date":"2025-11-18Z","minutes":5}"#, "total is missing or not a number from 0 to 1440"),
        (#"{"type":"mindful","date":"2025-11-18Z","total":1440.5}"#, "total is missing or not a number from 0 to 1440"),
        (
            #"{"type":"nutrition","date":"2025-11-18Z","total":20001}"#,
            "total is missing or not a number from 0 to 20000"
        ),
        (
            #"{"type":"nutrition","date":"2025-11-18Z","total":null}"#,
            "total is missing or not a number from 0 to 20000"
        ),
        // The noon of now is 12:00 UTC of the 18th. In the west it is still that day, in the east not yet the next.
        (#"{"type":"mindful","date":"2025-11-19Z","total":1}"#, "of the future: 2025-11-19Z"),
        (#"{"type":"mindful","date":"2025-11-19+11:54","total":1}"#, "of the future: 2025-11-19+11:54"),
        (#"{"type":"mindful","date":"2025-11-16Z","total":1}"#, "older than yesterday: 2025-11-16Z"),
        (#"{"type":"mindful","date":"1970-01-01Z","total":1}"#, "older than yesterday: 1970-01-01Z"),
        (#"{"type":"mindful","date":"2199-12-31Z","total":1}"#, "of the future: 2199-12-31Z"),
    ]

    @Test(arguments: unfitTotals) func aTotalThatCannotBeIsRefusedWithTheReason(_ text: String, _ expected: String) {
        #expect(reason(text) == expected)
    }

    @Test(arguments: [
        ("2025-11-18Z", "2025-11-18"), ("2025-11-18+01:00", "2025-11-18"), ("2025-11-18-11:30", "2025-11-18"),
        ("2025-11-19+11:56", "2025-11-19"), ("2025-11-19+13:00", "2025-11-18"), ("2025-11-18-11:59", "2025-11-18"),
        ("2025-11-17Z", "2025-11-17"),
    ])
    func aTotalCountsToTheDayInWhichItsNoonLies(_ date: String, _ day: String) throws {
        guard case .total(let total) = try read(#"{"type":"mindful","date":"\#(date)","total":1}"#) else {
            throw InboxError.absent
        }
        #expect(total.day == UTCDay(day))
    }

    /// Whatever the bytes are, reading ends, and a report has at most a day.
    @Test(arguments: [
        #"{"type":"sns","timestamp":"2025-11-18T11:05:00Z","minutes":5,"x":[{"y":"\n"}]}"#,
        #"{"type":"nutrition","date":"2025-11-18+01:00","total":2100,"x":[{"y":"\n"}]}"#,
    ])
    func anyBytesAreReadOrRefused(_ text: String) throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = seed
        let good = Array(text.utf8)
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<3 {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[Int(random >> 33) % bytes.count] = UInt8(truncatingIfNeeded: random >> 24)
            }
            do {
                switch try ReportReader.report(in: bytes, written: now, at: now) {
                case .use(let use):
                    let length = use.upperBound - use.lowerBound
                    #expect(length >= .zero && length <= .days(1), "seed \(seed)")
                case .total(let total):
                    #expect((0...total.kind.most).contains(total.amount), "seed \(seed)")
                    #expect(total.day >= UTCDay(containing: now) + -1, "seed \(seed)")
                }
            } catch {
                continue
            }
        }
    }
}
