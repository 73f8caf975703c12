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

    /// Starts to track the store from its present state.
    func follow(_ mark: StoreMark) throws(LedgerError) {
        self.mark = mark
        comparedVersion = nil
        generation = max(mark.generation, try checkpointGeneration())
        let files = OpenFiles(path: path)
        database.check = { [path] () throws(LedgerError) in
            if let fault = files.fault() { throw .damaged(path: path, detail: fault) }
        }
        database.follow(StoreDigest.tables) { [unowned self] table, sealed, isThere in
            guard let openTransaction else { return comparedVersion = nil }
            openTransaction.note(hash(sealed), in: table, isThere: isThere)
        }
    }

    private func checkpointGeneration() throws(LedgerError) -> Int64 {
        try database.integer("SELECT generation FROM checkpoint") ?? 0
    }

    func hash(_ sealed: [UInt8]) -> SIMD4<UInt64> {
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
        try transaction { (transaction) throws(LedgerError) in transaction.changeMark { $0.isAnchored = true } }
    }

    /// Records lost commits, once.
    func noteLoss(known: Int64) throws(LedgerError) {
        if lacksCommits {
            let boots = try storedBoots()
            lastCommitKnown = boots.last.flatMap { boot in boot.log.clock?.time(at: boot.log.seen).wall }
            try transaction { (transaction) throws(LedgerError) in
                transaction.addGap(StoreGap(from: boots.last.map { StoreGap.Moment(boot: $0.id, at: $0.log.seen) }))
                // Known lost commits are not reported again.
                generation = max(generation, known)
            }
        }
        anchorStore()
    }
}
