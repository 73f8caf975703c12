/// The members of an untrusted JSON object (RFC 8259): strings, numbers and objects. Other values are checked and
/// skipped.
///
/// Nesting is bounded, and any violation makes the whole text unreadable.
public struct JSONMembers: Sendable {
    public enum Value: Sendable {
        case string(String)
        /// Finite.
        case number(Double)
        case object(JSONMembers)
        /// `true`, `false`, `null` or a list.
        case other
    }

    /// The handling of escapes in a string.
    public enum Escapes: Sendable {
        /// The escape stays as written, so that an escaped name or value never equals an unescaped one.
        case asWritten
        /// The escape is checked and decoded; an unpaired surrogate becomes the replacement character.
        case decoded
    }

    /// In the order of the text. A name may occur several times.
    public let all: [(name: String, value: Value)]

    /// Nil for a text that is not such an object.
    ///
    /// - Parameter deepest: the most levels of objects and lists, including this one.
    public init?(_ text: some Sequence<UInt8>, deepest: Int, escapes: Escapes = .asWritten) {
        var reader = JSONReader(rest: Array(text)[...], deepest: deepest, escapes: escapes)
        // `try?`: all errors mean the same.
        guard let members = try? reader.text() else { return nil }
        self = members
    }

    fileprivate init(all: [(name: String, value: Value)]) { self.all = all }

    /// The first string of this name.
    public func string(_ name: String) -> String? {
        for case (name, .string(let text)) in all { return text }
        return nil
    }

    /// The first number of this name.
    public func number(_ name: String) -> Double? {
        for case (name, .number(let value)) in all { return value }
        return nil
    }
}

/// Reads a text from its start.
private struct JSONReader {
    var rest: ArraySlice<UInt8>
    let deepest: Int
    let escapes: JSONMembers.Escapes

    struct Malformed: Error {}

    mutating func text() throws(Malformed) -> JSONMembers {
        try take("{")
        let members = try members(depth: 1)
        guard next() == nil else { throw Malformed() }
        return members
    }

    /// The next byte other than white space, without consuming it; nil at the end.
    private mutating func next() -> UInt8? {
        // Usually there is none.
        if let first = rest.first, first > 0x20 { return first }
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        return rest.first
    }

    private mutating func takes(_ sign: Unicode.Scalar) -> Bool {
        guard next() == UInt8(ascii: sign) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func take(_ sign: Unicode.Scalar) throws(Malformed) {
        guard takes(sign) else { throw Malformed() }
    }

    /// Reads from after the opening brace to the closing one.
    private mutating func members(depth: Int) throws(Malformed) -> JSONMembers {
        guard depth <= deepest else { throw Malformed() }
        var all: [(name: String, value: JSONMembers.Value)] = []
        if takes("}") { return JSONMembers(all: all) }
        repeat {
            try take("\"")
            let name = try restOfString()
            try take(":")
            all.append((name, try value(depth: depth)))
        } while takes(",")
        try take("}")
        return JSONMembers(all: all)
    }

    private mutating func value(depth: Int) throws(Malformed) -> JSONMembers.Value {
        if takes("\"") { return .string(try restOfString()) }
        if takes("{") { return .object(try members(depth: depth + 1)) }
        if takes("[") {
            try skipList(depth: depth + 1)
            return .other
        }
        guard let first = rest.first, first >= UInt8(ascii: "a") else { return .number(try number()) }
        for word in ["true", "false", "null"] where rest.starts(with: word.utf8) {
            rest = rest.dropFirst(word.utf8.count)
            return .other
        }
        throw Malformed()
    }

    /// Reads from after the opening bracket to the closing one.
    private mutating func skipList(depth: Int) throws(Malformed) {
        guard depth <= deepest else { throw Malformed() }
        if takes("]") { return }
        repeat { _ = try value(depth: depth) } while takes(",")
        try take("]")
    }

    /// An integer without leading zeros, a fraction, an exponent.
    private mutating func number() throws(Malformed) -> Double {
        let text = rest
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        if rest.first == UInt8(ascii: "0") { rest = rest.dropFirst() } else { try skipDigits() }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            try skipDigits()
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
            try skipDigits()
        }
        guard let value = Double(String(decoding: text[..<rest.startIndex], as: UTF8.self)), value.isFinite else {
            throw Malformed()
        }
        return value
    }

    private mutating func skipDigits() throws(Malformed) {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { throw Malformed() }
        rest = rest.dropFirst(digits.count)
    }

    /// Reads from after the opening quotation mark to the closing one.
    private mutating func restOfString() throws(Malformed) -> String {
        // Usually all of it.
        let plain = rest.prefix { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        rest = rest.dropFirst(plain.count)
        if rest.first == UInt8(ascii: "\"") {
            rest = rest.dropFirst()
            return String(decoding: plain, as: UTF8.self)
        }
        var value = Array(plain)
        while let byte = rest.popFirst(), byte >= 0x20 {
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            if byte != UInt8(ascii: "\\") {
                value.append(byte)
            } else if escapes == .decoded {
                value += Array(String(try escaped()).utf8)
            } else {
                guard let escaped = rest.popFirst(), escaped >= 0x20 else { throw Malformed() }
                value += [byte, escaped]
            }
        }
        throw Malformed()
    }

    /// Reads from after a reverse solidus.
    private mutating func escaped() throws(Malformed) -> Unicode.Scalar {
        switch rest.popFirst().map(Unicode.Scalar.init) {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "u": return try unicode()
        case let sign? where sign == "\"" || sign == "\\" || sign == "/": return sign
        default: throw Malformed()
        }
    }

    private mutating func unicode() throws(Malformed) -> Unicode.Scalar {
        let first = try hexadecimal()
        guard (0xD800...0xDBFF).contains(first), rest.starts(with: "\\u".utf8) else {
            return Unicode.Scalar(first) ?? "\u{FFFD}"
        }
        let second = rest
        rest = rest.dropFirst(2)
        let low = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(low) else {
            rest = second
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func hexadecimal() throws(Malformed) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = rest.popFirst(), byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue
            else { throw Malformed() }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
