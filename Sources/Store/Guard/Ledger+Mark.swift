import Glibc
import Core

/// How far the store has come, by which it is noticed that it was put back, in whole or in part.
extension Ledger {
    /// Reads the mark as it is stored. Throws `damaged` where it is gone or does not open.
    func storedMark() throws(LedgerError) -> StoreMark {
        let rows = try database.rows("SELECT sealed, generation FROM meta") { ($0.blob(0), $0.integer(1)) }
        guard let row = rows.first, let mark = openMark(row.0), mark.generation == row.1 else {
            throw .damaged(path: path, detail: "the row that vouches for all others was changed or removed")
        }
        return mark
    }

    func openMark(_ sealed: [UInt8]) -> StoreMark? { StoreMark.opened(sealed, vault) }

    /// Part of the caller's transaction.
    func write(_ mark: StoreMark) throws(LedgerError) {
        try database.run(
            "REPLACE INTO meta(id, generation, sealed) VALUES (1, ?, ?)",
            [.int64(mark.generation), .blob(seal(mark.payload, for: .mark))])
    }

    /// Begins to watch over the store, from the state that it has.
    func follow(_ mark: StoreMark) throws(LedgerError) {
        self.mark = mark
        (changes, comparedVersion) = (StoreDigest(), nil)
        generation = max(mark.generation, try checkpointGeneration())
        let files = OpenFiles(path: path)
        database.check = { [path] () throws(LedgerError) in
            if let fault = files.fault() { throw .damaged(path: path, detail: fault) }
        }
        database.began = { [unowned self] () throws(LedgerError) in try readMark() }
        database.willCommit = { [unowned self] () throws(LedgerError) in try raiseGeneration() }
        database.isMarked = { [unowned self] in nextMark != nil }
        database.didCommit = { [unowned self] in committed() }
        database.follow(StoreDigest.tables) { [unowned self] table, sealed, isThere in
            let hash = hash(sealed)
            if isThere { changes.add(hash, to: table) } else { changes.subtract(hash, from: table) }
        }
    }

    private func checkpointGeneration() throws(LedgerError) -> Int64 {
        try database.integer("SELECT generation FROM checkpoint") ?? 0
    }

    /// Throws `damaged` where an older state was put back since this process saw the store last.
    private func readMark() throws(LedgerError) {
        checkpointHasGeneration = false
        comparesRows = false
        nextMark = nil
        // They were rolled back, or written outside of a transaction.
        if !changes.isEmpty { (changes, comparedVersion) = (StoreDigest(), nil) }
        let known = try database.rows("SELECT (SELECT generation FROM meta), (SELECT generation FROM checkpoint)") {
            (mark: $0.integer(0), checkpoint: $0.integer(1))
        }
        guard let known = known.first, known.mark >= mark.generation, max(known.mark, known.checkpoint) >= generation
        else {
            throw .damaged(path: path, detail: Ledger.putBack)
        }
        // It is written anew with more than the state, and what it vouches for is read by then: it has to open.
        if known.mark != mark.generation || !isStateAlone { mark = try storedMark() }
        generation = max(known.mark, known.checkpoint)
        guard !isStateAlone else { return }
        let version = try database.integer("PRAGMA data_version")
        // Its own commits keep the digest up to date. All rows are read where anybody else has written since it read them last.
        guard version != comparedVersion else { return }
        try compareRows()
        comparedVersion = version
    }

    /// Rows that were removed or put back since the last commit leave days that are not whole, and are told once.
    ///
    /// - Parameter opened: tables of which each row is opened too.
    func compareRows(opening opened: [SalvageTable] = []) throws(LedgerError) {
        comparesRows = true
        var digest = StoreDigest()
        for (number, name) in StoreDigest.tables.enumerated() {
            guard let table = opened.first(where: { $0.name == name }) else {
                _ = try database.rows("SELECT sealed FROM \(name)") { digest.add(hash($0.blob(0)), to: number) }
                continue
            }
            let areSound = try rows(of: table) { row in
                digest.add(hash(row.sealed), to: number)
                return opens(row, table.place)
            }
            if areSound.contains(false) { note(name) }
        }
        let outside = digest - mark.digest - changes
        changes = changes + outside
        let changed = outside.changedTables
        guard !changed.isEmpty else { return }
        if changed.contains(StoreDigest.books) { doubtBooks() }
        changed.forEach(note)
        // Of a day nothing is missing where alarms are.
        if changed != [StoreDigest.books] { addGap(StoreGap(from: nil)) }
    }

    private func hash(_ sealed: [UInt8]) -> SIMD4<UInt64> {
        hashedRows += 1
        return vault.hash(ofSeal: sealed)
    }

    /// What to tell of rows that were changed; nil where none were found since this process opened the store.
    public var changedRowsNotice: String? {
        guard !changedTables.isEmpty else { return nil }
        let ofDays = "; days that had not been sent by then are incomplete and stay here"
        let ofBooks = "; alarms and nudges may be missing, or older ones: look at them with anicca alarm"
        return "rows of the store were changed, removed or put back outside this program, in: "
            + changedTables.joined(separator: " ")
            + (changedTables == [StoreDigest.books] ? "" : ofDays)
            + (changedTables.contains(StoreDigest.books) ? ofBooks : "")
    }

