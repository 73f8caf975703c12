import Commands

/// Rows as lines, the first of them titles, with the first column to the left and the others to the right. Every row has as many cells.
func aligned(_ rows: [[String]]) -> [String] {
    guard let titles = rows.first else { return [] }
    var table = Table(titles.enumerated().map { ($0.element, $0.offset == 0 ? .left : .right) })
    for row in rows.dropFirst() { table.add(row) }
    return table.lines()
}

/// A share of 0 to 1, such as `9.4 %`.
func shareText(_ share: Double) -> String { tenths(share * 100) + " %" }

/// A number that is not negative, to one decimal.
func tenths(_ value: Double) -> String {
    let count = Int((value * 10).rounded())
    return "\(count / 10).\(count % 10)"
}
