/// The columns of a table, named by its first line.
struct TableColumns {
    private let names: [String]
    private let file: String
    /// The name of the separator if the first line does not seem to use commas.
    private let otherSeparator: String?

    /// - Parameter header: the first line; a leading byte order mark is skipped.
    init(header: Bytes, file: String) {
        let text = withoutMark(header)
        names = fields(of: text, separatedBy: UInt8(ascii: ",")).map(shown)
        self.file = file
        let separators: [(UInt8, String)] = [(UInt8(ascii: ";"), "semicolons"), (UInt8(ascii: "\t"), "tabs")]
        otherSeparator = separators.first { text.contains($0.0) }?.1
    }

    /// The index of the column; nil if there is none with this name.
    func optional(_ name: String) -> Int? { names.firstIndex(of: name) }

    /// - Throws: `missingColumn`, or `wrongSeparator` if the table uses another separator.
    func required(_ name: String) throws(RecordingError) -> Int {
        if let column = optional(name) { return column }
        if let otherSeparator { throw .wrongSeparator(file: file, found: otherSeparator) }
        throw .missingColumn(file: file, column: name)
    }

    /// The fields of a later line.
    /// - Throws: `columnCount` unless there is a field for each column.
    func row(_ line: Bytes) throws(RowFault) -> [Bytes] {
        let row = fields(of: line, separatedBy: UInt8(ascii: ","))
        guard row.count == names.count else { throw .columnCount(found: row.count, expected: names.count) }
        return row
    }
}

/// A line without a leading byte order mark.
func withoutMark(_ line: Bytes) -> Bytes { line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line }

/// A field without its quotes, as text.
func shown(_ field: Bytes) -> String { String(decoding: unquoted(field), as: UTF8.self) }

/// A name that stays in its folder: not hidden, no separator, no control character.
/// - Throws: `notAPlainName`.
func plainName(_ field: Bytes, column: String) throws(RowFault) -> String {
    let bytes = unquoted(field)
    let isPlain = bytes.allSatisfy { $0 > 0x1F && $0 != 0x7F && $0 != UInt8(ascii: "/") }
    guard isPlain, let first = bytes.first, first != UInt8(ascii: "."), bytes.count <= 128 else {
        throw .notAPlainName(column: column, text: String(shown(field).prefix(40)))
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// A field with a decimal number in the range.
/// - Throws: `notANumber` or `outOfRange`.
func number(
    _ field: Bytes, column: String, within range: ClosedRange<Double>
) throws(RowFault) -> Double {
    func text() -> String { String(shown(field).prefix(40)) }
    guard let value = decimalNumber(unquoted(field)) else { throw .notANumber(column: column, text: text()) }
    guard range.contains(value) else { throw .outOfRange(column: column, text: text()) }
    return value
}
