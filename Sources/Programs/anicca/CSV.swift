/// Comma-separated values (RFC 4180): the first line has the names, and lines end in CR LF.
struct CSV {
    private var rows: [[String]]

    init(header: [String]) { rows = [header] }

    mutating func add(_ row: [String]) { rows.append(row) }

    /// Each line with its CR, and without the LF that whoever writes it adds.
    var lines: [String] { rows.map { $0.map(quoted).joined(separator: ",") + "\r" } }

    private func quoted(_ field: String) -> String {
        // A CR LF is one character, and both can stand alone.
        guard field.utf8.contains(where: { [UInt8(ascii: ","), UInt8(ascii: "\""), 13, 10].contains($0) }) else {
            return field
        }
        return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
