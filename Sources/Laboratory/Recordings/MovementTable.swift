import Core

/// The movement of a night by epoch: a table with the columns `t_s` and `count`, plain or gzip.
///
/// Columns are found by their names, in any order; others are ignored. Holds the whole table in memory.
public struct MovementTable: Sendable {
    /// A row of the table.
    public struct Row: Equatable, Sendable {
        /// The start of the epoch, on the table's own clock.
        public let time: Interval
        /// The amount of movement in it, in any unit; 0 for none.
        public let count: Float
    }

    /// The longest time between the first and the last row. It is longer than any night, and detects a wrong unit of
    /// time.
    public static let longest = Interval.days(7)
    /// A bound above the time of any clock, even one that counts from 1970: 100 years, in seconds.
    private static let latest = 36_525 * 86_400.0
    /// A bound above any count.
    private static let most = 1e12

    /// In the order of time.
    public private(set) var rows: [Row] = []

    /// Whether the header of the file has the columns of such a table, and the file is not a recording of acceleration.
    /// Also false for an unreadable file.
    public static func isNamed(by path: String) -> Bool {
        guard path != TextLines.standardInput, let lines = try? TextLines(path: path), (try? lines.next()) == true
        else {
            return false
        }
        let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
        let header = withoutMark(lines.line)
        let names = separators.flatMap { fields(of: header, separatedBy: $0) }.map(shown)
        return names.contains("t_s") || names.contains("count") && !names.contains("Time (s)")
    }

    /// Reads the whole table.
    /// - Parameter name: the column of the counts.
    /// - Throws: the fault of its first bad line.
    public init(path: String, count name: String = "count") throws(RecordingError) {
        let lines = try TextLines(path: path)
        guard try lines.next() else { throw .empty(file: path) }
        let columns = TableColumns(header: lines.line, file: path)
        let time = try columns.required("t_s")
        let count = try columns.required(name)
        while try lines.next() {
            guard !lines.line.isEmpty else { continue }
            do throws(RowFault) {
                let fields = try columns.row(lines.line)
                let amount = try number(fields[count], column: name, within: 0...Self.most)
                try add(Row(time: try Self.time(fields[time]), count: Float(amount)), shownTime: shown(fields[time]))
            } catch {
                throw .brokenRow(file: path, line: lines.number, error)
            }
        }
        if rows.isEmpty { throw .empty(file: path) }
    }

    private mutating func add(_ row: Row, shownTime: String) throws(RowFault) {
        if let last = rows.last, row.time < last.time { throw .timeGoesBackwards }
        if let first = rows.first, row.time - first.time > Self.longest {
            throw .outOfRange(column: "t_s", text: "\(shownTime) s, over 7 days after the first row")
        }
        rows.append(row)
    }

    private static func time(_ field: Bytes) throws(RowFault) -> Interval {
        let seconds = try number(field, column: "t_s", within: -latest...latest)
        return Interval(nanoseconds: Int64((seconds * 1e9).rounded()))
    }
}
