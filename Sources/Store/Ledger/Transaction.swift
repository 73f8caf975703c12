/// A writing transaction of the store: its changes are committed together or, if it throws, not at all.
///
/// `Ledger.transaction` makes it, and every change of a row needs one, except the check of the key at the opening. It
/// holds the write lock from its beginning, so the rows that it reads stay as they are until its end.
final class Transaction {
    unowned let ledger: Ledger
    /// The mark that the commit stores. It differs from that of the ledger where the transaction has changed it.
    private(set) var mark: StoreMark
    /// Whether it writes only the checkpoint, which then has the next generation in place of the mark.
    let isStateAlone: Bool
    var checkpointHasGeneration = false
    /// Whether all rows were compared with the digest.
    private(set) var comparesRows = false
    /// The changes of the rows: its own, and those that were made outside this program before.
    private(set) var digest = StoreDigest()

    var database: Database { ledger.database }
    var vault: Vault { ledger.vault }
    var path: String { ledger.path }

    fileprivate init(of ledger: Ledger, isStateAlone: Bool = false) {
        self.ledger = ledger
        self.isStateAlone = isStateAlone
        mark = ledger.mark
    }

    /// Changes the mark, with the commit.
    func changeMark(_ change: (inout StoreMark) -> Void) { change(&mark) }

    /// A row with this hash was added or removed.
    func note(_ hash: SIMD4<UInt64>, in table: Int, isThere: Bool) {
        if isThere { digest.add(hash, to: table) } else { digest.subtract(hash, from: table) }
    }

    fileprivate var changesMark: Bool { mark != ledger.mark }
}

extension Ledger {
    /// Runs `work` in a transaction, which is rolled back if it throws.
    @discardableResult
    func transaction<Result>(
        isStateAlone: Bool = false, _ work: (Transaction) throws(LedgerError) -> Result
    ) throws(LedgerError) -> Result {
        let transaction = Transaction(of: self, isStateAlone: isStateAlone)
        openTransaction = transaction
        let before = database.totalChanges
        var isCommitted = false
        defer {
            openTransaction = nil
            // The mark does not have these changes, so the next transaction looks for them.
            if !isCommitted, !transaction.digest.isEmpty { comparedVersion = nil }
        }
        let result = try database.transaction { () throws(LedgerError) in
            try transaction.begin()
            let result = try work(transaction)
            if database.totalChanges != before || transaction.changesMark { try transaction.raiseGeneration() }
            return result
        }
        isCommitted = database.totalChanges != before
        if isCommitted { transaction.committed() }
        return result
    }

    /// Makes the tables, or brings them to the newest version. Before the store has a mark, nothing is compared.
    func migrate(_ finish: (Transaction, _ isNew: Bool) throws(LedgerError) -> Void) throws(LedgerError) {
        try database.migrate { (isNew) throws(LedgerError) in try finish(Transaction(of: self), isNew) }
    }
}

extension Transaction {
    /// Throws `damaged` if the store was replaced by an older state since this process last read it.
    fileprivate func begin() throws(LedgerError) {
        let known = try database.rows("SELECT (SELECT generation FROM meta), (SELECT generation FROM checkpoint)") {
            (mark: $0.integer(0), checkpoint: $0.integer(1))
        }
        guard let known = known.first, known.mark >= mark.generation,
            max(known.mark, known.checkpoint) >= ledger.generation
        else {
            throw .damaged(path: path, detail: Ledger.putBack)
        }
        // A commit of more than the state rewrites the mark, and relies on its content: it has to open.
        if known.mark != mark.generation || !isStateAlone {
            mark = try ledger.storedMark()
            ledger.mark = mark
        }
        ledger.generation = max(known.mark, known.checkpoint)
        guard !isStateAlone else { return }
        let version = try database.integer("PRAGMA data_version")
        // Own commits keep the digest up to date. All rows are read if another process has written since the last
        // comparison.
        guard version != ledger.comparedVersion else { return }
        try compareRows()
        ledger.comparedVersion = version
    }

    /// Rows removed or put back since the last commit leave incomplete days, and are reported once.
    ///
    /// - Parameter opened: tables whose rows are opened too.
    func compareRows(opening opened: [SalvageTable] = []) throws(LedgerError) {
        comparesRows = true
        var present = StoreDigest()
        for (number, name) in StoreDigest.tables.enumerated() {
            guard let table = opened.first(where: { $0.name == name }) else {
                _ = try database.rows("SELECT sealed FROM \(name)") { present.add(ledger.hash($0.blob(0)), to: number) }
                continue
            }
            let areSound = try ledger.rows(of: table) { row in
                present.add(ledger.hash(row.sealed), to: number)
                return ledger.opens(row, table.place)
            }
            if areSound.contains(false) { ledger.noteChanged(name) }
        }
        let outside = present - mark.digest - digest
        digest = digest + outside
        let changed = outside.changedTables
        guard !changed.isEmpty else { return }
        if changed.contains(StoreDigest.books) { ledger.doubtBooks() }
        changed.forEach(ledger.noteChanged)
        // Changes of alarms and nudges make no day incomplete.
        if changed != [StoreDigest.books] { addGap(StoreGap(from: nil)) }
    }

    /// Before the commit: stores the new generation in the mark, unless the checkpoint has it.
    fileprivate func raiseGeneration() throws(LedgerError) {
        let changesMark = changesMark
        guard !checkpointHasGeneration || changesMark || !digest.isEmpty else { return }
        mark.generation = ledger.generation + 1
        if !checkpointHasGeneration || changesMark { mark.decided = mark.generation }
        mark.digest = mark.digest + digest
        try write(mark)
    }

    fileprivate func committed() {
        ledger.generation += 1
        guard changesMark else { return }
        ledger.mark = mark
        if mark.decided == ledger.generation { ledger.anchorStore() }
    }

    func write(_ mark: StoreMark) throws(LedgerError) {
        try database.run(
            "REPLACE INTO meta(id, generation, sealed) VALUES (1, ?, ?)",
            [.int64(mark.generation), .blob(ledger.seal(mark.payload, for: .mark))])
    }

    /// Writes the version of the tables, in the transaction that makes or migrates them.
    func beginMark(isNew: Bool) throws(LedgerError) {
        var mark = isNew ? StoreMark() : try ledger.storedMark()
        mark.schema = Schema.version
        mark.generation += 1
        try write(mark)
    }
}
