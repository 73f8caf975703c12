import Domains
import System
import Core

/// A value in a command's output: as JSON for programs, by its description for people.
public protocol JSONValue: CustomStringConvertible {
    /// The value as JSON text (RFC 8259): the description as a string, unless the type has a form of its own.
    var json: String { get }
}

extension JSONValue {
    public var json: String { JSONObject.quoted(description) }
}

extension JSONValue where Self: FixedWidthInteger {
    public var json: String { description }
}

extension Int: JSONValue {}
extension Int32: JSONValue {}
extension Int64: JSONValue {}
extension UInt8: JSONValue {}
extension UInt32: JSONValue {}
extension String: JSONValue {}
extension WallTime: JSONValue {}
extension UTCDay: JSONValue {}
extension Domain: JSONValue {}
extension Permission: JSONValue {}
extension Figure: JSONValue {}
extension EventKind: JSONValue {}

extension Bool: JSONValue {
    public var json: String { description }
}

/// Finite; JSON has no NaN or infinity.
extension Double: JSONValue {
    public var json: String { description }
}

extension JSONObject: JSONValue {
    public var json: String { description }
}

extension Array: JSONValue where Element: JSONValue {
    public var json: String { "[\(map(\.json).joined(separator: ","))]" }
}

extension JSONObject {
    /// Members without a value are left out.
    public init(_ members: (key: String, value: (any JSONValue)?)...) { self.init(members) }

    /// Members without a value are left out.
    public init(_ members: [(key: String, value: (any JSONValue)?)]) {
        self.init()
        for case (let key, let value?) in members { put(key, json: value.json) }
    }
}

extension [JSONObject] {
    /// A JSON array with one object on each line.
    public var listing: String { isEmpty ? "[]" : "[\n" + map(\.description).joined(separator: ",\n") + "\n]" }
}
