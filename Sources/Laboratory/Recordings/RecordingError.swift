/// The reason why a recording cannot be read. Lines count from 1; the header is line 1.
///
/// Rows returned before the error are valid, except before `tooSlow`, `tooFast` and `implausibleGravity`, which concern
/// all rows.
public enum RecordingError: Error, Hashable, Sendable {
    /// The file cannot be opened or read; `reason` is the system's own text (strerror(3)).
    case unreadable(file: String, reason: String)
    /// The file has no lines, or only a header.
    case empty(file: String)
    /// The folder has no file that could be a recording.
    case noRecordings(folder: String)
    /// The columns in the first line are unknown.
    case unknownHeader(file: String, header: String)
    /// The recorder has removed gravity, so posture cannot be determined.
    case gravityRemoved(file: String)
    /// The file has too few rows a second for a judgement.
    case tooSlow(file: String)
    /// The file has more rows a second than any recorder produces.
    case tooFast(file: String)
    /// The acceleration contains `felt` g of gravity, instead of about 1.
    case implausibleGravity(file: String, felt: Double, unit: AccelerationUnit)
    /// The gzip stream ends early or is damaged after the given line.
    case damagedArchive(file: String, line: Int)
    /// The ZIP archive has no usable table.
    case unusableArchive(file: String, reason: String)
    /// A row that does not fit the header.
    case brokenRow(file: String, line: Int, RowFault)
    /// The first line of a table lacks a column.
    case missingColumn(file: String, column: String)
    /// The first line of a table is not separated by commas; `found` names the separator.
    case wrongSeparator(file: String, found: String)
    /// A line of an index names a recording that is missing in its folder.
    case missingRecording(index: String, line: Int, recording: String)
}

/// The fault of a row.
public enum RowFault: Error, Hashable, Sendable {
    case columnCount(found: Int, expected: Int)
    /// Not a decimal number, or not a finite one.
    case notANumber(column: String, text: String)
    /// Not a date and a time of day.
    case notATime(column: String, text: String)
    /// A number outside the range of worn sensors, or of recorders' clocks.
    case outOfRange(column: String, text: String)
    /// The time is earlier than in the previous row.
    case timeGoesBackwards
    /// Longer than any row of numbers.
    case tooLong(limit: Int)
    /// Not the name of a file in a folder: empty, hidden, too long, or with a path separator.
    case notAPlainName(column: String, text: String)
    /// The same as in an earlier line.
    case repeated(line: Int)
}

extension RecordingError: CustomStringConvertible {
    /// `file:line: fault; remedy`.
    public var description: String {
        switch self {
        case .unreadable(let file, let reason):
            "\(file): \(reason); check the path and its permissions"
        case .empty(let file):
            "\(file): nothing in it; make it again or choose another file"
        case .noRecordings(let folder):
            "\(folder): no .csv, .csv.gz, .txt, .txt.gz or .zip in this folder; name the files"
        case .unknownHeader(let file, let header):
            "\(file):1: unknown columns \"\(header)\"; "
                + "expected t_ms,x_mg,y_mg,z_mg[,label] or an export of phyphox (\"Acceleration (with g)\"), Sensor Logger "
                + "(TotalAcceleration), SensorLog, OmGui, ActiLife or Physics Toolbox; name the columns of another with --columns"
        case .gravityRemoved(let file):
            "\(file):1: linear acceleration, from which gravity has been taken away; "
                + "record with phyphox's \"Acceleration (with g)\""
        case .tooSlow(let file):
            "\(file): too few rows a second to tell a step; record again with 10 to 100, "
                + "or check the unit of the time (t_ms is in milliseconds)"
        case .tooFast(let file):
            "\(file): too many rows a second for any recorder; check the unit of the time (t_ms is in milliseconds)"
        case .implausibleGravity(let file, let felt, let unit):
            "\(file): gravity is \(shown(felt)) g in it and not about 1 g: \(unit.promise); "
                + unit.suspicion(felt: felt)
        case .damagedArchive(let file, let line):
            "\(file):\(line): the gzip stream is cut off or damaged after this line; copy the file again"
        case .unusableArchive(let file, let reason): "\(file): a ZIP archive: \(reason)"
        case .brokenRow(let file, let line, let fault):
            "\(file):\(line): \(fault); correct or remove the row"
        case .missingColumn(let file, let column):
            "\(file):1: no column \(column); the first line has to name it"
        case .wrongSeparator(let file, let found):
            "\(file):1: columns are separated by \(found); separate them by commas"
        case .missingRecording(let index, let line, let recording):
            "\(index):\(line): neither \(recording).csv.gz nor \(recording).csv is there; copy it or remove the row"
        }
    }
}

extension RowFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .columnCount(let found, let expected): "\(found) columns instead of \(expected)"
        case .notANumber(let column, let text): "\(column) is not a number: \"\(text)\""
        case .notATime(let column, let text): "\(column) is no date and time: \"\(text)\""
        case .outOfRange(let column, let text):
            "\(column) is out of range: \(text)" + (column.hasSuffix("_mg") ? " thousandths of g" : "")
        case .timeGoesBackwards: "the time goes backwards"
        case .tooLong(let limit): "longer than \(limit) bytes"
        case .notAPlainName(let column, let text): "\(column) is not a plain name: \"\(text)\""
        case .repeated(let line): "the same recording as in line \(line)"
        }
    }
}

/// To four decimal places.
private func shown(_ value: Double) -> String { String((value * 10_000).rounded() / 10_000) }
