/// Rows of text in columns as wide as needed, within the width of the terminal.
public struct Table {
    public enum Alignment {
        case left
        case right
    }

    private let columns: [(title: String, alignment: Alignment)]
    private var rows: [[String]] = []

    public init(_ columns: [(title: String, alignment: Alignment)]) { self.columns = columns }

    /// - Parameter cells: one for each column.
    public mutating func add(_ cells: [String]) { rows.append(cells) }

    public var isEmpty: Bool { rows.isEmpty }

    /// Without a limit.
    public var width: Int { natural.reduce(-Self.gap) { $0 + $1 + Self.gap } }

    /// The width of each column without a limit.
    private var natural: [Int] {
        columns.indices.map { column in max(columns[column].title.count, rows.map { $0[column].count }.max() ?? 0) }
    }

    /// The titles and the rows, without trailing spaces. A table wider than `width` wraps titles and texts at words. If
    /// that is not enough, it continues below with the first column repeated.
    ///
    /// - Parameter width: nil for no limit.
    public func lines(within width: Int? = Screen.width) -> [String] {
        Array(blocks(within: width).map { $0.flatMap(\.self) }.joined(separator: [""]))
    }

    /// The parts of the table, one below another, each with the first column: their rows, titles first, and the lines
    /// of each row.
    public func blocks(within width: Int? = Screen.width) -> [[[String]]] {
        let all = [columns.map(\.title)] + rows
        let natural = natural
        return groups(within: width, natural).map { group in
            let widths = widths(of: group, natural, within: width)
            return all.map { lines(of: $0, group, widths) }
        }
    }

    private static let gap = 2
    /// The least width of wrapped text.
    private static let leastText = 12

    /// The columns of each part.
    private func groups(within width: Int?, _ natural: [Int]) -> [[Int]] {
        guard let width else { return [Array(columns.indices)] }
        var groups: [[Int]] = []
        for column in columns.indices {
            let group = (groups.last ?? []) + [column]
            let total = group.reduce(-Self.gap) { $0 + leastWidth(of: $1, natural) + Self.gap }
            if groups.isEmpty || total > width && (groups.last?.count ?? 0) > 1 {
                groups.append(column == 0 ? [0] : [0, column])
            } else {
                groups[groups.count - 1] = group
            }
        }
        return groups
    }

    /// The least width of a column: its longest word or a few letters for texts; the longest figure for figures, of
    /// which only titles are wrapped.
    private func leastWidth(of column: Int, _ natural: [Int]) -> Int {
        let title = longestWord(of: columns[column].title)
        guard columns[column].alignment == .left else {
            return max(title, rows.map { $0[column].count }.max() ?? 0)
        }
        let longest = rows.map { longestWord(of: $0[column]) }.max() ?? 0
        return max(title, longest, min(natural[column], Self.leastText))
    }

    /// The widest columns are narrowed first.
    private func widths(of group: [Int], _ natural: [Int], within width: Int?) -> [Int] {
        var widths = group.map { natural[$0] }
        guard let width else { return widths }
        let least = group.map { leastWidth(of: $0, natural) }
        while widths.reduce(-Self.gap, { $0 + $1 + Self.gap }) > width {
            let wide = widths.indices.filter { widths[$0] > least[$0] }.max { widths[$0] < widths[$1] }
            guard let wide else { return widths }
            widths[wide] -= 1
        }
        return widths
    }

    private func lines(of cells: [String], _ group: [Int], _ widths: [Int]) -> [String] {
        let parts = zip(group, widths).map { column, width in
            cells[column].count <= width ? [cells[column]] : wrapped(cells[column], to: width)
        }
        return (0..<(parts.map(\.count).max() ?? 0)).map { line in
            let padded = group.indices.map { index in
                pad(
                    line < parts[index].count ? parts[index][line] : "", to: widths[index],
                    columns[group[index]].alignment)
            }
            return withoutTrailingSpaces(padded.joined(separator: String(repeating: " ", count: Self.gap)))
        }
    }
}

/// The whole text if its spaces are significant.
private func longestWord(of text: String) -> Int {
    guard text.utf8.contains(UInt8(ascii: " ")), !text.contains("  ") else { return text.count }
    return text.split(separator: " ").map(\.count).max() ?? 0
}

/// The text with spaces added until it is `width` characters long.
public func pad(
    _ text: String, to width: Int, _ alignment: Table.Alignment = .left, with filler: Character = " "
) -> String {
    let spaces = String(repeating: filler, count: max(0, width - text.count))
    return alignment == .left ? text + spaces : spaces + text
}

func withoutTrailingSpaces(_ text: String) -> String {
    String(text.prefix(upTo: text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex))
}
