/// Comma-separated values (RFC 4180): the first line has the names, and lines end with CR LF.
struct CSV {
    private var rows: [[String]]

    init(header: [String]) { rows = [header] }

    mutating func add(_ row: [String]) { rows.append(row) }

    /// Each line with its CR; the writer adds the LF.
    var lines: [String] { rows.map { $0.map(quoted).joined(separator: ",") + "\r" } }

    private func quoted(_ field: String) -> String {
        // Swift treats CR LF as one character, so both are searched as bytes.
        let isPlain = field.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: "\""), 13, 10: false
            default: true
            }
        }
        guard !isPlain else { return field }
        return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
