/// The model for judging each recording: a table with the columns `recording` and `model`. The training writes one for
/// every way to leave out data sets or people.
///
/// Columns are found by their names, in any order; others are ignored. Models are the plain names of files in the
/// folder of the table.
public struct ModelTable: Sendable {
    public let path: String
    /// The names of the models, by recording.
    public private(set) var models: [String: String] = [:]

    /// Reads the whole table.
    /// - Throws: the fault of its first bad line, because an incomplete table would select the wrong model.
    public init(path: String) throws(RecordingError) {
        self.path = path
        let lines = try TextLines(path: path)
        guard try lines.next() else { throw .empty(file: path) }
        let columns = TableColumns(header: lines.line, file: path)
        let recording = try columns.required("recording")
        let model = try columns.required("model")
        var seen: [String: Int] = [:]
        while try lines.next() {
            guard !lines.line.isEmpty else { continue }
            do throws(RowFault) {
                let row = try columns.row(lines.line)
                let name = try plainName(row[recording], column: "recording")
                if let first = seen.updateValue(lines.number, forKey: name) { throw .repeated(line: first) }
                models[name] = try plainName(row[model], column: "model")
            } catch {
                throw .brokenRow(file: path, line: lines.number, error)
            }
        }
    }

    /// The folder of the models.
    public var folder: String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
