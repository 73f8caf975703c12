import Core

/// Reads a recording row by row, in bounded memory.
///
/// Text, plain, gzip or in a ZIP archive, in one of these forms, distinguished by the header:
/// - `t_ms,x_mg,y_mg,z_mg[,label]`: milliseconds and thousandths of g;
/// - exports of common recording programs: see `RecordingForm`. Separated by comma, semicolon or tab, with decimal
///   point or comma, names quoted or not; further columns are ignored;
/// - any other table with a header and user-named columns.
///
/// Owns the open file and closes it at `deinit`.
public final class RecordingReader {
    /// A bound above any recorder's time, even if it counts from 1970: 100 years, in nanoseconds.
    private static let latest = 36_525 * 86_400e9
    /// A bound above the range of worn accelerometers, in g.
    private static let strongest = 400.0

    private let lines: TextLines
    private let layout: RecordingLayout
    private var previous: Interval?
    private var plausibility = Plausibility()
    /// The fields of the last row.
    private var row: [Bytes] = []
    private var lastLabel: (bytes: [UInt8], text: String?) = ([], nil)

    private let toleratesCut: Bool
    private var rows = 0
    private var isWaiting: Bool
    /// Whether the last row was truncated and left out, as when the recorder was switched off.
    public private(set) var isCutOff = false

    /// The number of the last line read; the header is line 1.
    public var line: Int { lines.number }

    /// Opens the file and reads its header.
    ///
    /// - Parameters:
    ///   - path: `-` is standard input.
    ///   - columns: user-named columns; nil expects one of the known forms.
    ///   - toleratesCut: whether a broken last row without a line break is left out instead of refused.
    public init(path: String, columns: RecordingColumns? = nil, toleratesCut: Bool = false) throws(RecordingError) {
        self.toleratesCut = toleratesCut
        lines = try TextLines(path: path)
        // The metadata of `anicca record` is handled by `RecordedHead`.
        repeat {
            guard try lines.next() else { throw .empty(file: path) }
        } while lines.line.starts(with: RecordedHead.mark)
        layout = try RecordingLayout(lines, columns)
        isWaiting = layout.beginsWithRow
    }

    /// The next sample; nil at the end of the file.
    ///
    /// Times never decrease; two rows may have the same time. Empty lines are skipped.
    /// - Throws: `RecordingError`; reading cannot continue after it. Implausible units are detected only at the end;
    ///   then discard all samples.
    public func next() throws(RecordingError) -> RecordedSample? {
        guard !isCutOff, try advance() else { return try end() }
        do throws(RecordingError) {
            let sample = try sample()
            if let previous, sample.time < previous { throw broken(.timeGoesBackwards) }
            rows += 1
            previous = sample.time
            plausibility.add(sample)
            return sample
        } catch {
            guard toleratesCut, previous != nil, !lines.isTerminated else { throw error }
            isCutOff = true
            return try end()
        }
    }

    /// Moves to the next non-empty line; false at the end.
    private func advance() throws(RecordingError) -> Bool {
        if isWaiting {
            isWaiting = false
            return true
        }
        repeat { guard try lines.next() else { return false } } while lines.line.isEmpty
        return true
    }

    private func end() throws(RecordingError) -> RecordedSample? {
        if previous == nil { throw .empty(file: lines.path) }
        if let fault = plausibility.fault(in: lines.path, layout.unit) { throw fault }
        return nil
    }

    private func sample() throws(RecordingError) -> RecordedSample {
        split(lines.line, at: layout.separator, into: &self.row)
        let row = row
        guard row.count == layout.names.count else {
            throw broken(.columnCount(found: row.count, expected: layout.names.count))
        }
        return RecordedSample(
            time: try time(row),
            acceleration: Acceleration(
                x: try axis(row, 0),
                y: try axis(row, 1),
                z: try axis(row, 2)),
            label: layout.label.flatMap { label(unquoted(row[$0])) })
    }

    private func time(_ row: [Bytes]) throws(RecordingError) -> Interval {
        switch layout.time {
        case .number(let column, let unit):
            let time = try number(row, column, scale: unit.nanoseconds, limit: Self.latest)
            return Interval(nanoseconds: Int64(time.rounded()))
        case .text(let column, let order):
            let text = unquoted(row[column])
            guard text.contains(UInt8(ascii: ":")) else {
                return Interval(nanoseconds: Int64(try number(row, column, scale: 1e9, limit: Self.latest).rounded()))
            }
            guard let time = timeSince1970(text, order), Double(time) <= Self.latest else {
                throw broken(.notATime(column: layout.names[column], text: shown(text)))
            }
            return Interval(nanoseconds: time)
        case .rate(let hertz): return Interval(nanoseconds: Int64((Double(rows) * 1e9 / hertz).rounded()))
        }
    }

    private func axis(_ row: [Bytes], _ axis: Int) throws(RecordingError) -> Float {
        Float(try number(row, layout.axes[axis], scale: 1 / layout.unit.perG, limit: Self.strongest))
    }

    /// The number in a column, multiplied by `scale`; the magnitude of the product may not exceed `limit`.
    private func number(
        _ row: [Bytes], _ column: Int, scale: Double, limit: Double
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

    /// The label as text. The text of the last label is cached, because labels come in long runs.
    private func label(_ bytes: Bytes) -> String? {
        if !bytes.elementsEqual(lastLabel.bytes) {
            lastLabel = (Array(bytes), bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self))
        }
        return lastLabel.text
    }

    private func shown(_ text: Bytes) -> String { String(decoding: text.prefix(40), as: UTF8.self) }

    private func broken(_ fault: RowFault) -> RecordingError {
        .brokenRow(file: lines.path, line: lines.number, fault)
    }
}
