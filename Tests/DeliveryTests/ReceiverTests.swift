import Foundation
import FoundationNetworking
import Testing

/// What the receiver refuses that the schemas of docs/openapi.yaml do not forbid, and what it does with a key. What they forbid is asked for by
/// Tests/Contract.
struct ReceiverTests {
    static let token = "a-token"
    static let user = "2d1a8f5e-8a1b-4f54-9c32-0123456789ab"
    let receiver: ReceiverProcess

    init() throws { receiver = try ReceiverProcess(token: Self.token, misbehave: nil) }

    @Test(arguments: Unwanted.records) func anotherRecordIsRefused(fields: String, reason: String) throws {
        let answer = try post(record(fields), to: .daily)
        #expect(answer.status == 422 && answer.body.contains(reason), "\(answer)")
        #expect(try receiver.records().isEmpty)
    }

    @Test(arguments: Unwanted.bodies) func aBodyOfAnotherFormIsRefused(body: String, reason: String) throws {
        for endpoint in Endpoint.allCases {
            let answer = try post(Data(body.utf8), to: endpoint)
            #expect(answer.status == 422 && answer.body.contains(reason), "\(answer)")
        }
    }

    @Test(arguments: Unwanted.dates) func aDateThatIsNoDayIsRefused(date: String) throws {
        let body = Data(#"{"userId":"\#(Self.user)","date":\#(date),"steps":1}"#.utf8)
        let answer = try post(body, to: .daily)
        #expect(answer.status == 422 && answer.body.contains("date must be a date YYYY-MM-DD"), "\(answer)")
    }

    @Test(arguments: Unwanted.times) func aTimeThatIsNoneInUTCIsRefused(time: String) throws {
        let body = Data(#"{"eventType":"visit","eventPayload":{},"timestamp":\#(time)}"#.utf8)
        let answer = try post(body, to: .event)
        #expect(answer.status == 422 && answer.body.contains("timestamp must be a time"), "\(answer)")
    }

    @Test func aBodyInAnotherEncodingIsRefused() throws {
        let text = #"{"eventType":"visit","eventPayload":{},"timestamp":"2025-01-15T13:05:00Z"}"#
        let body = try #require(text.data(using: .utf16LittleEndian))
        #expect(try post(body, to: .event).status == 422)
        #expect(try post(Data(text.utf8) + [0xFF], to: .event).status == 422)
    }

    // MARK: - Headers and size

    @Test(arguments: Unwanted.types) func anotherTypeOfContentIsRefused(type: String) throws {
        let answer = try post(record(#""steps":1"#), to: .daily, type: type)
        #expect(answer.status == 415, "\(answer)")
    }

    @Test func theTypeMayNameAnEncoding() throws {
        let answer = try post(record(#""steps":1"#), to: .daily, type: "application/json; charset=utf-8")
        #expect(answer.status == 200, "\(answer)")
    }

    @Test(arguments: Unwanted.credentials) func otherCredentialsAreRefused(credentials: String?) throws {
        let answer = try post(record(#""steps":1"#), to: .daily, credentials: credentials)
        #expect(answer.status == 401, "\(answer)")
    }

    @Test func whatIsTooLongIsRefusedAndTheConnectionGoesOn() throws {
        let long = String(repeating: " ", count: 8192)
        let answer = try post(record(#""steps":1"#) + Data(long.utf8), to: .daily)
        #expect(answer.status == 413, "\(answer)")
        #expect(try post(record(#""steps":1"#), to: .daily).status == 200)
    }

    @Test func anotherMethodIsRefusedAndToldWhichToUse() throws {
        var request = URLRequest(url: try #require(URL(string: receiver.address + Endpoint.daily.rawValue)))
        request.httpMethod = "PUT"
        let (_, answer) = try fetch(request)
        #expect(answer.statusCode == 405 && answer.value(forHTTPHeaderField: "Allow") == "POST")
    }

    // MARK: - The key

    @Test func theSameRequestAgainIsNoOtherRecord() throws {
        let first = try post(record(#""steps":1"#), to: .daily)
        let again = try post(record(#""steps":1"#), to: .daily)
        #expect(first.body.contains("stored") && again.body.contains("duplicate") && again.status == 200)
        #expect(try receiver.records().count == 1)
    }

    @Test func theSameKeyWithAnotherBodyIsRefusedAndTheFirstStays() throws {
        #expect(try post(record(#""steps":1"#), to: .daily).status == 200)
        for body in [record(#""steps":2"#), record(#""steps": 1"#)] {
            let answer = try post(body, to: .daily)
            #expect(answer.status == 422 && answer.body.contains("another body"), "\(answer)")
        }
        let elsewhere = try post(event("visit", "{}"), to: .event)
        #expect(elsewhere.status == 422 && elsewhere.body.contains("another body"), "\(elsewhere)")
        #expect(try receiver.records().map { $0["body"]?.contains(#""steps":1"#) } == [true])
        #expect(try receiver.requests().map { $0["status"] } == ["200", "422", "422", "422"])
    }
}

// MARK: - Requests

extension ReceiverTests {
    enum Endpoint: String, CaseIterable {
        case daily = "/mobile/daily_metrics"
        case event = "/nudge/trigger"
    }

    func record(_ fields: String) -> Data {
        Data(#"{"userId":"\#(Self.user)","date":"2025-01-15",\#(fields)}"#.utf8)
    }

    func event(_ type: String, _ payload: String) -> Data {
        Data(#"{"eventType":"\#(type)","eventPayload":\#(payload),"timestamp":"2025-01-15T13:05:00Z"}"#.utf8)
    }

    func post(
        _ body: Data, to endpoint: Endpoint, type: String = "application/json", credentials: String? = "Bearer \(token)"
    ) throws -> (status: Int, body: String) {
        var request = URLRequest(url: try #require(URL(string: receiver.address + endpoint.rawValue)))
        request.httpMethod = "POST"
        request.httpBody = body
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        request.setValue("0b6f8c52-91d3-4e7a-8a40-5f3d2c1b0a99", forHTTPHeaderField: "Idempotency-Key")
        request.setValue(credentials, forHTTPHeaderField: "Authorization")
        let (data, response) = try fetch(request)
        return (response.statusCode, String(decoding: data, as: UTF8.self))
    }
}

/// Blocks its thread: a test that awaited would continue after all the others, and its receiver wait for so long.
private func fetch(_ request: URLRequest) throws -> (Data, HTTPURLResponse) {
    let isDone = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var result: (Data?, URLResponse?, (any Error)?)
    URLSession.shared.dataTask(with: request) {
        result = ($0, $1, $2)
        isDone.signal()
    }.resume()
    isDone.wait()
    if let error = result.2 { throw error }
    return (try #require(result.0), try #require(result.1 as? HTTPURLResponse))
}

/// Requests that the contract forbids, with the reason that is given.
private enum Unwanted {
    /// Members of a record beside user and date, which are wrong by one another.
    static let records: [(String, String)] = [
        (#""wakeAt":"2025-01-15T07:30:00Z""#, "without sleepDurationMin"),
        (#""coverage":{"steps":{"observed":1}}"#, "the record has no figure"),
        (#""steps":1,"coverage":{"steps":{"observed":1440,"off":1}}"#, "coverage of steps must have"),
        (#""steps":1,"coverage":{"steps":{"observed":1440,"lost":1}}"#, "coverage of steps must have"),
        (#""steps":1,"coverage":{}"#, "coverage must have names"),
        (#""sleepDurationMin":420,"wakeAt":"2025-01-14T23:59:59Z""#, "on the date of the record, 2025-01-15"),
        (#""sleepDurationMin":420,"wakeAt":"2025-01-16T00:00:00Z""#, "on the date of the record, 2025-01-15"),
    ]
    static let bodies: [(String, String)] = [
        ("", "not JSON"), ("{", "not JSON"), ("steps=1", "not JSON"), ("[]", "not an object"),
        ("null", "not an object"),
        ("\u{FEFF}{}", "not JSON"), (#"{"steps":1,}"#, "not JSON"), (#"{"steps":[1 , ]}"#, "not JSON"),
        (#"{"steps":1,"steps":2}"#, "a name twice"), (#"{"steps":{"a":1,"\u0061":2}}"#, "a name twice"),
        (#"{"a:\":":1}"#, "lacks"), (String(repeating: "[", count: 9), "nested deeper"),
        ("{}", "lacks"), (#"{"userId":"2d1a8f5e-8a1b-4f54-9c32-0123456789ab","date":"2025-01-15"}"#, "the"),
    ]
    static let dates = [
        #""2025-02-29""#, #""2025-1-15""#, #""2025-13-01""#, #""2025-01-00""#, #""15.01.2025""#, #""20250115""#,
        #""2025-01-15T00:00:00Z""#, #""""#, "20250115", "null",
    ]
    static let times = [
        #""2025-01-15T13:05:00""#, #""2025-01-15T13:05:00+01:00""#, #""2025-01-15T13:05:00.5Z""#,
        #""2025-01-15T25:00:00Z""#,
        #""2025-01-15T13:05:61Z""#, #""2025-02-30T13:05:00Z""#, #""2025-01-15 13:05:00Z""#, #""2025-01-15t13:05:00z""#,
        #""2025-01-15""#, "1736946300", "null",
    ]
    static let types = ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "application"]
    static let credentials: [String?] = [
        nil, "Bearer", "Bearer ", "Bearer another", "bearer another", "Basic YTpi", "a-token",
    ]
}
