/// Writes one JSON object (RFC 8259), with its members in the order of the calls.
public struct JSONObject: Hashable, Sendable, CustomStringConvertible {
    private var members = ""

    public init() {}

    /// The object as compact JSON text.
    public var description: String { "{\(members)}" }
    public var utf8: [UInt8] { Array(description.utf8) }

    public mutating func put(_ key: String, _ value: some FixedWidthInteger) { put(key, json: String(value)) }
    /// - Parameter value: finite; JSON has no NaN or infinity.
    public mutating func put(_ key: String, _ value: Double) { put(key, json: "\(value)") }
    public mutating func put(_ key: String, _ value: Bool) { put(key, json: value ? "true" : "false") }
    public mutating func put(_ key: String, _ value: String) { put(key, json: Self.quoted(value)) }
    public mutating func put(_ key: String, _ value: JSONObject) { put(key, json: value.description) }
    public mutating func put(_ key: String, _ values: [String]) {
        put(key, json: "[\(values.map(Self.quoted).joined(separator: ","))]")
    }
    public mutating func put(_ key: String, _ values: [JSONObject]) {
        put(key, json: "[\(values.map(\.description).joined(separator: ","))]")
    }

    /// - Parameter json: JSON text.
    public mutating func put(_ key: String, json: String) {
        if !members.isEmpty { members += "," }
        members += "\(Self.quoted(key)):\(json)"
    }

    /// The text as a JSON string: quotation mark and reverse solidus escaped (RFC 8259 §7), and every control
    /// character, because a terminal would obey it.
    public static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }
        if isPlain { return "\"\(text)\"" }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\0"..<" ", "\u{7F}"..."\u{9F}":
                result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
