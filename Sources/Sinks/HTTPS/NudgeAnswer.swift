import Domains

/// Finds the nudge in a server's answer (SPEC §6): `{"nudge":{"strength":"light"|"strong","message":"…"}}`. Whatever else an answer
/// holds is stepped over, and an answer that is no JSON, or nested deeply, holds none.
struct NudgeAnswer {
    /// The bytes are of a stranger.
    private let bytes: [UInt8]
    private var position = 0

    /// The most bytes of an answer in which a nudge is looked for.
    static let longest = 8 * 1024
    private static let deepest = 16

    private struct Malformed: Error {}

    static func nudge(in bytes: [UInt8]) -> Nudge? {
        guard !bytes.isEmpty, bytes.count <= longest else { return nil }
        var reader = NudgeAnswer(bytes: bytes)
        do throws(Malformed) {
            var found: Nudge?
            try reader.members { (reader, name) throws(Malformed) in
                if name == "nudge", reader.next() == UInt8(ascii: "{") {
                    found = try reader.nudge()
                } else {
                    try reader.skip(1)
                }
            }
            guard reader.next() == nil else { return nil }
            return found
        } catch {
            return nil
        }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func nudge() throws(Malformed) -> Nudge? {
        var (strength, message): (Nudge.Strength?, String?) = (nil, nil)
        try members { (reader, name) throws(Malformed) in
            switch (name, reader.next()) {
            case ("strength", UInt8(ascii: "\"")): strength = Nudge.Strength(try reader.string())
            case ("message", UInt8(ascii: "\"")): message = try reader.string()
            default: try reader.skip(2)
            }
        }
        guard let strength, let message else { return nil }
        return Nudge(strength, message: message)
    }

    // MARK: RFC 8259

    /// The next byte that is no space, which stays; nil at the end.
    private mutating func next() -> UInt8? {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
        return position < bytes.count ? bytes[position] : nil
    }

    private mutating func take(_ character: Unicode.Scalar) throws(Malformed) {
        guard next() == UInt8(ascii: character) else { throw Malformed() }
        position += 1
    }

    /// Hands over each name of an object; the value is the reader's to take.
    private mutating func members(
        _ read: (inout NudgeAnswer, String) throws(Malformed) -> Void
    ) throws(Malformed) {
        try take("{")
        if next() == UInt8(ascii: "}") { return position += 1 }
        while true {
            _ = next()
            let name = try string()
            try take(":")
            try read(&self, name)
            if next() == UInt8(ascii: "}") { return position += 1 }
            try take(",")
        }
    }

    private mutating func skip(_ depth: Int) throws(Malformed) {
        guard depth < Self.deepest else { throw Malformed() }
        switch next() {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "{"): try members { (reader, _) throws(Malformed) in try reader.skip(depth + 1) }
        case UInt8(ascii: "["): try skipList(depth)
        default: try skipWord()
        }
    }

    private mutating func skipList(_ depth: Int) throws(Malformed) {
        try take("[")
        if next() == UInt8(ascii: "]") { return position += 1 }
        while true {
            try skip(depth + 1)
            if next() == UInt8(ascii: "]") { return position += 1 }
            try take(",")
        }
    }

    /// A number, `true`, `false` or `null`, by its characters.
    private mutating func skipWord() throws(Malformed) {
        let start = position
        while position < bytes.count, "+-.0123456789aeflnrstuE".utf8.contains(bytes[position]) { position += 1 }
        guard position > start else { throw Malformed() }
    }

    private mutating func string() throws(Malformed) -> String {
        try take("\"")
        var units: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return String(decoding: units, as: UTF8.self)
            case UInt8(ascii: "\\"): units += Array(String(try escaped()).utf8)
            case 0..<0x20: throw Malformed()
            default: units.append(byte)
            }
        }
        throw Malformed()
    }

    private mutating func escaped() throws(Malformed) -> Unicode.Scalar {
        guard position < bytes.count else { throw Malformed() }
        defer { position += 1 }
        switch bytes[position] {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "u"): return try unicode()
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(bytes[position])
        default: throw Malformed()
        }
    }

    /// Leaves the position at the last digit. A half of a surrogate pair alone becomes the replacement character.
    private mutating func unicode() throws(Malformed) -> Unicode.Scalar {
        let first = try hexadecimal()
        guard (0xD800...0xDBFF).contains(first), bytes[(position + 1)...].starts(with: "\\u".utf8) else {
            return Unicode.Scalar(first) ?? "\u{FFFD}"
        }
        let before = position
        position += 2
        let second = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(second) else {
            position = before
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func hexadecimal() throws(Malformed) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            position += 1
            guard position < bytes.count, let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue,
                bytes[position] < 0x80
            else { throw Malformed() }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
