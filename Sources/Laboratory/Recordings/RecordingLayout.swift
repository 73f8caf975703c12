/// The columns of a recording by their meaning, and their units, from its first lines.
struct RecordingLayout {
    let names: [String]
    let separator: UInt8
    let time: RecordingTime
    let axes: [Int]
    let label: Int?
    let unit: AccelerationUnit
    /// Whether the last line read is already a row.
    var beginsWithRow = false

    /// Reads the lines up to the first row.
    /// - Throws: `unknownHeader`, `gravityRemoved`, `missingColumn` for a user-named column, or the fault of the file.
    init(_ lines: TextLines, _ columns: RecordingColumns?) throws(RecordingError) {
        let preamble = ActiLifePreamble(firstLine: lines.line)
        if preamble != nil { try Self.skipPreamble(lines) }
        let text = withoutMark(lines.line)
        separator = [UInt8(ascii: "\t"), UInt8(ascii: ";")].first(where: text.contains) ?? UInt8(ascii: ",")
        let parts = fields(of: text, separatedBy: separator)
        let names = parts.map { String(decoding: unquoted($0), as: UTF8.self) }
        self.names = names
        let found =
            try Self.chosen(columns, names, lines.path) ?? Self.own(names) ?? Self.known(names, preamble)
            ?? Self.bare(parts)
        guard let found else {
            if names.map(ColumnName.init).contains(where: RecordingForm.lacksGravity) {
                throw .gravityRemoved(file: lines.path)
            }
            throw .unknownHeader(file: lines.path, header: String(decoding: text.prefix(120), as: UTF8.self))
        }
        (time, axes, unit) = (found.time, found.axes, found.unit)
        label = names.count == 5 && found.isOwn ? 4 : nil
        beginsWithRow = found.isRow
    }

    private struct Found {
        let time: RecordingTime
        let axes: [Int]
        let unit: AccelerationUnit
        var isOwn = false
        var isRow = false
    }

    private static func skipPreamble(_ lines: TextLines) throws(RecordingError) {
        repeat {
            guard try lines.next(), lines.number <= ActiLifePreamble.longest else { throw .empty(file: lines.path) }
        } while !lines.line.starts(with: "---".utf8)
        guard try lines.next() else { throw .empty(file: lines.path) }
    }

    /// The user-named columns.
    private static func chosen(_ columns: RecordingColumns?, _ names: [String], _ file: String) throws(RecordingError)
        -> Found?
    {
        guard let columns else { return nil }
        var found: [Int] = []
        for name in columns.names {
            guard let index = names.firstIndex(of: name) else { throw .missingColumn(file: file, column: name) }
            found.append(index)
        }
        return Found(time: .number(column: found[0], columns.timeUnit), axes: Array(found[1...]), unit: columns.unit)
    }

    private static func own(_ names: [String]) -> Found? {
        guard Array(names.prefix(4)) == ["t_ms", "x_mg", "y_mg", "z_mg"], names.count == 4 || names[4...] == ["label"]
        else {
            return nil
        }
        return Found(time: .number(column: 0, .milliseconds), axes: [1, 2, 3], unit: .thousandthOfG, isOwn: true)
    }

    private static func known(_ names: [String], _ preamble: ActiLifePreamble?) -> Found? {
        let columns = names.map(ColumnName.init)
        for form in RecordingForm.all {
            let axes = form.axes.compactMap { axis in columns.firstIndex { $0.base == axis } }
            guard axes.count == 3 else { continue }
            let unit = columns[axes[0]].accelerationUnit ?? form.unit
            let time = form.times.lazy.compactMap { time in columns.firstIndex { $0.base == time } }.first
            if let time {
                let order = preamble?.dateOrder ?? .yearMonthDay
                let timeUnit = columns[time].unit.flatMap(RecordingTimeUnit.init)
                let source = timeUnit.map { RecordingTime.number(column: time, $0) } ?? .text(column: time, order)
                return Found(time: source, axes: axes, unit: unit)
            }
            if let preamble { return Found(time: .rate(hertz: preamble.hertz), axes: axes, unit: unit) }
        }
        return nil
    }

    /// A table without a header, as exported by OmGui: a date and three numbers.
    private static func bare(_ fields: [Bytes]) -> Found? {
        guard fields.count == 4, timeSince1970(unquoted(fields[0]), .yearMonthDay) != nil,
            fields.dropFirst().allSatisfy({ decimalNumber(unquoted($0)) != nil })
        else { return nil }
        return Found(time: .text(column: 0, .yearMonthDay), axes: [1, 2, 3], unit: .g, isRow: true)
    }
}

/// The fields of a row. A separator inside double quotes does not separate (RFC 4180 §2.6).
func fields(of row: Bytes, separatedBy separator: UInt8) -> [Bytes] {
    var parts: [Bytes] = []
    split(row, at: separator, into: &parts)
    return parts
}

/// The fields of a row, in an array that is reused for successive rows.
func split(_ row: Bytes, at separator: UInt8, into parts: inout [Bytes]) {
    parts.removeAll(keepingCapacity: true)
    let (bytes, end) = (row.base, row.endIndex)
    var start = row.startIndex
    var index = start
    var isQuoted = false
    while index < end {
        let byte = bytes[index]
        if byte == separator, !isQuoted {
            parts.append(Bytes(base: bytes, bounds: start..<index))
            start = index + 1
        } else if byte == UInt8(ascii: "\"") {
            isQuoted.toggle()
        }
        index += 1
    }
    parts.append(Bytes(base: bytes, bounds: start..<end))
}

/// The field without surrounding spaces and one pair of double quotes.
func unquoted(_ field: Bytes) -> Bytes {
    var field = field
    while field.first == UInt8(ascii: " ") { field.removeFirst() }
    while field.last == UInt8(ascii: " ") { field.removeLast() }
    if field.count >= 2, field.first == UInt8(ascii: "\""), field.last == UInt8(ascii: "\"") {
        return field.dropFirst().dropLast()
    }
    return field
}
