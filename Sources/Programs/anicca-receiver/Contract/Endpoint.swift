import Foundation

/// The endpoints for posts, and the requests that each accepts (docs/openapi.yaml). Written from the contract alone,
/// independent of the sending code, so that a mistake there is not repeated here.
enum Endpoint: String, CaseIterable, Sendable {
    case dailyMetrics = "/mobile/daily_metrics"
    /// A daily record with a name of its device, and the quarters of an hour of its sums.
    case dailyQuarters = "/mobile/daily_quarters"
    case nudge = "/nudge/trigger"
    case erasure = "/mobile/erasure"

    /// The request does not have the required form; the text says where.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// The members of a body, whichever they are; throws a `Refusal` for what is no JSON object.
    static func fields(of body: [UInt8]) throws(Refusal) -> Fields {
        // The decoder also accepts UTF-16 and UTF-32, in which every brace has a zero byte.
        let outline = JSONOutline(body)
        guard outline.depth <= 8 else { throw Refusal(description: "the body is nested deeper than any request") }
        guard !outline.isLoose, !body.contains(0), String(validating: body, as: UTF8.self) != nil,
            let json = JSON(Data(body))
        else { throw Refusal(description: "the body is not JSON in UTF-8") }
        guard json.members == outline.members else { throw Refusal(description: "the body has a name twice") }
        return try Fields(json, name: "the body")
    }

    /// The content of a body with exactly the right keys, types and ranges; throws a `Refusal` for any other.
    func content(of body: [UInt8]) throws(Refusal) -> Submission.Content {
        let fields = try Self.fields(of: body)
        return switch self {
        case .dailyMetrics: .day(try DailyRecord(fields))
        case .dailyQuarters: .day(try DailyRecord(fields, withQuarters: true))
        case .nudge: .event(try Event(fields))
        case .erasure: .erasure(try Erasure(fields))
        }
    }
}

extension DailyRecord {
    fileprivate init(_ fields: Fields, withQuarters: Bool = false) throws(Endpoint.Refusal) {
        let base: KeyValuePairs<String, Fields.Rule> = ["userId": .uuid, "date": .date]
        let whole: KeyValuePairs<String, Fields.Rule> = [
            "userId": .uuid, "date": .date, "device": .text(upTo: 32), "quarters": .object,
        ]
        try fields.check(
            required: withQuarters ? whole : base, optional: ["coverage": .object],
            more: RecordFigure.all.map { ($0.name, $0.rule) })
        self.init(
            account: fields.text("userId") ?? "", date: fields.text("date") ?? "",
            figures: fields.values.filter { RecordFigure.named($0.key) != nil },
            coverage: try Self.coverage(fields.values["coverage"]), device: fields.text("device"),
            quarters: try Self.quarters(fields.values["quarters"]))
        guard !figures.isEmpty else { throw Endpoint.Refusal(description: "the record has no figure") }
        guard let wakeAt = figures["wakeAt"]?.text else { return }
        guard figures["sleepDurationMin"] != nil else {
            throw Endpoint.Refusal(description: "wakeAt is there without sleepDurationMin")
        }
        guard wakeAt.hasPrefix("\(date)T") else {
            throw Endpoint.Refusal(description: "wakeAt must be on the date of the record, \(date)")
        }
    }
}

extension DailyRecord {
    private static let losses = ["off", "suspended", "noPower", "noTime", "silent", "unknown"]

    private static func coverage(_ json: JSON?) throws(Endpoint.Refusal) -> String? {
        guard let json else { return nil }
        let domains = try Fields(json, name: "coverage").values
        guard (1...63).contains(domains.count), domains.keys.allSatisfy(isDomain) else {
            throw Endpoint.Refusal(description: "coverage must have names of kinds of data")
        }
        for (domain, json) in domains {
            let minutes = try Fields(json, name: "coverage of \(domain)")
            let names = ["observed"] + losses
            let numbers = names.compactMap(minutes.integer)
            guard minutes.integer("observed") != nil, numbers.count == minutes.values.count,
                numbers.allSatisfy({ (0...1440).contains($0) }), numbers.reduce(0, +) <= 1440
            else {
                throw Endpoint.Refusal(
                    description: "coverage of \(domain) must have observed, and minutes of a day by reason")
            }
        }
        return json.stored
    }

