/// The members of a JSON object under inspection.
struct Fields {
    indirect enum Rule {
        case uuid
        case date
        case time
        case object
        /// A list of anything.
        case list
        case integer(ClosedRange<Int64>)
        case oneOf([String])
        case oneOfNumbers([Int64])
        /// A text of at most this many bytes, without control characters, like a device's configuration accepts.
        case text(upTo: Int)
        /// A list of some of these, without duplicates.
        case someOf([String])
        /// An object with exactly these members.
        case members(KeyValuePairs<String, Rule>)
        /// A list of at most so many objects with these members.
        case objects(upTo: Int, required: KeyValuePairs<String, Rule>, optional: KeyValuePairs<String, Rule>)
    }

    let name: String
    let values: [String: JSON]

    init(_ json: JSON, name: String) throws(Endpoint.Refusal) {
        guard case .object(let values) = json else { throw Endpoint.Refusal(description: "\(name) is not an object") }
        self.name = name
        self.values = values
    }

    /// Throws unless every required member is present, and every present member is listed here and follows its rule. `more`
    /// are further optional members.
    func check(
        required: KeyValuePairs<String, Rule>, optional: KeyValuePairs<String, Rule> = [:],
        more: [(key: String, value: Rule)] = []
    ) throws(Endpoint.Refusal) {
        for (key, _) in required where values[key] == nil {
            throw Endpoint.Refusal(description: "\(name) lacks \(key)")
        }
        var known = 0
        let rules = Array(required) + Array(optional) + more
        for (key, rule) in rules {
            guard let value = values[key] else { continue }
            known += 1
            guard rule.accepts(value) else {
                throw Endpoint.Refusal(description: "\(key) must be \(rule.description)")
            }
        }
        guard known < values.count else { return }
        let names = Set(rules.map(\.key))
        let stranger = values.keys.filter { !names.contains($0) }.min() ?? ""
        throw Endpoint.Refusal(description: "\(name) has the unknown key \(stranger)")
    }

    func integer(_ key: String) -> Int64? { values[key]?.integer }

    func text(_ key: String) -> String? { values[key]?.text }

    func list(_ key: String) -> [JSON] {
        guard case .array(let values)? = values[key] else { return [] }
        return values
    }

    func texts(_ key: String) -> [String] { list(key).compactMap(\.text) }
}

extension Fields.Rule: CustomStringConvertible {
    var description: String {
        switch self {
        case .uuid: "a UUID in lower case"
        case .date: "a date YYYY-MM-DD"
        case .time: "a time YYYY-MM-DDTHH:MM:SSZ"
        case .object: "an object"
        case .list: "a list"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .text(let most): "a text of 1 to \(most) bytes without control characters"
        case .oneOf(let names): "one of \(names.sorted().joined(separator: ", "))"
        case .oneOfNumbers(let numbers): "one of \(numbers.map(String.init).joined(separator: ", "))"
        case .objects(let most, let required, _):
            "a list of at most \(most) objects with \(required.map(\.key).joined(separator: ", "))"
        case .members(let rules): "an object with \(rules.map(\.key).joined(separator: ", "))"
        case .someOf(let names): "a list of some of \(names.sorted().joined(separator: ", ")), each once"
        }
    }

    func accepts(_ value: JSON) -> Bool {
        switch (self, value) {
        case (.uuid, .string(let text)): UUIDText.isUUID(text)
        case (.date, .string(let text)): CivilTime.isDate(text)
        case (.time, .string(let text)): CivilTime.isTime(text)
        case (.object, .object), (.list, .array): true
        case (.integer(let range), .integer(let number)): range.contains(number)
        case (.text(let most), .string(let text)):
            (1...most).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        case (.oneOf(let names), .string(let text)): names.contains(text)
        case (.oneOfNumbers(let numbers), .integer(let number)): numbers.contains(number)
        case (.objects(let most, let required, let optional), .array(let values)):
            values.count <= most
                && values.allSatisfy { Self.fits($0, required: required, optional: optional) }
        case (.members(let rules), .object): Self.fits(value, required: rules)
        case (.someOf(let names), .array(let values)):
            values.allSatisfy { $0.text.map(names.contains) ?? false } && Set(values).count == values.count
        default: false
        }
    }

    private static func fits(
        _ value: JSON, required: KeyValuePairs<String, Fields.Rule>, optional: KeyValuePairs<String, Fields.Rule> = [:]
    ) -> Bool {
        guard let fields = try? Fields(value, name: "an element") else { return false }
        return (try? fields.check(required: required, optional: optional)) != nil
    }
}

/// UUIDs in the contract's form (RFC 9562 §4).
enum UUIDText {
    /// Whether it is a UUID in lower case.
    static func isUUID(_ text: String) -> Bool {
        let digits = Array(text.utf8)
        guard digits.count == 36 else { return false }
        return digits.indices.allSatisfy { index in
            switch index {
            case 8, 13, 18, 23: digits[index] == UInt8(ascii: "-")
            default:
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digits[index])
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digits[index])
            }
        }
    }

    /// Whether it is of version 4, random (RFC 9562 §5.4).
    static func isRandom(_ text: String) -> Bool {
        let digits = Array(text.utf8)
        return isUUID(text) && digits[14] == UInt8(ascii: "4") && "89ab".utf8.contains(digits[19])
    }
}
