import Foundation
import Testing

/// One of `docs/schemas`, of the keywords that those use. One that it does not know is a fault, so that none is passed over.
struct JSONSchema {
    private let root: [String: Any]

    init(_ name: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/schemas/\(name).schema.json")
        root = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    }

    /// What is wrong with the value, each with its place. A member that the schema does not name is wrong too.
    func faults(of value: Any) -> [String] { faults(of: value, as: root, at: "$") }

    private static let known: Set<String> = [
        "$schema", "title", "description", "type", "properties", "required", "additionalProperties", "items", "enum",
        "const", "minimum", "maximum", "pattern", "format",
    ]

    private func faults(of value: Any, as schema: [String: Any], at place: String) -> [String] {
        var faults = schema.keys.filter { !Self.known.contains($0) }.map { "\(place): the schema has \($0)" }
        let types = (schema["type"] as? [String]) ?? (schema["type"] as? String).map { [$0] } ?? []
        if !types.isEmpty, !types.contains(where: { Self.isA($0, value) }) {
            return faults + ["\(place): \(value) is no \(types)"]
        }
        for allowed in [schema["enum"] as? [NSObject], (schema["const"] as? NSObject).map { [$0] }] {
            if let allowed, !allowed.contains(where: { $0.isEqual(value) }) { faults.append("\(place): \(value)") }
        }
        if let number = value as? Double {
            if let least = schema["minimum"] as? Double, number < least { faults.append("\(place): \(number)") }
            if let most = schema["maximum"] as? Double, number > most { faults.append("\(place): \(number)") }
        }
        if let text = value as? String { faults += self.faults(of: text, as: schema, at: place) }
        if let object = value as? [String: Any] { faults += self.faults(of: object, as: schema, at: place) }
        if let list = value as? [Any], let items = schema["items"] as? [String: Any] {
            faults += list.enumerated().flatMap { self.faults(of: $0.element, as: items, at: "\(place)[\($0.offset)]") }
        }
        return faults
    }

    private func faults(of object: [String: Any], as schema: [String: Any], at place: String) -> [String] {
        let required = schema["required"] as? [String] ?? []
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        let others = schema["additionalProperties"] as? [String: Any]
        return required.filter { object[$0] == nil }.map { "\(place): no \($0)" }
            + object.flatMap { name, value in
                guard let schema = properties[name] ?? others else { return ["\(place).\(name): not in the schema"] }
                return faults(of: value, as: schema, at: "\(place).\(name)")
            }
    }

    private static let formats = [
        "date-time": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,}Z$", "date": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
        "uuid": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
    ]

    private func faults(of text: String, as schema: [String: Any], at place: String) -> [String] {
        let format = schema["format"] as? String
        let patterns = [schema["pattern"] as? String, format.map { Self.formats[$0] ?? "an unknown format" }]
        return patterns.compactMap { $0 }.filter { text.range(of: $0, options: .regularExpression) == nil }
            .map { "\(place): \(text) is not like \($0)" }
    }

    private static func isA(_ type: String, _ value: Any) -> Bool {
        // JSONSerialization has a number for true and false too.
        let isBoolean = (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? (value is Bool)
        return switch type {
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "string": value is String
        case "boolean": isBoolean
        case "integer": !isBoolean && value is Int
        case "number": !isBoolean && value is Double
        default: false
        }
    }
}
