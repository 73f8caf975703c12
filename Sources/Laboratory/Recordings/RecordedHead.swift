/// The first line of a file of `anicca record`, with the wearer's activity.
///
/// `# anicca recording; label=walking; steps=200; begun=…; sensor=…`. Members may be missing or empty; unknown members
/// are ignored.
struct RecordedHead: Equatable {
    static let mark = Array("# anicca recording".utf8)

    /// Empty if missing.
    var label = ""
    /// Nil if steps were not counted.
    var steps: Int?

    /// Nil for another line.
    ///
    /// - Throws: the fault of its count of steps.
    init?(_ line: Bytes) throws(RowFault) {
        guard line.starts(with: Self.mark) else { return nil }
        for member in line.split(separator: UInt8(ascii: ";")) {
            let text = String(decoding: member, as: UTF8.self)
            let parts = text.split(separator: "=", maxSplits: 1).map { $0.trimmed }
            guard parts.count == 2, !parts[1].isEmpty else { continue }
            switch parts[0] {
            case "label": label = parts[1]
            case "steps":
                guard let count = Int(parts[1]) else {
                    throw .notANumber(column: "steps", text: String(parts[1].prefix(40)))
                }
                guard (0...1_000_000).contains(count) else {
                    throw .outOfRange(column: "steps", text: String(parts[1].prefix(40)))
                }
                steps = count
            default: continue
            }
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
