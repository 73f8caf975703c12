import Domains
import Core

/// The id of a row in `book`: the book in the lowest byte and the day above it, zero for a book of one row.
struct BookRowName {
    let book: UInt8
    let day: Int32

    init(_ book: Book, _ day: UTCDay? = nil) {
        self.book = book.id
        self.day = day?.daysSinceEpoch ?? 0
    }

    /// Nil for an invalid id.
    init?(id: Int64) {
        guard let day = Int32(exactly: id >> 8) else { return nil }
        self.day = day
        book = UInt8(truncatingIfNeeded: id)
    }

    var id: Int64 { Int64(day) << 8 | Int64(book) }
}

extension Book {
    /// The SQL condition for the rows of a book; its parameter is the id of the book.
    fileprivate static let isOfBook = "id & 255 = ?"

    fileprivate var isByDay: Bool { if case .byDay = rows { true } else { false } }
}

/// The stored data of a domain besides its figures and events.
extension Ledger {
    /// A book of one row; empty before its first change.
    public func book<Row: BookRow>(_: Row.Type = Row.self) throws(LedgerError) -> Row { try row(BookRowName(Row.book)) }

    /// The rows of a book by day, the earliest first; rows that do not open are left out.
    public func bookDays<Row: BookRow>(_: Row.Type = Row.self) throws(LedgerError) -> [(day: UTCDay, row: Row)] {
        var days: [(day: UTCDay, row: Row)] = []
        for name in try names(of: Row.book) {
            guard let row: Row = try readable({ () throws(LedgerError) in try self.row(name) }) else { continue }
            days.append((UTCDay(daysSinceEpoch: name.day), row))
        }
        return days
    }

    /// Changes the stored row of a book of one row.
    ///
    /// - Parameters:
    ///   - known: replaces a row that does not open, or that was changed outside this program; nil if the caller has
    ///     none.
    ///   - change: called once, or never if the store cannot be written.
    public func changeBook<Row: BookRow, Result>(
        _: Row.Type = Row.self, known: Row? = nil, _ change: (inout Row) -> Result
    ) throws(LedgerError) -> Result {
        try transaction { (transaction) throws(LedgerError) in
            let stored = try readable { () throws(LedgerError) in try book(Row.self) }
            var row = believed(stored, known) ?? Row()
            let result = change(&row)
            try transaction.record(row.takeTurns(), of: Row.book.domain)
            if row != stored { try transaction.write(row, BookRowName(Row.book)) }
            return result
        }
    }

    /// The counts of items in the books of these domains. An unreadable row counts as empty.
    func tallies(of domains: [Domain]) throws(LedgerError) -> [BookTally] {
        var tallies: [BookTally] = []
        for book in domains.flatMap(\.books) { tallies += try self.tallies(book.row) }
        return tallies
    }

    private func tallies<Row: BookRow>(_: Row.Type) throws(LedgerError) -> [BookTally] {
        var tallies = Row().tallies
        for name in try names(of: Row.book) {
            guard let row: Row = try countable({ () throws(LedgerError) in try self.row(name) }) else { continue }
            for (index, tally) in row.tallies.enumerated() { tallies[index].count += tally.count }
        }
        return tallies
    }

    /// Throws `newerPart` for a row that a newer version of this program wrote.
    public func refuseNewerBooks() throws(LedgerError) {
        func refuseNewer<Row: BookRow>(_: Row.Type) throws(LedgerError) {
            for name in try names(of: Row.book) {
                _ = try readable { () throws(LedgerError) in try row(name) as Row }
            }
        }
        for book in Book.all { try refuseNewer(book.row) }
    }

    /// A book was changed outside this program: a caller with a copy of a single-row book has the right content.
    func doubtBooks() { doubtedBooks = Set(Book.all.filter { !$0.isByDay }.map(\.id)) }

    private func believed<Row: BookRow>(_ stored: Row?, _ known: Row?) -> Row? {
        guard let known else { return stored }
        return doubtedBooks.remove(Row.book.id) == nil ? stored ?? known : known
    }

    /// Nil for a row that does not open.
    fileprivate func readable<Value>(_ read: () throws(LedgerError) -> Value) throws(LedgerError) -> Value? {
        do {
            return try read()
        } catch .unreadable {
            noteChanged(StoreDigest.books)
            return nil
        }
    }

    /// Nil for a row that does not open or is from a newer version of this program: deletion by the wearer includes it.
    private func countable<Value>(_ read: () throws(LedgerError) -> Value) throws(LedgerError) -> Value? {
        do {
            return try readable(read)
        } catch .newerPart {
            return nil
        }
    }

