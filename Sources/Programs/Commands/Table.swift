/// Rows of text in columns that are as wide as they need to be.
public struct Table {
    public enum Alignment {
        case left
        case right
    }

    private let columns: [(title: String, alignment: Alignment)]
    private var rows: [[String]] = []

    public init(_ columns: [(title: String, alignment: Alignment)]) { self.columns = columns }

    /// - Parameter cells: as many as there are columns.
    public mutating func add(_ cells: [String]) { rows.append(cells) }

    public var isEmpty: Bool { rows.isEmpty }

    /// The titles and the rows, without spaces at their ends.
    public var lines: [String] {
        let all = [columns.map(\.title)] + rows
        let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { cells in
            let padded = columns.indices.map { pad(cells[$0], to: widths[$0], columns[$0].alignment) }
            return withoutTrailingSpaces(padded.joined(separator: "  "))
        }
    }
}

/// The text with spaces added until it is `width` characters long.
public func pad(_ text: String, to width: Int, _ alignment: Table.Alignment = .left) -> String {
    let spaces = String(repeating: " ", count: max(0, width - text.count))
    return alignment == .left ? text + spaces : spaces + text
}

private func withoutTrailingSpaces(_ text: String) -> String {
    String(text.prefix(upTo: text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex))
}
