import Foundation
import FoundationNetworking
import Testing

/// Requests that the receiver takes, and those that it refuses: the contract of docs/openapi.yaml, and the parts of it that a schema cannot say.
struct ReceiverTests {
    static let token = "a-token"
    static let user = "2d1a8f5e-8a1b-4f54-9c32-0123456789ab"
    let receiver: ReceiverProcess

    init() throws { receiver = try ReceiverProcess(token: Self.token, misbehave: nil) }

    @Test(arguments: Wanted.records) func aRecordOfTheContractIsTaken(fields: String) async throws {
        let answer = try await post(record(fields), to: .daily)
        #expect(answer.status == 200, "\(answer.body)")
    }

    @Test(arguments: Wanted.events) func anEventOfTheContractIsTaken(type: String, payload: String) async throws {
        let answer = try await post(event(type, payload), to: .event)
        #expect(answer.status == 200, "\(answer.body)")
    }

    @Test(arguments: Unwanted.records) func anotherRecordIsRefused(fields: String, reason: String) async throws {
        let answer = try await post(record(fields), to: .daily)
        #expect(answer.status == 422 && answer.body.contains(reason), "\(answer)")
        #expect(try receiver.records().isEmpty)
    }

    @Test(arguments: Unwanted.events)
    func anotherEventIsRefused(type: String, payload: String, reason: String) async throws {
        let answer = try await post(event(type, payload), to: .event)
        #expect(answer.status == 422 && answer.body.contains(reason), "\(answer)")
    }

    @Test(arguments: Unwanted.bodies) func aBodyOfAnotherFormIsRefused(body: String, reason: String) async throws {
        for endpoint in Endpoint.allCases {
            let answer = try await post(Data(body.utf8), to: endpoint)
            #expect(answer.status == 422 && answer.body.contains(reason), "\(answer)")
        }
    }