    static let putBack = "it was put back from an older copy"

    /// Before a commit: where the checkpoint does not carry the new generation, the mark does.
    private func raiseGeneration() throws(LedgerError) {
        guard !checkpointHasGeneration || nextMark != nil || !changes.isEmpty else { return }
        var next = nextMark ?? mark
        next.generation = generation + 1
        if !checkpointHasGeneration || nextMark != nil { next.decided = next.generation }
        next.digest = mark.digest + changes
        try write(next)
        nextMark = next
    }

    private func committed() {
        generation += 1
        changes = StoreDigest()
        guard let nextMark else { return }
        mark = nextMark
        if mark.decided == generation { anchorStore() }
    }

    /// Changes the mark as part of the caller's transaction.
    func changeMark(_ change: (inout StoreMark) -> Void) {
        var next = nextMark ?? mark
        change(&next)
        if next != nextMark ?? mark { nextMark = next }
    }
}

/// The record outside of the store's directory.
extension Ledger {
    /// Notes outside of the store how far it has come: at a start, at an end, and with every commit of more than figures.
    ///
    /// - Parameter files: see `StoreAnchor.Record`.
    public func anchorStore(_ files: [UInt8] = []) {
        var record = record
        record.files = files
        guard let reason = anchor.write(record, vault), anchorFault == nil else { return }
        anchorFault = "\(reason): whether an older copy of the store is put back is not noticed"
    }

    var record: StoreAnchor.Record {
        StoreAnchor.Record(identity: mark.identity, generation: generation, markGeneration: mark.decided)
    }

    /// Together, what the two places outside of the store say.
    static func known(_ anchor: StoreAnchor, _ running: String?, _ vault: Vault) -> StoreAnchor.Reading {
        let durable = anchor.read(vault)
        guard let present = running.flatMap({ RunningState.record(at: $0, vault) }) else { return durable }
        guard let record = durable.record else { return durable == .absent ? .known(present) : durable }
        guard present.identity == record.identity else { return durable }
        return .known(
            StoreAnchor.Record(
                identity: record.identity, generation: max(record.generation, present.generation),
                markGeneration: max(record.markGeneration, present.markGeneration), files: record.files))
    }

    /// Throws `damaged` where the store is an older one than is known outside of it. Returns whether it lacks commits of figures,
    /// and of nothing else.
    func compare(
        _ mark: StoreMark, with known: StoreAnchor.Reading, _ role: Role, isNew: Bool
    ) throws(LedgerError) -> Bool {
        switch known {
        case .absent where isNew: return false
        case .absent: loseAnchor("was removed", mark)
        case .unreadable: loseAnchor("does not open", mark)
        case .refused(let error): throw .refused(error)
        // A bad card for the keeper, which has to go on. A visitor leaves to it what is then believed.
        case .failing(let code) where role == .keeper:
            loseAnchor("cannot be read: \(String(cString: strerror(code)))", mark)
        case .busy(let code), .failing(let code):
            throw .failed(path: path, detail: "cannot read \(anchor.path): \(String(cString: strerror(code)))")
        case .known(let known):
            guard known.identity == mark.identity else {
                throw .damaged(path: path, detail: "it is another store than the one that was used last")
            }
            guard known.markGeneration <= mark.decided else { throw .damaged(path: path, detail: Ledger.putBack) }
            return known.generation > max(mark.generation, try checkpointGeneration())
        }
        return false
    }
}

extension Ledger {
    /// Without its anchor a store cannot tell whether it is an older copy, so its consent is not believed.
    private func loseAnchor(_ fault: String, _ mark: StoreMark) {
        trailIsBroken = mark.isAnchored
        anchorFault =
            "\(anchor.path) \(fault); it is made anew"
            + (trailIsBroken
                ? ", and everything is off until the wearer answers: nothing else vouches for what was allowed" : "")
    }

    /// Notes that there is an anchor, once.
    func noteAnchor() throws(LedgerError) {
        guard !mark.isAnchored, anchor.read(vault).record != nil else { return }
        try database.transaction { () throws(LedgerError) in changeMark { $0.isAnchored = true } }
    }

    /// Writes down the version of the tables, as part of the transaction that makes them, or brings them up to date.
    func beginMark(isNew: Bool) throws(LedgerError) {
        var mark = isNew ? StoreMark() : try storedMark()
        mark.schema = Schema.version
        mark.generation += 1
        try write(mark)
    }

    /// Notes that commits were lost, once.
    func noteLoss(known: Int64) throws(LedgerError) {
        if lacksCommits {
            let boots = try storedBoots()
            lastCommitKnown = boots.last.flatMap { boot in boot.log.clock?.time(at: boot.log.seen).wall }
            try database.transaction { () throws(LedgerError) in
                addGap(StoreGap(from: boots.last.map { StoreGap.Moment(boot: $0.id, at: $0.log.seen) }))
                // Whoever knows of the lost commits is not told of them again.
                generation = max(generation, known)
            }
        }
        anchorStore()
    }

    func addGap(_ gap: StoreGap) {
        guard (nextMark ?? mark).gaps.last != gap else { return }
        changeMark { $0.gaps = Array(($0.gaps + [gap]).suffix(StoreGap.most)) }
    }
}
