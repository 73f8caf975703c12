/// The strings and numbers among the members of a JSON object (RFC 8259), the first of each name. Others are checked and skipped.
///
/// The text is untrusted: nesting is bounded, and any deviation makes all of it unreadable.
struct JSONMembers {
    private var strings: [(name: String, text: String)] = []
    private var numbers: [(name: String, value: Double)] = []
    private var rest: ArraySlice<UInt8>

    private static let deepest = 32

    /// Nil for a text that is no object.
    init?(_ text: [UInt8]) {
        rest = text[...]
        skipSpace()
        guard take("{"), members(depth: 1, areKept: true) else { return nil }
        skipSpace()
        guard rest.isEmpty else { return nil }
    }

    func string(_ name: String) -> String? { strings.first { $0.name == name }?.text }
    func number(_ name: String) -> Double? { numbers.first { $0.name == name }?.value }

    /// After the opening brace, up to the closing one.
    private mutating func members(depth: Int, areKept: Bool) -> Bool {
        if take("}") { return true }
        repeat {
            guard take("\""), let name = restOfString(), take(":") else { return false }
            skipSpace()
            switch rest.first {
            case UInt8(ascii: "\""):
                rest = rest.dropFirst()
                guard let text = restOfString() else { return false }
                if areKept { strings.append((name, text)) }
            case let sign? where Self.beginsNumber(sign):
                guard let value = number() else { return false }
                if areKept { numbers.append((name, value)) }
            default:
                guard skipValue(depth: depth) else { return false }
            }
        } while take(",")
        return take("}")
    }

    private mutating func skipValue(depth: Int) -> Bool {
        guard depth < Self.deepest else { return false }
        skipSpace()
        switch rest.first {
        case UInt8(ascii: "\""):
            rest = rest.dropFirst()
            return restOfString() != nil
        case UInt8(ascii: "{"):
            rest = rest.dropFirst()
            return members(depth: depth + 1, areKept: false)
        case UInt8(ascii: "["):
            rest = rest.dropFirst()
            if take("]") { return true }
            repeat {
                guard skipValue(depth: depth + 1) else { return false }
            } while take(",")
            return take("]")
        case let sign? where Self.beginsNumber(sign): return number() != nil
        default:
            for word in ["true", "false", "null"] where rest.starts(with: word.utf8) {
                rest = rest.dropFirst(word.utf8.count)
                return true
            }
            return false
        }
    }

    private static func beginsNumber(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte)
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

    /// A finite number: an integer without needless zeros, a fraction, an exponent.
    private mutating func number() -> Double? {
        let digits = { (text: ArraySlice<UInt8>) in text.prefix { (0x30...0x39).contains($0) }.count }
        var end = rest
        if end.first == UInt8(ascii: "-") { end = end.dropFirst() }
        let whole = digits(end)
        guard whole > 0, whole == 1 || end.first != UInt8(ascii: "0") else { return nil }
        end = end.dropFirst(whole)
        if end.first == UInt8(ascii: ".") {
            let count = digits(end.dropFirst())
            guard count > 0 else { return nil }
            end = end.dropFirst(count + 1)
        }
        if end.first == UInt8(ascii: "e") || end.first == UInt8(ascii: "E") {
            end = end.dropFirst()
            if end.first == UInt8(ascii: "+") || end.first == UInt8(ascii: "-") { end = end.dropFirst() }
            let count = digits(end)
            guard count > 0 else { return nil }
            end = end.dropFirst(count)
        }
        let text = String(decoding: rest[rest.startIndex..<end.startIndex], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { return nil }
        rest = end
        return value
    }

    /// The string after an opening quotation mark, up to the closing one. An escape that stands for another character than itself is
    /// kept as it is written: no name or value that is looked for has one.
    private mutating func restOfString() -> String? {
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte >= 0x20 {
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            value.append(byte)
            guard byte == UInt8(ascii: "\\") else { continue }
            guard let escaped = rest.popFirst(), escaped >= 0x20 else { return nil }
            value.append(escaped)
        }
        return nil
    }
}
