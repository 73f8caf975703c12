import Core

/// One true step of a recording: a switch in the shoe closed.
public struct FootStep: Equatable, Sendable {
    /// On the clock of its recording.
    public let time: Interval
    /// The shoe: 1 or 2, which files also call L and R.
    public let foot: Int

    /// Reads a whole file of the form `t_ms,foot`, plain or gzip, in the order of the file.
    public static func read(path: String) throws(RecordingError) -> [FootStep] {
        let lines = try TextLines(path: path)
        guard try lines.next() else { throw .empty(file: path) }
        guard lines.line.elementsEqual("t_ms,foot".utf8) else {
            throw .unknownHeader(file: path, header: String(decoding: lines.line.prefix(120), as: UTF8.self))
        }
        var steps: [FootStep] = []
        while try lines.next() {
            if !lines.line.isEmpty { steps.append(try step(lines)) }
        }
        return steps
    }

    private static let feet = ["1": 1, "2": 2, "L": 1, "R": 2]

    private static func step(_ lines: TextLines) throws(RecordingError) -> FootStep {
        let row = fields(of: lines.line, separatedBy: UInt8(ascii: ","))
        guard row.count == 2 else { throw broken(lines, .columnCount(found: row.count, expected: 2)) }
        guard let time = Int64(String(decoding: row[0], as: UTF8.self)), (0..<1 << 40).contains(time) else {
            throw broken(lines, .notANumber(column: "t_ms", text: String(decoding: row[0], as: UTF8.self)))
        }
        guard let foot = feet[String(decoding: row[1], as: UTF8.self)] else {
            throw broken(lines, .outOfRange(column: "foot", text: String(decoding: row[1], as: UTF8.self)))
        }
        return FootStep(time: .milliseconds(time), foot: foot)
    }

    private static func broken(_ lines: TextLines, _ fault: RowFault) -> RecordingError {
        .brokenRow(file: lines.path, line: lines.number, fault)
    }
}
