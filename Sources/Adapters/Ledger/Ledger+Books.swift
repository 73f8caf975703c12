import Domains
import Quantities
import Vault

/// The rows of `book`: each kind has numbers of its own, which are never used for another.
enum Book {
    static let alarms: Int64 = 1
    static let nudges: Int64 = 2
    /// From here on, those of the places of each UTC day.
    static let firstDay: Int64 = 1_000_000

    static func id(of day: UTCDay) -> Int64 { firstDay + Int64(day.daysSinceEpoch) }

    static func day(ofID id: Int64) -> UTCDay? { Int32(exactly: id - firstDay).map { UTCDay(daysSinceEpoch: $0) } }
}

/// The alarms that the wearer set, and the nudges of servers: each kind is one sealed row, which every change rewrites.
extension Ledger {
    /// The alarms; none before the first was set.
    public func alarms() throws(LedgerError) -> AlarmBook {
        try book(Book.alarms, "the alarms")
    }

    /// Changes the alarms as they are stored.
    ///
    /// - Parameters:
    ///   - known: takes the place of a book that does not open, or that was changed outside this program; nil where the caller knows none.
    ///   - change: called once, or not at all where the store cannot be written.
    public func changeAlarms<Result>(
        known: AlarmBook? = nil, _ change: (inout AlarmBook) -> Result
    ) throws(LedgerError) -> Result {
        try database.transaction { () throws(LedgerError) in
            let stored = try readable { () throws(LedgerError) in try alarms() }
            var book = believed(Book.alarms, stored, known) ?? AlarmBook()
            let result = change(&book)
            if book != stored { try write(Book.alarms, book.bytes) }
            return result
        }
    }

    /// The nudges of the last days.
    public func nudges() throws(LedgerError) -> NudgeBook {
        try book(Book.nudges, "the nudges")
    }

    /// As `changeAlarms`.
    public func changeNudges(
        known: NudgeBook? = nil, _ change: (inout NudgeBook) -> Void
    ) throws(LedgerError) {
        try database.transaction { () throws(LedgerError) in
            let stored = try readable { () throws(LedgerError) in try nudges() }
            var book = believed(Book.nudges, stored, known) ?? NudgeBook()
            change(&book)
            if book != stored { try write(Book.nudges, book.bytes) }
        }
    }

    /// Part of the caller's transaction. Returns how many alarms and nudges there were.
    func forgetBooks() throws(LedgerError) -> Int {
        let alarms = try countable { () throws(LedgerError) in try self.alarms().alarms.count } ?? 0
        let nudges = try countable { () throws(LedgerError) in try self.nudges().nudges.count } ?? 0
        try delete(from: .book, where: "id < ?", [.int64(Book.firstDay)])
        return alarms + nudges
    }

    /// Some book was changed outside this program.
    func doubtBooks() { doubtedBooks = [Book.alarms, Book.nudges] }

    private func believed<Value>(_ id: Int64, _ stored: Value?, _ known: Value?) -> Value? {
        guard let known else { return stored }
        return doubtedBooks.remove(id) == nil ? stored ?? known : known
    }

    /// Nil for a book that does not open.
    func readable<Value>(_ read: () throws(LedgerError) -> Value) throws(LedgerError) -> Value? {
        do {
            return try read()
        } catch .unreadable {
            note(StoreDigest.books)
            return nil
        }
    }

    /// Throws `newerPart` for a book that a newer version of this program wrote.
    public func refuseNewerBooks() throws(LedgerError) {
        _ = try readable { () throws(LedgerError) in try alarms() }
        _ = try readable { () throws(LedgerError) in try nudges() }
        _ = try places()
    }

    /// Nil for a book that does not open or that a newer version of this program wrote: the wearer's word deletes it all the same.
    func countable<Value>(_ read: () throws(LedgerError) -> Value) throws(LedgerError) -> Value? {
        do {
            return try readable(read)
        } catch .newerPart {
            return nil
        }
    }

    /// The value of a row; an empty one where there is no row.
    func book<Value: StoredBook>(_ id: Int64, _ name: String) throws(LedgerError) -> Value {
        let rows = try database.rows("SELECT sealed, \(Provenance.columnNames) FROM book WHERE id = ?", [.int64(id)]) {
            (sealed: $0.blob(0), provenance: Provenance($0, from: 1))
        }
        guard let row = rows.first else { return Value() }
        guard let provenance = row.provenance else { throw .unreadable(path: path, row: name) }
        let bytes = try opened(row.sealed, at: .book(id, provenance), called: name) { Array($0) }
        if let newer = Value.newerPart(of: bytes) {
            throw .newerPart(path: path, part: name, found: newer.found, known: newer.known)
        }
        do throws(Unpacker.Malformed) {
            return try Value(bytes)
        } catch {
            throw .unreadable(path: path, row: name)
        }
    }

    func write(_ id: Int64, _ bytes: [UInt8], of domain: Domain, _ consent: ConsentEntry.ID) throws(LedgerError) {
        let source: Source = domain == .location ? .gps : .session
        let provenance = Provenance(source: source, sampleType: domain.id, granularity: .moment, consent: consent)
        try database.run(
            "REPLACE INTO book(id, \(Provenance.columnNames), sealed) VALUES (?, ?, ?, ?, ?, ?)",
            [.int64(id)] + provenance.columns + [.blob(seal(bytes, for: .book(id, provenance)))])
    }

    private func write(_ id: Int64, _ bytes: [UInt8]) throws(LedgerError) {
        try write(id, bytes, of: .alarm, try consent().lastOn(.alarm) ?? 0)
    }
}
