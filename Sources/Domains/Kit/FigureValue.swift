import Core

/// The value of a figure of a day: one number or, for a table, its rows one after another.
public struct FigureValue: Hashable, Sendable {
    public let numbers: [Int64]

    public init(_ numbers: [Int64]) { self.numbers = numbers }
    public init(_ number: Int64) { numbers = [number] }

    /// The value of a figure that is one number.
    public var number: Int64 { numbers.first ?? 0 }

    /// Whether it is valid for the figure: one number, unless the figure is a table.
    public func fits(_ figure: Figure) -> Bool { figure.table != nil || numbers.count == 1 }
}

extension FigureValue: ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral {
    public init(integerLiteral number: Int64) { self.init(number) }
    public init(arrayLiteral numbers: Int64...) { self.init(numbers) }
}

/// A figure of a day with more than one number: the lowest and highest heart rate, or the workouts.
///
/// The domain packs each observation into an amount, a positive number in its own encoding. The quarter hours keep
/// every amount, and the rows of the day are made from all of them. The columns have the names of the members in the
/// daily record, in `days` and in the export.
public struct FigureTable: Sendable {
    public struct Column: Sendable {
        public enum Form: Sendable {
            case number
            /// A number that a row may lack: it is then negative.
            case optionalNumber
            /// A time, in seconds since the epoch.
            case time
            /// One of these words, by its index.
            case word([String])
        }

        public let name: String
        public let form: Form

        public init(_ name: String, _ form: Form = .number) {
            self.name = name
            self.form = form
        }

        /// A number of the column as text; nil where the row lacks it, and for a word of a newer version.
        public func text(of number: Int64) -> String? {
            switch form {
            case .number: "\(number)"
            case .optionalNumber: number < 0 ? nil : "\(number)"
            case .time: "\(WallTime(secondsSinceEpoch: number))"
            case .word(let words): Int(exactly: number).flatMap { words.indices.contains($0) ? words[$0] : nil }
            }
        }
    }

    /// An amount, and the start of its quarter of an hour; nil if the time is unknown.
    public typealias Dated = (amount: Int64, began: WallTime?)

    public let columns: [Column]
    /// Whether a day has one row at most: an object in JSON instead of a list of objects.
    public let hasOneRow: Bool
    /// Makes the numbers of the rows from a day's amounts in order of time.
    let rows: @Sendable ([Dated]) -> [Int64]

    public init(
        _ columns: [Column], hasOneRow: Bool = false, rows: @escaping @Sendable (_ amounts: [Dated]) -> [Int64]
    ) {
        self.columns = columns
        self.hasOneRow = hasOneRow
        self.rows = rows
    }

    /// The rows of a value, each with a number for each column. An incomplete row, as a newer version may have stored
    /// it, is left out.
    public func rows(of value: FigureValue) -> [ArraySlice<Int64>] {
        stride(from: columns.count, through: value.numbers.count, by: columns.count).map {
            value.numbers[$0 - columns.count..<$0]
        }
    }
}
