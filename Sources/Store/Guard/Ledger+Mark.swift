import Glibc
import Core

/// The progress of the store, to detect that it was replaced by an older copy, as a whole or in part.
extension Ledger {
    /// Reads the stored mark. Throws `damaged` if it is missing or does not open.
    func storedMark() throws(LedgerError) -> StoreMark {
        let rows = try database.rows("SELECT sealed, generation FROM meta") { ($0.blob(0), $0.integer(1)) }
        guard let row = rows.first, let mark = openMark(row.0), mark.generation == row.1 else {
            throw .damaged(path: path, detail: "the row that authenticates all others was changed or removed")
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

    /// Starts to track the store from its present state.
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

    /// Throws `damaged` if the store was replaced by an older state since this process last read it.
    private func readMark() throws(LedgerError) {
        checkpointHasGeneration = false
        comparesRows = false
        nextMark = nil
        // Changes that were rolled back, or written outside a transaction.
        if !changes.isEmpty { (changes, comparedVersion) = (StoreDigest(), nil) }
        let known = try database.rows("SELECT (SELECT generation FROM meta), (SELECT generation FROM checkpoint)") {
            (mark: $0.integer(0), checkpoint: $0.integer(1))
        }
        guard let known = known.first, known.mark >= mark.generation, max(known.mark, known.checkpoint) >= generation
        else {
            throw .damaged(path: path, detail: Ledger.putBack)
        }
        // A commit of more than the state rewrites the mark, and relies on its content: it has to open.
        if known.mark != mark.generation || !isStateAlone { mark = try storedMark() }
        generation = max(known.mark, known.checkpoint)
        guard !isStateAlone else { return }
        let version = try database.integer("PRAGMA data_version")
        // Own commits keep the digest up to date. All rows are read if another process has written since the last
        // comparison.
        guard version != comparedVersion else { return }
        try compareRows()
        comparedVersion = version
    }

    /// Rows removed or put back since the last commit leave incomplete days, and are reported once.
    ///
    /// - Parameter opened: tables whose rows are opened too.
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
        // Changes of alarms and nudges make no day incomplete.
        if changed != [StoreDigest.books] { addGap(StoreGap(from: nil)) }
    }

    private func hash(_ sealed: [UInt8]) -> SIMD4<UInt64> {
        hashedRows += 1
        return vault.hash(ofSeal: sealed)
    }

    /// The message about changed rows; nil if none were found since this process opened the store.
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

    /// Before a commit: stores the new generation in the mark, unless the checkpoint has it.
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
    /// Stores the progress outside the store: at a start, at an end, and with every commit of more than figures.
    ///
    /// - Parameter files: see `StoreAnchor.Record`.
    public func anchorStore(_ files: [UInt8] = []) {
        var record = record
        record.files = files
        guard let reason = anchor.write(record, vault), anchorFault == nil else { return }
        anchorFault = "\(reason): a replacement of the store by an older copy cannot be detected"
    }

    var record: StoreAnchor.Record {
        StoreAnchor.Record(identity: mark.identity, generation: generation, markGeneration: mark.decided)
    }

    /// Combines the two records outside the store.
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

    /// Throws `damaged` if the store is older than known outside it. Returns whether it lacks commits of figures only.
    func compare(
        _ mark: StoreMark, with known: StoreAnchor.Reading, _ role: Role, isNew: Bool
    ) throws(LedgerError) -> Bool {
        switch known {
        case .absent where isNew: return false
        case .absent: loseAnchor("was removed", mark)
        case .unreadable: loseAnchor("does not open", mark)
        case .refused(let error): throw .refused(error)
        // A keeper continues despite a bad card. A visitor fails and leaves the decision to the keeper.
        case .failing(let code) where role == .keeper:
            loseAnchor("cannot be read: \(String(cString: strerror(code)))", mark)
        case .busy(let code), .failing(let code):
            throw .failed(path: path, detail: "cannot read \(anchor.path): \(String(cString: strerror(code)))")
        case .known(let known):
            guard known.identity == mark.identity else {
                throw .damaged(path: path, detail: "it is not the store that was used last")
            }
            guard known.markGeneration <= mark.decided else { throw .damaged(path: path, detail: Ledger.putBack) }
            return known.generation > max(mark.generation, try checkpointGeneration())
        }
        return false
    }
}

extension Ledger {
    /// Without its anchor, a store cannot show that it is no older copy, so its consent is not believed.
    private func loseAnchor(_ fault: String, _ mark: StoreMark) {
        trailIsBroken = mark.isAnchored
        anchorFault =
            "\(anchor.path) \(fault); it is created again"
            + (trailIsBroken
                ? ", and all domains are off until the wearer answers: no other record proves the permissions" : "")
    }

    /// Records once that an anchor exists.
    func noteAnchor() throws(LedgerError) {
        guard !mark.isAnchored, anchor.read(vault).record != nil else { return }
        try database.transaction { () throws(LedgerError) in changeMark { $0.isAnchored = true } }
    }

    /// Writes the version of the tables, in the transaction that makes or migrates them.
    func beginMark(isNew: Bool) throws(LedgerError) {
        var mark = isNew ? StoreMark() : try storedMark()
        mark.schema = Schema.version
        mark.generation += 1
        try write(mark)
    }

    /// Records lost commits, once.
    func noteLoss(known: Int64) throws(LedgerError) {
        if lacksCommits {
            let boots = try storedBoots()
            lastCommitKnown = boots.last.flatMap { boot in boot.log.clock?.time(at: boot.log.seen).wall }
            try database.transaction { () throws(LedgerError) in
                addGap(StoreGap(from: boots.last.map { StoreGap.Moment(boot: $0.id, at: $0.log.seen) }))
                // Known lost commits are not reported again.
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
