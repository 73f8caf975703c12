import Domains
import Core
import Testing

@testable import Devices

@Suite struct ReportReaderTests {
    private let now = WallTime(secondsSinceEpoch: 1_763_424_000 + 43_200)  // 2025-11-18T12:00:00Z

    private func read(_ text: String) throws(ReportFault) -> CompanionReport {
        try ReportReader.report(in: Array(text.utf8), at: now)
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
        let report = try read(#"{"type":"sns","timestamp":"2025-11-18T11:05:00Z","minutes":5}"#)
        #expect("\(report.used.lowerBound) \(report.used.upperBound)" == "2025-11-18T11:00:00Z 2025-11-18T11:05:00Z")
    }

    @Test(arguments: [
        #" { "minutes" : 5.0e0 , "timestamp":"2025-11-18T11:05:00.999Z","type":"sns" } "#,
        #"{"type":"sns","timestamp":"2025-11-18T12:05:00+01:00","minutes":5}"#,
        #"{"type":"sns","timestamp":"2025-11-17T23:35:00-11:30","minutes":5}"#,
        #"{"apps":[{"name":"\"},","n":[1,2,{}]},[],null,true],"type":"sns","timestamp":"2025-11-18T11:05:00Z","minutes":5}"#,
        #"{"type":"sns","type":"other","timestamp":"2025-11-18T11:05:00Z","minutes":5,"minutes":9}"#,
    ])
    func formsThatMeanTheSame(_ text: String) throws {
        #expect(try read(text).used.upperBound == WallTime("2025-11-18T11:05:00Z"))
        #expect(try read(text).used.lowerBound == WallTime("2025-11-18T11:00:00Z"))
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
        (#"{"type":"steps","timestamp":"2025-11-18T11:05:00Z","minutes":5}"#, "its type is not sns"),
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

    /// Whatever the bytes are, reading ends, and a report has at most a day.
    @Test func anyBytesAreReadOrRefused() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = seed
        let good = Array(#"{"type":"sns","timestamp":"2025-11-18T11:05:00Z","minutes":5,"x":[{"y":"\n"}]}"#.utf8)
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<3 {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[Int(random >> 33) % bytes.count] = UInt8(truncatingIfNeeded: random >> 24)
            }
            do {
                let report = try ReportReader.report(in: bytes, at: now)
                let length = report.used.upperBound - report.used.lowerBound
                #expect(length >= .zero && length <= .days(1), "seed \(seed)")
            } catch {
                continue
            }
        }
    }
}
