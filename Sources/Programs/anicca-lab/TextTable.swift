import Commands

/// Rows as lines; the first row has the titles. The first column is left-aligned, the others right-aligned. All rows
/// have equally many cells.
func aligned(_ rows: [[String]]) -> [String] {
    guard let titles = rows.first else { return [] }
    var table = Table(titles.enumerated().map { ($0.element, $0.offset == 0 ? .left : .right) })
    for row in rows.dropFirst() { table.add(row) }
    return table.lines()
}

/// A share of 0 to 1, such as `9.4 %`.
func shareText(_ share: Double) -> String { tenths(share * 100) + " %" }

/// A non-negative number, to one decimal.
func tenths(_ value: Double) -> String {
    let count = Int((value * 10).rounded())
    return "\(count / 10).\(count % 10)"
}
