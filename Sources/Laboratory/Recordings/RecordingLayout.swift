/// The columns of a recording by their meaning, and their units, from its header.
struct RecordingLayout {
    let names: [String]
    let separator: UInt8
    let time: Int
    let axes: [Int]
    let label: Int?
    /// Nanoseconds per unit of the time column.
    let timeUnit: Double
    let unit: AccelerationUnit

    /// - Throws: `unknownHeader` or `gravityRemoved`.
    init(header: [UInt8], file: String) throws(RecordingError) {
        let text = header.starts(with: [0xEF, 0xBB, 0xBF]) ? header[3...] : header[...]
        separator = [UInt8(ascii: "\t"), UInt8(ascii: ";")].first(where: text.contains) ?? UInt8(ascii: ",")
        names = fields(of: text, separatedBy: separator).map { String(decoding: unquoted($0), as: UTF8.self) }
        if Array(names.prefix(4)) == ["t_ms", "x_mg", "y_mg", "z_mg"], names.count == 4 || names[4...] == ["label"] {
            time = 0
            axes = [1, 2, 3]
            label = names.count == 5 ? 4 : nil
            timeUnit = 1e6
            unit = .thousandthOfG
        } else if let time = names.firstIndex(of: "Time (s)") {
            self.time = time
            axes = try Self.phyphoxAxes(names, file: file)
            label = nil
            timeUnit = 1e9
            unit = .metrePerSecondSquared
        } else {
            throw .unknownHeader(file: file, header: String(decoding: text.prefix(120), as: UTF8.self))
        }
    }

    private static func phyphoxAxes(_ names: [String], file: String) throws(RecordingError) -> [Int] {
        let found = ["x", "y", "z"].compactMap { axis in
            names.firstIndex { $0.hasPrefix("Acceleration \(axis) (m/s") }
        }
        if found.count == 3 { return found }
        if names.contains(where: { $0.hasPrefix("Linear") }) { throw .gravityRemoved(file: file) }
        throw .unknownHeader(file: file, header: names.joined(separator: ","))
    }
}

/// The fields of a row. A separator inside double quotes does not separate (RFC 4180 §2.6).
func fields(of row: ArraySlice<UInt8>, separatedBy separator: UInt8) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var start = row.startIndex
    var isQuoted = false
    for index in row.indices {
        if row[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
        if row[index] == separator && !isQuoted {
            parts.append(row[start..<index])
            start = index + 1
        }
    }
    parts.append(row[start...])
    return parts
}

/// The field without surrounding spaces and one pair of double quotes.
func unquoted(_ field: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var field = field
    while field.first == UInt8(ascii: " ") { field.removeFirst() }
    while field.last == UInt8(ascii: " ") { field.removeLast() }
    if field.count >= 2, field.first == UInt8(ascii: "\""), field.last == UInt8(ascii: "\"") {
        return field.dropFirst().dropLast()
    }
    return field
}