    @Test(arguments: Unwanted.users) func aUserThatIsNoUUIDInLowerCaseIsRefused(user: String) async throws {
        let body = Data(#"{"userId":\#(user),"date":"2025-01-15","steps":1}"#.utf8)
        let answer = try await post(body, to: .daily)
        #expect(answer.status == 422 && answer.body.contains("userId must be a UUID in lower case"), "\(answer)")
    }

    @Test(arguments: Unwanted.dates) func aDateThatIsNoDayIsRefused(date: String) async throws {
        let body = Data(#"{"userId":"\#(Self.user)","date":\#(date),"steps":1}"#.utf8)
        let answer = try await post(body, to: .daily)
        #expect(answer.status == 422 && answer.body.contains("date must be a date YYYY-MM-DD"), "\(answer)")
    }

    @Test(arguments: Unwanted.times) func aTimeThatIsNoneInUTCIsRefused(time: String) async throws {
        let body = Data(#"{"eventType":"visit","eventPayload":{},"timestamp":\#(time)}"#.utf8)
        let answer = try await post(body, to: .event)
        #expect(answer.status == 422 && answer.body.contains("timestamp must be a time"), "\(answer)")
    }

    @Test func aBodyInAnotherEncodingIsRefused() async throws {
        let text = #"{"eventType":"visit","eventPayload":{},"timestamp":"2025-01-15T13:05:00Z"}"#
        let body = try #require(text.data(using: .utf16LittleEndian))
        #expect(try await post(body, to: .event).status == 422)
        #expect(try await post(Data(text.utf8) + [0xFF], to: .event).status == 422)
    }

    // MARK: - Headers and size

    @Test(arguments: Unwanted.keys) func aKeyThatIsNoRandomUUIDIsRefused(key: String?) async throws {
        let answer = try await post(record(#""steps":1"#), to: .daily, key: key)
        #expect(answer.status == 400 && answer.body.contains("Idempotency-Key"), "\(answer)")
    }

    @Test(arguments: Unwanted.types) func anotherTypeOfContentIsRefused(type: String) async throws {
        let answer = try await post(record(#""steps":1"#), to: .daily, type: type)
        #expect(answer.status == 415, "\(answer)")
    }

    @Test func theTypeMayNameAnEncoding() async throws {
        let answer = try await post(record(#""steps":1"#), to: .daily, type: "application/json; charset=utf-8")
        #expect(answer.status == 200, "\(answer)")
    }

    @Test(arguments: Unwanted.credentials) func otherCredentialsAreRefused(credentials: String?) async throws {
        let answer = try await post(record(#""steps":1"#), to: .daily, credentials: credentials)
        #expect(answer.status == 401, "\(answer)")
    }

    @Test func whatIsTooLongIsRefusedAndTheConnectionGoesOn() async throws {
        let long = String(repeating: " ", count: 4096)
        let answer = try await post(record(#""steps":1"#) + Data(long.utf8), to: .daily)
        #expect(answer.status == 413, "\(answer)")
        #expect(try await post(record(#""steps":1"#), to: .daily).status == 200)
    }

    @Test func anotherMethodIsRefusedAndToldWhichToUse() async throws {
        var request = URLRequest(url: try #require(URL(string: receiver.address + Endpoint.daily.rawValue)))
        request.httpMethod = "PUT"
        let (_, response) = try await URLSession.shared.data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        #expect(answer.statusCode == 405 && answer.value(forHTTPHeaderField: "Allow") == "POST")
    }

    // MARK: - The key

    @Test func theSameRequestAgainIsNoOtherRecord() async throws {
        let first = try await post(record(#""steps":1"#), to: .daily)
        let again = try await post(record(#""steps":1"#), to: .daily)
        #expect(first.body.contains("stored") && again.body.contains("duplicate") && again.status == 200)
        #expect(try receiver.records().count == 1)
    }

    @Test func theSameKeyWithAnotherBodyIsRefusedAndTheFirstStays() async throws {
        #expect(try await post(record(#""steps":1"#), to: .daily).status == 200)
        for body in [record(#""steps":2"#), record(#""steps": 1"#)] {
            let answer = try await post(body, to: .daily)
            #expect(answer.status == 422 && answer.body.contains("another body"), "\(answer)")
        }
        let elsewhere = try await post(event("visit", "{}"), to: .event)
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
        _ body: Data, to endpoint: Endpoint, key: String? = "0b6f8c52-91d3-4e7a-8a40-5f3d2c1b0a99",
        type: String = "application/json", credentials: String? = "Bearer \(token)"
    ) async throws -> (status: Int, body: String) {
        var request = URLRequest(url: try #require(URL(string: receiver.address + endpoint.rawValue)))
        request.httpMethod = "POST"
        request.httpBody = body
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
        request.setValue(credentials, forHTTPHeaderField: "Authorization")
        let (data, response) = try await URLSession.shared.data(for: request)
        return (try #require(response as? HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))
    }
}

/// Members of a record beside user and date, and types and payloads of events.
private enum Wanted {
    static let records = [
        #""sleepDurationMin":420,"wakeAt":"2025-01-15T07:30:00Z","snsMinutesTotal":180,"steps":8500,"sedentaryMinutes":300"#,
        #""sleepDurationMin":1440"#, #""sleepDurationMin":20,"wakeAt":"2025-01-15T00:00:00Z""#,
        #""sleepDurationMin":20,"wakeAt":"2025-01-15T23:59:59Z""#, #""steps":0"#, #""steps":150000"#,
        #""snsMinutesTotal":0"#, #""snsMinutesTotal":1440"#, #""sedentaryMinutes":0"#, #""sedentaryMinutes":1440"#,
    ]
    static let events: [(String, String)] = [
        ("sedentary_long", #"{"stationaryMinutes":5}"#), ("sedentary_long", #"{"stationaryMinutes":1440}"#),
        ("sns_threshold_exceeded", #"{"thresholdMinutes":25}"#),
        ("sns_threshold_exceeded", #"{"thresholdMinutes":60}"#),
        ("geofence_entered", "{}"), ("geofence_exited", #"{"place":"home"}"#),
        ("visit", #"{"place":"ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ"}"#),
    ]
}

/// Requests that the contract forbids, with the reason that is given.
private enum Unwanted {
    static let records: [(String, String)] = [
        (#""steps":1,"heartRate":60"#, "unknown key heartRate"), (#""steps":1,"rawPulses":9"#, "unknown key rawPulses"),
        (#""steps":null"#, "steps must be a whole number"),
        (#""sleepDurationMin":420,"wakeAt":null"#, "wakeAt must be"),
        (#""steps":"1""#, "steps must be"), (#""steps":1.5"#, "steps must be"), (#""steps":true"#, "steps must be"),
        (#""steps":[1]"#, "steps must be"), (#""steps":-1"#, "from 0 to 150000"),
        (#""steps":150001"#, "from 0 to 150000"),
        (#""steps":1e300"#, "steps must be"), (#""sedentaryMinutes":1441"#, "from 0 to 1440"),
        (#""snsMinutesTotal":1441"#, "from 0 to 1440"), (#""sleepDurationMin":0"#, "from 1 to 1440"),
        (#""sleepDurationMin":1441"#, "from 1 to 1440"),
        (#""wakeAt":"2025-01-15T07:30:00Z""#, "without sleepDurationMin"),
        (#""sleepDurationMin":420,"wakeAt":"2025-01-14T23:59:59Z""#, "on the date of the record, 2025-01-15"),
        (#""sleepDurationMin":420,"wakeAt":"2025-01-16T00:00:00Z""#, "on the date of the record, 2025-01-15"),
        (#""sleepDurationMin":420,"wakeAt":"2025-01-15T07:30:00+00:00""#, "wakeAt must be a time"),
        (#""sleepDurationMin":420,"wakeAt":1736926200"#, "wakeAt must be a time"),
    ]
    static let events: [(String, String, String)] = [
        ("fall", "{}", "eventType must be one of"), ("sedentary_long", "{}", "eventPayload lacks stationaryMinutes"),
        ("sedentary_long", #"{"stationaryMinutes":4}"#, "from 5 to 1440"),
        ("sedentary_long", #"{"stationaryMinutes":1441}"#, "from 5 to 1440"),
        ("sedentary_long", #"{"stationaryMinutes":90,"place":"home"}"#, "unknown key place"),
        ("sns_threshold_exceeded", #"{"thresholdMinutes":31}"#, "one of 25, 30, 60"),
        ("sns_threshold_exceeded", #"{"thresholdMinutes":30,"app":"x"}"#, "unknown key app"),
        ("visit", #"{"place":""}"#, "1 to 32 characters"), ("visit", #"{"place":null}"#, "1 to 32 characters"),
        ("visit", #"{"place":"123456789012345678901234567890123"}"#, "1 to 32 characters"),
        ("visit", #"{"latitude":52.5}"#, "unknown key latitude"), ("visit", "[]", "eventPayload must be an object"),
        ("visit", "null", "eventPayload must be an object"),
    ]
    static let bodies: [(String, String)] = [
        ("", "not JSON"), ("{", "not JSON"), ("steps=1", "not JSON"), ("[]", "not an object"),
        ("null", "not an object"),
        ("\u{FEFF}{}", "not JSON"), (#"{"steps":1,}"#, "not JSON"), (#"{"steps":[1 , ]}"#, "not JSON"),
        (#"{"steps":1,"steps":2}"#, "a name twice"), (#"{"steps":{"a":1,"\u0061":2}}"#, "a name twice"),
        (#"{"a:\":":1}"#, "lacks"), (String(repeating: "[", count: 9), "nested deeper"),
        ("{}", "lacks"), (#"{"userId":"2d1a8f5e-8a1b-4f54-9c32-0123456789ab","date":"2025-01-15"}"#, "the"),
    ]
    static let users = [
        #""2D1A8F5E-8A1B-4F54-9C32-0123456789AB""#, #""2d1a8f5e8a1b4f549c320123456789ab""#, #""me""#, #""""#, "1",
        "null",
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
    static let keys: [String?] = [
        nil, "", "1", "0B6F8C52-91D3-4E7A-8A40-5F3D2C1B0A99", "0b6f8c52-91d3-1e7a-8a40-5f3d2c1b0a99",
        "0b6f8c52-91d3-4e7a-ca40-5f3d2c1b0a99", "0b6f8c52-91d3-4e7a-8a40-5f3d2c1b0a9",
        "\"0b6f8c52-91d3-4e7a-8a40-5f3d2c1b0a99\"",
    ]
    static let types = ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "application"]
    static let credentials: [String?] = [
        nil, "Bearer", "Bearer ", "Bearer another", "bearer a-token", "Basic YTpi", "a-token",
    ]
}
