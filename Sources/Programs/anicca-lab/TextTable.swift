/// Rows as lines, with the first column to the left and the others to the right. Every row has as many cells.
func aligned(_ rows: [[String]]) -> [String] {
    let columns = rows.first?.indices ?? 0..<0
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
        zip(row, widths).enumerated().map { index, cell in
            let padding = String(repeating: " ", count: cell.1 - cell.0.count)
            return index == 0 ? cell.0 + padding : padding + cell.0
        }.joined(separator: "  ")
    }
}

/// A share of 0 to 1, such as `9.4 %`.
func shareText(_ share: Double) -> String { tenths(share * 100) + " %" }

/// A number that is not negative, to one decimal.
private func tenths(_ value: Double) -> String {
    let count = Int((value * 10).rounded())
    return "\(count / 10).\(count % 10)"
}
