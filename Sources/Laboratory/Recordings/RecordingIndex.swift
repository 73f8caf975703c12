import Glibc

/// The row of `index.csv` for one recording of a folder.
public struct RecordingEntry: Equatable, Sendable {
    /// The line of the index, for messages.
    public let line: Int
    /// A plain file name, without its extension.
    public let name: String
    /// The plain name of the folder of the recording.
    public let dataset: String
    /// The wearer of the sensor; like `position` and `label`, empty if not in the index.
    public let subject: String
    /// The place of the sensor on the body, in the publisher's words.
    public let position: String
    /// The wearer's activity, in the publisher's words.
    public let label: String
    /// The wearer's activity, in the common vocabulary of all data sets (column `class`).
    public let activity: String
    /// The wearer's steps; nil if they were not counted.
    public let trueSteps: Int?
    /// Whether it is in the folder itself, not in a subfolder of its data set.
    var isInFolder = false
}

/// The recordings of a folder, listed in its `index.csv`.
///
/// Columns are found by their names, in any order; columns without a place in `RecordingEntry` are ignored. Only rec,
/// dataset and class are required. Names of files and folders must not lead out of the folder. A folder without an
/// index holds files of `anicca record`: every `.csv` in it is a recording, described by its first line.
public struct RecordingIndex: Sendable {
    public let folder: String
    /// The valid rows, in the order of the file.
    public private(set) var entries: [RecordingEntry] = []
    /// Rows that repeat the recording of an earlier row; they are skipped.
    public private(set) var repeats: [RecordingError] = []
    /// The faults of the other rows.
    public private(set) var faults: [RecordingError] = []

    /// Reads the whole index.
    ///
    /// A broken row is skipped and added to `faults`, as is an error that ends the reading early, such as a line that
    /// is too long.
    /// - Throws: `unreadable` without an index, `empty`, `missingColumn`, `wrongSeparator`, or the fault of its first
    ///   line.
    public init(folder: String) throws(RecordingError) {
        self.folder = folder
        let path = folder + "/index.csv"
        if access(path, F_OK) != 0 {
            readHeads(of: recordedNames(in: folder))
            if !entries.isEmpty || !faults.isEmpty { return }
        }
        let lines = try TextLines(path: path)
        guard try lines.next() else { throw .empty(file: path) }
        let columns = try IndexColumns(header: lines.line, file: path)
        do {
            try read(lines, columns)
        } catch {
            faults.append(error)
        }
    }

    private mutating func readHeads(of names: [String]) {
        let dataset = folder.split(separator: "/").last.map(String.init) ?? folder
        for name in names {
            let path = "\(folder)/\(name).csv"
            do throws(RecordingError) {
                let lines = try TextLines(path: path)
                guard try lines.next() else { throw .empty(file: path) }
                guard let head = try Self.head(of: lines) else { continue }
                entries.append(
                    RecordingEntry(
                        line: 1, name: name, dataset: dataset, subject: "", position: "", label: "",
                        activity: head.label, trueSteps: head.steps, isInFolder: true))
            } catch {
                faults.append(error)
            }
        }
    }

    private static func head(of lines: TextLines) throws(RecordingError) -> RecordedHead? {
        do throws(RowFault) {
            return try RecordedHead(lines.line)
        } catch {
            throw .brokenRow(file: lines.path, line: lines.number, error)
        }
    }

    private mutating func read(_ lines: TextLines, _ columns: IndexColumns) throws(RecordingError) {
        var seen: [String: Int] = [:]
        while try lines.next() {
            guard !lines.line.isEmpty else { continue }
            do throws(RowFault) {
                let entry = try columns.entry(lines.line, line: lines.number)
                if let first = seen[entry.path] {
                    repeats.append(.brokenRow(file: lines.path, line: lines.number, .repeated(line: first)))
                    continue
                }
                seen[entry.path] = entry.line
                entries.append(entry)
            } catch {
                faults.append(.brokenRow(file: lines.path, line: lines.number, error))
            }
        }
    }

    /// The path of a recording: `<dataset>/<name>.csv.gz` or `.csv` in the folder.
    /// - Throws: `missingRecording` if neither exists.
    public func path(of entry: RecordingEntry) throws(RecordingError) -> String {
        for ending in [".csv.gz", ".csv"] {
            let path = "\(folder)/\(entry.path)\(ending)"
            if access(path, F_OK) == 0 { return path }
        }
        throw .missingRecording(index: folder + "/index.csv", line: entry.line, recording: entry.path)
    }

    /// The steps with their times, `<dataset>/<name>.steps.csv`; nil without such a file.
    public func footSteps(of entry: RecordingEntry) throws(RecordingError) -> [FootStep]? {
        let path = "\(folder)/\(entry.path).steps.csv"
        return access(path, F_OK) == 0 ? try FootStep.read(path: path) : nil
    }
}

extension RecordingEntry {
    fileprivate var path: String { isInFolder ? name : "\(dataset)/\(name)" }
}

/// The names of the tables in a folder, without extension, in order; empty if the folder cannot be read.
private func recordedNames(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name.hasSuffix(".csv"), !name.hasSuffix(".steps.csv") { names.append(String(name.dropLast(4))) }
    }
    return names.sorted()
}

/// The columns of an index by their meaning.
private struct IndexColumns {
    private let columns: TableColumns
    private let name, dataset, activity: Int
    private let subject, position, label, trueSteps: Int?

    init(header: Bytes, file: String) throws(RecordingError) {
        columns = TableColumns(header: header, file: file)
        name = try columns.required("rec")
        dataset = try columns.required("dataset")
        activity = try columns.required("class")
        subject = columns.optional("subject")
        position = columns.optional("position")
        label = columns.optional("label")
        trueSteps = columns.optional("true_steps")
    }

    func entry(_ line: Bytes, line number: Int) throws(RowFault) -> RecordingEntry {
        let row = try columns.row(line)
        func text(_ column: Int?) -> String { column.map { shown(row[$0]) } ?? "" }
        return RecordingEntry(
            line: number, name: try plainName(row[name], column: "rec"),
            dataset: try plainName(row[dataset], column: "dataset"), subject: text(subject), position: text(position),
            label: text(label), activity: text(activity), trueSteps: try steps(text(trueSteps)))
    }

    /// The number of steps; numbers above a million are refused, because no real recording reaches it. A whole number
    /// may have a decimal point, which tools add if other rows have no number.
    private func steps(_ text: String) throws(RowFault) -> Int? {
        if text.isEmpty { return nil }
        guard let steps = decimalNumber(text), steps == steps.rounded() else {
            throw .notANumber(column: "true_steps", text: String(text.prefix(40)))
        }
        guard (0...1_000_000).contains(steps) else {
            throw .outOfRange(column: "true_steps", text: String(text.prefix(40)))
        }
        return Int(steps)
    }
}
