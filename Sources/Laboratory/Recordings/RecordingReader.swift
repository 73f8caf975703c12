import Quantities

/// Reads a recording row by row, in bounded memory.
///
/// Two forms, plain or gzip, told apart by the header:
/// - `t_ms,x_mg,y_mg,z_mg[,label]`: milliseconds and thousandths of g;
/// - phyphox's CSV export of "Acceleration (with g)": seconds and m/s², separated by comma, semicolon or tab, with
///   decimal point or comma, names quoted or not; further columns are ignored.
///
/// Owns the open file and closes it at `deinit`.
public final class RecordingReader {
    /// A bound above any recorder's time, also where it counts from 1970: 100 years, in nanoseconds.
    private static let latest = 36_525 * 86_400e9
    /// A bound above the range of worn accelerometers, in g.
    private static let strongest = 400.0

    private let lines: TextLines
    private let layout: RecordingLayout
    private var previous: Interval?
    private var plausibility = Plausibility()
    private var lastLabel: (bytes: [UInt8], text: String?) = ([], nil)

    /// The line of the file that was read last; the header is line 1.
    public var line: Int { lines.number }

    /// Opens the file and reads its header.
    public init(path: String) throws(RecordingError) {
        lines = try TextLines(path: path)
        guard try lines.next() else { throw .empty(file: path) }
        layout = try RecordingLayout(header: lines.line, file: path)
    }

    /// The next sample; nil at the end of the file.
    ///
    /// Times never go backwards; two rows may have the same. Empty lines are passed over.
    /// - Throws: `RecordingError`; nothing more can be read after it. Implausible units are detected only at the end;
    ///   all samples before that error are then to be discarded.
    public func next() throws(RecordingError) -> RecordedSample? {
        repeat {
            guard try lines.next() else {
                if previous == nil { throw .empty(file: lines.path) }
                if let fault = plausibility.fault(in: lines.path, layout.unit) { throw fault }
                return nil
            }
        } while lines.line.isEmpty
        let sample = try sample()
        if let previous, sample.time < previous { throw broken(.timeGoesBackwards) }
        previous = sample.time
        plausibility.add(sample)
        return sample
    }

    private func sample() throws(RecordingError) -> RecordedSample {
        let row = fields(of: lines.line[...], separatedBy: layout.separator)
        guard row.count == layout.names.count else {
            throw broken(.columnCount(found: row.count, expected: layout.names.count))
        }
        let time = try number(row, layout.time, scale: layout.timeUnit, limit: Self.latest)
        return RecordedSample(
            time: Interval(nanoseconds: Int64(time.rounded())),
            acceleration: Acceleration(
                x: try axis(row, 0),
                y: try axis(row, 1),
                z: try axis(row, 2)),
            label: layout.label.flatMap { label(unquoted(row[$0])) })
    }

    private func axis(_ row: [ArraySlice<UInt8>], _ axis: Int) throws(RecordingError) -> Float {
        Float(try number(row, layout.axes[axis], scale: 1 / layout.unit.perG, limit: Self.strongest))
    }

    /// The number in a column, multiplied by `scale`, after which its size may not exceed `limit`.
    private func number(
        _ row: [ArraySlice<UInt8>], _ column: Int, scale: Double, limit: Double
    ) throws(RecordingError) -> Double {
        let text = unquoted(row[column])
        guard let value = decimalNumber(text) else {
            throw broken(.notANumber(column: layout.names[column], text: shown(text)))
        }
        guard abs(value * scale) <= limit else {
            throw broken(.outOfRange(column: layout.names[column], text: shown(text)))
        }
        return value * scale
    }

    /// The label as text. Labels come in long runs, so the text of the last one is kept.
    private func label(_ bytes: ArraySlice<UInt8>) -> String? {
        if !bytes.elementsEqual(lastLabel.bytes) {
            lastLabel = (Array(bytes), bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self))
        }
        return lastLabel.text
    }

    private func shown(_ text: ArraySlice<UInt8>) -> String { String(decoding: text.prefix(40), as: UTF8.self) }

    private func broken(_ fault: RowFault) -> RecordingError {
        .brokenRow(file: lines.path, line: lines.number, fault)
    }
}
