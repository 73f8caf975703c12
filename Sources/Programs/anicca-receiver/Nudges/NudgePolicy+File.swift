import Foundation

extension NudgePolicy {
    /// - Throws: `Stop` with the place of what is wrong.
    init(_ file: Data) throws {
        let outline = JSONOutline(Array(file))
        guard let json = JSON(file) else { throw Stop(.badInput, "the policy is not JSON: \(Self.fault(in: file))") }
        guard !outline.isLoose, json.members == outline.members else {
            throw Stop(.badInput, "the policy has a name twice in an object, or a value that is not JSON")
        }
        do {
            try self.init(Fields(json, name: "the policy"))
        } catch let refusal as Endpoint.Refusal {
            throw Stop(.badInput, "the policy: \(refusal.description)")
        }
    }

    /// What `JSONDecoder` does not say on Linux: where it is wrong.
    private static func fault(in file: Data) -> String {
        do {
            _ = try JSONSerialization.jsonObject(with: file)
            return "a value is of no known kind"
        } catch {
            let text = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String ?? "\(error)"
            let place = text.split { !$0.isNumber }.last.flatMap { Int($0) }
            let line = place.map { 1 + file.prefix($0).count { $0 == UInt8(ascii: "\n") } }
            return text + (line.map { " That is line \($0)." } ?? "")
        }
    }

    private init(_ fields: Fields) throws {
        try fields.check(
            required: ["language": .text(upTo: 16), "timeZone": .text(upTo: 64), "rules": .list],
            optional: ["quietHours": .object])
        guard let zone = fields.text("timeZone").flatMap(TimeZone.init(identifier:)) else {
            throw Endpoint.Refusal(
                description: "timeZone must be a name of the IANA database, such as Europe/Berlin")
        }
        let language = fields.text("language") ?? ""
        let rules = try fields.list("rules").enumerated().map { index, rule in
            var name = "rule \(index + 1)"
            if case .object(let members) = rule, let own = members["name"]?.text { name += " (\(own))" }
            return try Rule(Fields(rule, name: name), language: language)
        }
        guard Set(rules.map(\.name)).count == rules.count else {
            throw Endpoint.Refusal(description: "two rules have the same name")
        }
        self.init(
            language: language, timeZone: zone,
            quietHours: try fields.values["quietHours"].map { try QuietHours(Fields($0, name: "quietHours")) },
            rules: rules)
    }
}

extension NudgePolicy.QuietHours {
    fileprivate init(_ fields: Fields) throws {
        try fields.check(required: ["from": .text(upTo: 5), "until": .text(upTo: 5)])
        let minutes = try ["from", "until"].map { key in
            let parts = (fields.text(key) ?? "").split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ $0.count == 2 }), let hour = UInt8(parts[0]),
                let minute = UInt8(parts[1]), hour < 24, minute < 60
            else { throw Endpoint.Refusal(description: "quietHours: \(key) must be a time of day such as 22:00") }
            return Int(hour) * 60 + Int(minute)
        }
        self.init(from: minutes[0], until: minutes[1])
    }
}

extension NudgePolicy.Rule {
    fileprivate init(_ fields: Fields, language: String) throws {
        do {
            try fields.check(
                required: [
                    "name": .text(upTo: 32), "event": .oneOf(Event.types), "strength": .oneOf(["light", "strong"]),
                    "text": .object, "mostADay": .integer(1...100),
                ], optional: ["threshold": .integer(5...1440), "participants": .list])
        } catch {
            let isNamed = error.description.hasPrefix(fields.name)
            throw Endpoint.Refusal(description: (isNamed ? "" : "\(fields.name): ") + error.description)
        }
        let texts = try Fields(fields.values["text"] ?? .null, name: "\(fields.name): text")
        guard texts.values.allSatisfy({ _, text in text.text.map(Self.isMessage) ?? false }) else {
            throw Endpoint.Refusal(
                description: "\(texts.name): a text must have 1 to 200 characters, and no control characters")
        }
        guard texts.values[language] != nil else {
            throw Endpoint.Refusal(description: "\(texts.name) lacks the language of the policy, \(language)")
        }
        let names = fields.values["participants"].map { _ in fields.list("participants").map(\.text) }
        guard names?.allSatisfy({ $0.map(Self.isNameOrBeginning) ?? false }) ?? true else {
            throw Endpoint.Refusal(
                description: "\(fields.name): participants must be names, with * for the rest of a name")
        }
        self.init(
            name: fields.text("name") ?? "", event: fields.text("event") ?? "", threshold: fields.integer("threshold"),
            strength: fields.text("strength") ?? "", texts: texts.values.compactMapValues(\.text),
            mostADay: Int(fields.integer("mostADay") ?? 1), participants: names?.compactMap(\.self))
    }

    private static func isNameOrBeginning(_ text: String) -> Bool {
        Enroll.isName(text) && !text.dropLast().contains("*")
    }

    /// Whether a device shows all of it (docs/server.md, "Nudges").
    private static func isMessage(_ text: String) -> Bool {
        (1...200).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { scalar in
                ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            }
    }
}
