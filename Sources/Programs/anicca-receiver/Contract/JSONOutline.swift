/// A check of the bytes of a JSON text before it is decoded. The decoder accepts more than JSON (a comma before a
/// closing bracket, a byte order mark), keeps one of two members with the same name, and needs seconds for four
/// kilobytes of nested brackets.
struct JSONOutline {
    /// The greatest nesting of brackets; requests have at most two levels.
    private(set) var depth = 0
    /// The number of members of all objects, including duplicates.
    private(set) var members = 0
    /// Whether a list or an object ends with a comma, or the text begins with a byte order mark.
    private(set) var isLoose = false

    init(_ text: [UInt8]) {
        isLoose = text.starts(with: [0xEF, 0xBB, 0xBF])
        var open = 0
        var isInString = false
        var isEscaped = false
        var latest: UInt8 = 0
        for byte in text {
            if isInString {
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): open += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                open -= 1
                isLoose = isLoose || latest == UInt8(ascii: ",")
            case UInt8(ascii: ":"): members += 1
            default: break
            }
            depth = max(depth, open)
            latest = byte
        }
    }
}

extension JSON {
    /// The number of members of all objects in it.
    var members: Int {
        switch self {
        case .object(let members): members.values.reduce(members.count) { $0 + $1.members }
        case .array(let elements): elements.reduce(0) { $0 + $1.members }
        default: 0
        }
    }
}