    fileprivate func names(of book: Book) throws(LedgerError) -> [BookRowName] {
        try database.rows("SELECT id FROM book WHERE \(Book.isOfBook) ORDER BY id", [.integer(book.id)]) {
            BookRowName(id: $0.integer(0))
        }.compactMap(\.self)
    }

    /// Empty if there is no such row.
    fileprivate func row<Row: BookRow>(_ name: BookRowName) throws(LedgerError) -> Row {
        let book = Row.book
        let title = "the \(book.name)" + (book.isByDay ? " of \(UTCDay(daysSinceEpoch: name.day))" : "")
        let rows = try database.rows(
            "SELECT sealed, \(Provenance.columnNames) FROM book WHERE id = ?", [.int64(name.id)]
        ) {
            (sealed: $0.blob(0), provenance: Provenance($0, from: 1))
        }
        guard let row = rows.first else { return Row() }
        guard let provenance = row.provenance else { throw .unreadable(path: path, row: title) }
        let bytes = try opened(row.sealed, at: .book(name.id, provenance), called: title) { Array($0) }
        if let newer = Row.newerPart(of: bytes) {
            throw .newerPart(path: path, part: title, found: newer.found, known: newer.known)
        }
        do throws(Unpacker.Malformed) {
            return try Row(bytes)
        } catch {
            throw .unreadable(path: path, row: title)
        }
    }
}

extension Transaction {
    /// Keeps notes, except those of a domain that was off, and data outside the scope.
    func keep(_ notes: [BookNote], asOf revision: ConsentEntry.ID, _ consent: ConsentSnapshot) throws(LedgerError) {
        for note in notes {
            guard let entry = consent.entry(of: note.domain, asOf: revision) else { continue }
            try keep(note.entry, entry, consent.state.answer(to: note.domain.permission).agreement)
        }
    }

    private func keep<Entry: BookEntry>(
        _ note: Entry, _ entry: ConsentEntry.ID, _ scope: Scope
    ) throws(LedgerError) {
        for day in note.days {
            let name = BookRowName(Entry.Row.book, day)
            var row = try ledger.readable { () throws(LedgerError) in try ledger.row(name) as Entry.Row } ?? Entry.Row()
            let before = row
            note.enter(into: &row, of: day)
            row.narrow(to: scope)
            if row != before { try write(row, name, entry) }
        }
    }

    /// Deletes data outside the agreed scope, and the rows that do not open, which may hold such data.
    func narrowBooks(of domain: Domain, to scope: Scope) throws(LedgerError) {
        for book in domain.books {
            try deleteUnopened(from: .book, where: Book.isOfBook, [.integer(book.id)])
            try narrow(book.row, to: scope)
        }
    }

    private func narrow<Row: BookRow>(_: Row.Type, to scope: Scope) throws(LedgerError) {
        for name in try ledger.names(of: Row.book) {
            guard let stored: Row = try ledger.readable({ () throws(LedgerError) in try ledger.row(name) }) else {
                continue
            }
            var row = stored
            row.narrow(to: scope)
            guard row != stored else { continue }
            if row == Row() {
                try database.run("DELETE FROM book WHERE id = ?", [.int64(name.id)])
            } else {
                try write(row, name)
            }
        }
    }

    /// Deletes rows of days before this one, the start of history.
    func dropBookDays(before day: UTCDay) throws(LedgerError) {
        for book in Book.all where book.isByDay {
            try delete(
                from: .book, where: "\(Book.isOfBook) AND id >> 8 < ?",
                each: [[.integer(book.id), .integer(day.daysSinceEpoch)]])
        }
    }

    /// - Parameter consent: nil for the entry that last turned on the domain.
    fileprivate func write<Row: BookRow>(
        _ row: Row, _ name: BookRowName, _ consent: ConsentEntry.ID? = nil
    ) throws(LedgerError) {
        var entry = consent
        if entry == nil { entry = try ledger.consent().lastOn(Row.book.domain) }
        try write(row.bytes, of: Row.book, name, entry ?? 0)
    }

    func write(
        _ bytes: [UInt8], of book: Book, _ name: BookRowName, _ consent: ConsentEntry.ID
    ) throws(LedgerError) {
        let provenance = Provenance(
            source: book.source, sampleType: book.domain.id, granularity: .moment, consent: consent)
        try database.run(
            "REPLACE INTO book(id, \(Provenance.columnNames), sealed) VALUES (?, ?, ?, ?, ?, ?)",
            [.int64(name.id)] + provenance.columns + [.blob(ledger.seal(bytes, for: .book(name.id, provenance)))])
    }
}
