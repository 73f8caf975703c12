import Foundation

/// The two endpoints to post to, and the requests that each accepts (docs/openapi.yaml). Written from the contract alone,
/// apart from the code that sends, so that a mistake there does not repeat itself here.
enum Endpoint: String, CaseIterable, Sendable {
    case dailyMetrics = "/mobile/daily_metrics"
    case nudge = "/nudge/trigger"

    /// The request does not have the required form; the text says where.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns for a body that has exactly the right keys, types and ranges, and throws a `Refusal` for any other.
    func check(_ body: Data) throws {
        // The decoder takes UTF-16 and UTF-32 as well, in which every brace has a zero.
        guard !body.contains(0), String(data: body, encoding: .utf8) != nil,
            let json = try? JSONDecoder().decode(JSON.self, from: body)
        else { throw Refusal(description: "the body is not JSON in UTF-8") }
        let fields = try Fields(json, name: "the body")
        switch self {
        case .dailyMetrics: try Endpoint.checkDailyMetrics(fields)
        case .nudge: try Endpoint.checkNudge(fields)
        }
    }

    private static func checkDailyMetrics(_ fields: Fields) throws {
        let figures: [String: Fields.Rule] = [
            "sleepDurationMin": .integer(1...1440), "wakeAt": .time, "snsMinutesTotal": .integer(0...1440),
            "steps": .integer(0...150_000), "sedentaryMinutes": .integer(0...1440),
        ]
        try fields.check(required: ["userId": .uuid, "date": .date], optional: figures)
        guard !figures.keys.allSatisfy({ fields.values[$0] == nil }) else {
            throw Refusal(description: "the record has no figure")
        }
        guard case .string(let date)? = fields.values["date"], case .string(let wakeAt)? = fields.values["wakeAt"]
        else { return }
        guard fields.values["sleepDurationMin"] != nil else {
            throw Refusal(description: "wakeAt is there without sleepDurationMin")
        }
        guard wakeAt.hasPrefix("\(date)T") else {
            throw Refusal(description: "wakeAt must be on the date of the record, \(date)")
        }
    }

    private static func checkNudge(_ fields: Fields) throws {
        // A place may have a name of the wearer's.
        let place: Payload = (required: [:], optional: ["place": .text(upTo: 32)])
        let payloads: [String: Payload] = [
            "sedentary_long": (["stationaryMinutes": .integer(5...1440)], [:]),
            "sns_threshold_exceeded": (["thresholdMinutes": .oneOfNumbers([25, 30, 60])], [:]),
            "geofence_entered": place, "geofence_exited": place, "visit": place,
        ]
        try fields.check(required: [
            "eventType": .oneOf(Set(payloads.keys)), "eventPayload": .object, "timestamp": .time,
        ])
        guard case .string(let type)? = fields.values["eventType"], let payload = fields.values["eventPayload"],
            let rules = payloads[type]
        else { return }
        try Fields(payload, name: "eventPayload").check(required: rules.required, optional: rules.optional)
    }

    private typealias Payload = (required: [String: Fields.Rule], optional: [String: Fields.Rule])
}

/// The members of a JSON object under inspection.
private struct Fields {
    enum Rule {
        case uuid
        case date
        case time
        case object
        case integer(ClosedRange<Int64>)
        case oneOf(Set<String>)
        case oneOfNumbers([Int64])
        case text(upTo: Int)
    }

    let name: String
    let values: [String: JSON]

    init(_ json: JSON, name: String) throws {
        guard case .object(let values) = json else { throw Endpoint.Refusal(description: "\(name) is not an object") }
        self.name = name
        self.values = values
    }

    func check(required: [String: Rule], optional: [String: Rule] = [:]) throws {
        for key in required.keys.sorted() where values[key] == nil {
            throw Endpoint.Refusal(description: "\(name) lacks \(key)")
        }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let rule = required[key] ?? optional[key] else {
                throw Endpoint.Refusal(description: "\(name) has the unknown key \(key)")
            }
            guard rule.accepts(value) else {
                throw Endpoint.Refusal(description: "\(key) must be \(rule.description)")
            }
        }
    }
}

extension Fields.Rule: CustomStringConvertible {
    var description: String {
        switch self {
        case .uuid: "a UUID in lower case"
        case .date: "a date YYYY-MM-DD"
        case .time: "a time YYYY-MM-DDTHH:MM:SSZ"
        case .object: "an object"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .text(let most): "a text of 1 to \(most) characters"
        case .oneOf(let names): "one of \(names.sorted().joined(separator: ", "))"
        case .oneOfNumbers(let numbers): "one of \(numbers.map(String.init).joined(separator: ", "))"
        }
    }

    /// Dates are parsed and printed again: only the one canonical spelling survives the round trip.
    func accepts(_ value: JSON) -> Bool {
        switch (self, value) {
        case (.uuid, .string(let text)): UUID(uuidString: text)?.uuidString.lowercased() == text
        case (.date, .string(let text)): roundTrips(text, .iso8601.year().month().day())
        case (.time, .string(let text)): roundTrips(text, .iso8601)
        case (.object, .object): true
        case (.integer(let range), .integer(let number)): range.contains(number)
        case (.text(let most), .string(let text)): (1...most).contains(text.unicodeScalars.count)
        case (.oneOf(let names), .string(let text)): names.contains(text)
        case (.oneOfNumbers(let numbers), .integer(let number)): numbers.contains(number)
        default: false
        }
    }

    private func roundTrips(_ text: String, _ style: Date.ISO8601FormatStyle) -> Bool {
        (try? Date(text, strategy: style))?.formatted(style) == text
    }
}
