import Foundation

/// Any JSON value. Whole numbers are a separate case, so that `"steps":8500.5` can be refused.
enum JSON: Codable, Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// The most frequent kinds are tried first, because each failed attempt costs an error.
    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        // A value that does not decode as one kind may decode as the next; the last attempt throws.
        if value.decodeNil() {
            self = .null
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let object = try? value.decode([String: JSON].self) {
            self = .object(object)
        } else if let array = try? value.decode([JSON].self) {
            self = .array(array)
        } else if let boolean = try? value.decode(Bool.self) {
            self = .boolean(boolean)
        } else {
            self = .number(try value.decode(Double.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .boolean(let boolean): try value.encode(boolean)
        case .integer(let integer): try value.encode(integer)
        case .number(let number): try value.encode(number)
        case .string(let string): try value.encode(string)
        case .array(let array): try value.encode(array)
        case .object(let object): try value.encode(object)
        }
    }

    var integer: Int64? {
        guard case .integer(let integer) = self else { return nil }
        return integer
    }

    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}

extension JSON {
    /// Nil for bytes that are no JSON: each caller has a message of its own for them.
    init?(_ bytes: Data) {
        guard let value = try? JSONDecoder().decode(JSON.self, from: bytes) else { return nil }
        self = value
    }
}
