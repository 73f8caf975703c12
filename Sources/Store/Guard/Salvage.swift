import Core

/// Starting again with the readable data of a store that was moved aside: row by row, each sealed row that opens in its
/// place.
extension Ledger {
    /// Fills a new store. It stays empty if the old one is unreadable.
    ///
    /// - Parameters:
    ///   - aside: the old store; nil if it was deleted.
    ///   - known: its known progress.
    func beginAnew(after aside: String?, _ why: String, known: StoreAnchor.Record?) throws(LedgerError) {
        let copy = aside.flatMap { DamagedCopy(of: $0) }
        defer { copy?.remove() }
        let source = copy?.open()
        let salvaged = try transaction { (transaction) throws(LedgerError) in
            let salvaged = try source.map { source throws(LedgerError) in try transaction.salvage(source, known) }
            transaction.addGap(StoreGap(from: nil))
            guard let salvaged else {
                try transaction.distrust()
                return Salvaged()
            }
            return salvaged
        }
        trailIsBroken = !salvaged.consentIsKept
        movedAside = MovedAside(path: aside, why: why, salvaged: salvaged)
    }
}

extension Transaction {
    /// The earlier consent is unknown.
    fileprivate func distrust() throws(LedgerError) {
        let row = try ledger.lastTrailRow()
        let last = row.flatMap(ledger.open)
        try write(ConsentSnapshot(untrustedAfter: row?.id ?? 0, head: last?.hash ?? .none))
        changeMark { $0.consentEnd = row?.id ?? 0 }
    }

    fileprivate func salvage(_ source: Database, _ known: StoreAnchor.Record?) throws(LedgerError) -> Salvaged {
        var reader = SalvageReader(source, ledger)
        let mark = reader.rows(of: .mark).first.flatMap { ledger.openMark($0.sealed) }
        let isCurrent = mark.map { mark in
            known.map { $0.identity == mark.identity && $0.markGeneration <= mark.decided } ?? true
        }
        for table in SalvageTable.beforeOutbox { try copy(table, &reader) }
        try database.run("DELETE FROM quarter WHERE \(Ledger.stray)")
        reader.salvaged.quarters -= database.changes
        reader.salvaged.lostRows += database.changes
        try endDays()
        var salvaged = reader.salvaged
        if isCurrent == true { salvaged.consentIsKept = try keepConsent(&reader, end: mark?.consentEnd ?? .max) }
        if !salvaged.consentIsKept { try distrust() }
        if isCurrent == true {
            for table in SalvageTable.ofOutbox { try copy(table, &reader) }
            salvaged.records = try ledger.queuedRows().count { !(ledger.fields(of: $0) ?? []).isEmpty }
        }
        salvaged.lostRows = reader.salvaged.lostRows
        salvaged.brokenTables = reader.salvaged.brokenTables
        return salvaged
    }

    private func copy(_ table: SalvageTable, _ reader: inout SalvageReader) throws(LedgerError) {
        let marks = table.columns.map { _ in "?" }.joined(separator: ", ")
        for row in reader.rows(of: table) {
            try database.run(
                "INSERT OR IGNORE INTO \(table.name)(\(table.columnNames)) VALUES (\(marks))", row.values)
        }
    }

    /// Days folded before are final, so that no day gets a second record.
    private func endDays() throws(LedgerError) {
        let days = try ledger.storedDays()
        if let last = days.folded.filter({ !$0.value }).keys.max() { try makeFinal(through: last) }
    }

    /// Takes over the snapshot if it and the trail are intact. Returns whether they are.
    private func keepConsent(_ reader: inout SalvageReader, end: ConsentEntry.ID) throws(LedgerError) -> Bool {
        guard let row = reader.rows(of: .consentNow).first, let snapshot = ledger.openSnapshot(row.sealed),
            snapshot.isTrusted
        else { return false }
        try write(snapshot)
        let last = try database.integer("SELECT max(id) FROM consent") ?? 0
        guard snapshot.lastEntry == end, last == end else { return false }
        changeMark { $0.consentEnd = end }
        try write(mark)
        return try ledger.trailReport().isAnswered
    }
}
