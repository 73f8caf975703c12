import Core

/// A receiver's track: a table with the columns `t_s`, `lat` and `lon`, plain or gzip. Holds the whole table in memory.
public struct TrackTable: Sendable {
    public struct Row: Equatable, Sendable {
        /// In seconds, on the table's own clock.
        public let time: Double
        /// In degrees.
        public let latitude, longitude: Double

        public init(time: Double, latitude: Double, longitude: Double) {
            self.time = time
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// In the order of time.
    public private(set) var rows: [Row] = []

    /// - Throws: the fault of its first bad line.
    public init(path: String) throws(RecordingError) {
        let lines = try TextLines(path: path)
        guard try lines.next() else { throw .empty(file: path) }
        let columns = TableColumns(header: lines.line, file: path)
        let names = ["t_s", "lat", "lon"]
        let limits = [36_525 * 86_400.0, 90, 180]
        let places = [try columns.required(names[0]), try columns.required(names[1]), try columns.required(names[2])]
        while try lines.next() {
            guard !lines.line.isEmpty else { continue }
            do throws(RowFault) {
                let fields = try columns.row(lines.line)
                var values: [Double] = []
                for (index, place) in places.enumerated() {
                    values.append(
                        try number(fields[place], column: names[index], within: -limits[index]...limits[index]))
                }
                if let last = rows.last, values[0] < last.time { throw .timeGoesBackwards }
                rows.append(Row(time: values[0], latitude: values[1], longitude: values[2]))
            } catch {
                throw .brokenRow(file: path, line: lines.number, error)
            }
        }
        if rows.isEmpty { throw .empty(file: path) }
    }
}

/// The list of tracks in a folder, `index.csv`: the columns `rec` and `stays_s`, from–to in seconds, separated by
/// spaces.
public struct TrackIndex: Sendable {
    public private(set) var tracks: [(name: String, stays: [ClosedRange<Double>])] = []

    public init(path: String) throws(RecordingError) {
        let lines = try TextLines(path: path)
        guard try lines.next() else { throw .empty(file: path) }
        let columns = TableColumns(header: lines.line, file: path)
        let (name, stays) = (try columns.required("rec"), try columns.required("stays_s"))
        while try lines.next() {
            guard !lines.line.isEmpty else { continue }
            do throws(RowFault) {
                let fields = try columns.row(lines.line)
                var spans: [ClosedRange<Double>] = []
                for span in shown(fields[stays]).split(whereSeparator: { " ;|".contains($0) }) {
                    let ends = span.split(separator: "-").compactMap { Double($0) }
                    guard ends.count == 2, ends[0] <= ends[1] else {
                        throw .notANumber(column: "stays_s", text: String(span.prefix(40)))
                    }
                    spans.append(ends[0]...ends[1])
                }
                tracks.append((try plainName(fields[name], column: "rec"), spans))
            } catch {
                throw .brokenRow(file: path, line: lines.number, error)
            }
        }
    }
}
