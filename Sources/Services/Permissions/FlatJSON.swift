/// Looks into a JSON object (RFC 8259) whose members are strings, numbers, `true`, `false` and `null`. The text is
/// untrusted: any deviation, a member that is an object or a list included, makes all of it unreadable.
struct FlatJSON {
    /// The string of the first member called `name`, as it is written, escapes included; nil if there is none or `text`
    /// is no such object.
    static func string(_ name: StaticString, in text: [UInt8]) -> [UInt8]? {
        var reader = FlatJSON(rest: text[...])
        return reader.object(seeking: Array(name.description.utf8)) ?? nil
    }

    private var rest: ArraySlice<UInt8>

    /// Nil for a text that is no object; else the string sought, itself nil if there is none.
    private mutating func object(seeking name: [UInt8]) -> [UInt8]?? {
        var found: [UInt8]?
        guard take("{") else { return nil }
        if !take("}") {
            repeat {
                guard take("\""), let key = restOfString(), take(":") else { return nil }
                if take("\"") {
                    guard let value = restOfString() else { return nil }
                    if found == nil, key == name { found = value }
                } else if !takeLiteral() {
                    return nil
                }
            } while take(",")
            guard take("}") else { return nil }
        }
        skipSpace()
        return rest.isEmpty ? .some(found) : nil
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        skipSpace()
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// The string after an opening quotation mark, up to the closing one.
    private mutating func restOfString() -> [UInt8]? {
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte >= 0x20 {
            if byte == UInt8(ascii: "\"") { return value }
            value.append(byte)
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped)
            }
        }
        return nil
    }

    /// Skips a number or a word, unchecked.
    private mutating func takeLiteral() -> Bool {
        skipSpace()
        let letters = rest.prefix {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
                || $0 == 0x45
        }
        rest = rest.dropFirst(letters.count)
        return !letters.isEmpty
    }
}
