import Core

/// Stored data of a domain besides its figures and events: sealed rows, each rewritten as a whole by every change. The
/// question to the wearer and the receipt name every book, so nothing else can be stored.
public struct Book: Sendable {
    /// The rows of a book, and their retention.
    public enum Rows: Sendable {
        /// One row, which drops data older than this: `until you delete them`.
        case one(lasting: String)
        /// A row for each UTC day, kept as long as history.
        case byDay
    }

    /// From 1 to 255; stored, never reused for another book.
    public let id: UInt8
    /// The name in the question and the receipt: `alarms`.
    public let name: String
    /// For people: `the alarms that you set`.
    public let meaning: String
    public let source: Source
    public let rows: Rows
    /// The type of a row.
    public let row: any BookRow.Type
    /// Whether the collector of its domain is told of the row, which a command of the wearer changes. Only for a book of
    /// one row.
    public let informsCollector: Bool

    public init(
        id: UInt8, name: String, meaning: String, source: Source, rows: Rows, of row: any BookRow.Type,
        informsCollector: Bool = false
    ) {
        self.id = id
        self.name = name
        self.meaning = meaning
        self.source = source
        self.rows = rows
        self.row = row
        self.informsCollector = informsCollector
    }
}

extension Book {
    /// The books of every domain.
    public static let all: [Book] = Domain.all.flatMap(\.books)

    /// The domain whose consent covers it.
    public var domain: Domain {
        for domain in Domain.all where domain.books.contains(where: { $0.id == id }) { return domain }
        preconditionFailure("a book belongs to a domain that Domain.all lists")
    }
}

/// A row of a book.
public protocol BookRow: Equatable, Sendable {
    static var book: Book { get }

    /// An empty row, as before the first change.
    init()

    /// Reads the bytes of this or an older version.
    init(_ bytes: [UInt8]) throws(Unpacker.Malformed)

    /// The part of these bytes that a newer version of the program wrote. Such bytes are neither read nor replaced
    /// (SPEC §9).
    static func newerPart(of bytes: [UInt8]) -> Parts.Newer?

    var bytes: [UInt8] { get }

    /// The count of each kind of item, always of the same kinds, for `forget`.
    var tallies: [BookTally] { get }

    /// Drops the data outside the agreed scope.
    mutating func narrow(to scope: Scope)

    /// The parts of the domain that a change turned on or off, for the consent trail; called once after each change.
    mutating func takeTurns() -> [PartTurn]
}

extension BookRow {
    public mutating func narrow(to scope: Scope) {}
    public mutating func takeTurns() -> [PartTurn] { [] }
}

/// The count of one kind of item in a book.
public struct BookTally: Equatable, Sendable {
    /// In the singular: `visit`.
    public let noun: String
    public var count: Int

    public init(_ noun: String, _ count: Int) {
        self.noun = noun
        self.count = count
    }
}

/// A part of a domain that the wearer turned on or off: `Domain.nameOfPart` has its name.
public struct PartTurn: Equatable, Sendable {
    public let part: UInt8
    public let isOn: Bool
    public let at: WallTime
}

/// A change of a book that has a row for each UTC day.
public protocol BookEntry: Equatable, Sendable {
    associatedtype Row: BookRow
    /// The days whose rows it may change.
    var days: [UTCDay] { get }
    func enter(into row: inout Row, of day: UTCDay)
}

/// An entry of any book.
public struct BookNote: Sendable {
    public let entry: any BookEntry

    public init(_ entry: some BookEntry) { self.entry = entry }

    public var domain: Domain {
        func domain<Entry: BookEntry>(_: Entry) -> Domain { Entry.Row.book.domain }
        return domain(entry)
    }
}

extension BookNote: Equatable {
    public static func == (left: BookNote, right: BookNote) -> Bool { left.entry.isSame(as: right.entry) }
}

extension BookEntry {
    fileprivate func isSame(as other: any BookEntry) -> Bool { other as? Self == self }
}

extension Parts {
    /// `firstNewer` of the parts in these bytes; nil if they hold no parts.
    static func firstNewer(in bytes: [UInt8], than known: [Kind]) -> Newer? {
        // `try?`: bytes without parts have no newer part.
        try? Parts(bytes).firstNewer(than: known)
    }
}