    /// For each domain, lists with a number or null for each quarter: `observed`, and figures of the record.
    private static func quarters(_ json: JSON?) throws(Endpoint.Refusal) -> String? {
        guard let json else { return nil }
        let fields = try Fields(json, name: "quarters")
        let kinds = Set(RecordFigure.all.filter(\.isSum).map(\.kind))
        try fields.check(required: [:], more: kinds.map { ($0, .object) })
        for (domain, json) in fields.values {
            let lists = try Fields(json, name: "quarters of \(domain)")
            guard lists.values["observed"] != nil else {
                throw Endpoint.Refusal(description: "quarters of \(domain) lacks observed")
            }
            for name in lists.values.keys.sorted() {
                guard let most = mostOfAQuarter(name, of: domain) else {
                    throw Endpoint.Refusal(description: "quarters of \(domain) has the unknown key \(name)")
                }
                let numbers = lists.list(name)
                guard numbers.count == 96, numbers.allSatisfy({ isNumber($0, upTo: most) }) else {
                    throw Endpoint.Refusal(
                        description: "\(name) in quarters of \(domain) must be 96 numbers from 0 to \(most), or null")
                }
            }
        }
        return json.stored
    }

    /// Nil for what has no quarters.
    private static func mostOfAQuarter(_ name: String, of kind: String) -> Int64? {
        if name == "observed" { return 15 }
        guard let figure = RecordFigure.named(name), figure.isSum, figure.kind == kind else { return nil }
        return 20_000
    }

    private static func isNumber(_ json: JSON, upTo most: Int64) -> Bool {
        json == .null || json.integer.map { (0...most).contains($0) } ?? false
    }

    private static func isDomain(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) }
    }
}

extension Event {
    static let types = ["sedentary_long", "sns_threshold_exceeded", "geofence_entered", "geofence_exited", "visit"]

    init(_ fields: Fields) throws(Endpoint.Refusal) {
        try fields.check(required: ["eventType": .oneOf(Event.types), "eventPayload": .object, "timestamp": .time])
        let type = fields.text("eventType") ?? ""
        let payload = try Fields(fields.values["eventPayload"] ?? .null, name: "eventPayload")
        var threshold: Int64?
        switch type {
        case "sedentary_long":
            try payload.check(required: ["stationaryMinutes": .integer(5...1440)])
            threshold = payload.integer("stationaryMinutes")
        case "sns_threshold_exceeded":
            try payload.check(required: ["thresholdMinutes": .oneOfNumbers([25, 30, 60])])
            threshold = payload.integer("thresholdMinutes")
        default:
            // A place may have a name chosen by the wearer.
            try payload.check(required: [:], optional: ["place": .text(upTo: 32)])
        }
        self.init(
            type: type, timestamp: fields.text("timestamp") ?? "", threshold: threshold, place: payload.text("place"))
    }
}

extension Erasure {
    fileprivate init(_ fields: Fields) throws(Endpoint.Refusal) {
        try fields.check(required: [
            "userId": .uuid, "until": .time, "figures": .someOf(RecordFigure.all.map(\.name)),
            "events": .someOf(Event.types),
        ])
        self.init(
            account: fields.text("userId") ?? "", until: min(fields.text("until") ?? "", CivilTime.now),
            figures: fields.texts("figures"), events: fields.texts("events"))
        guard !(figures.isEmpty && events.isEmpty) else {
            throw Endpoint.Refusal(description: "figures and events are both empty")
        }
    }
}
