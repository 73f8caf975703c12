import Core

extension Ledger {
    /// Reads the whole trail and reports every change that was made outside this program. A broken chain is a finding,
    /// not an error.
    public func verifyTrail() throws(LedgerError) -> TrailReport {
        try database.snapshot { () throws(LedgerError) in try trailReport() }
    }

    /// Like `verifyTrail`, within a transaction or snapshot.
    func trailReport() throws(LedgerError) -> TrailReport {
        let stored = try database.rows("SELECT sealed FROM consent_now") { $0.blob(0) }
        let marks = try database.rows("SELECT sealed FROM meta") { $0.blob(0) }
        let end = marks.first.flatMap(openMark)?.consentEnd ?? 0
        var check = TrailCheck(
            stored.first.flatMap(openSnapshot), latestNamed: max(try latestNameOfAnEntry(), end))
        _ = try database.rows("SELECT id, sealed FROM consent ORDER BY id DESC") {
            let row = SealedEntry(id: $0.integer(0), sealed: $0.blob(1))
            check.visit(row.id, open(row))
        }
        return check.report()
    }
}

/// Walks the trail from its end to its beginning, because every entry is authenticated by the next one, and the last by
/// the snapshot.
private struct TrailCheck {
    private let snapshot: ConsentSnapshot?
    /// The latest entry that any other row of the store refers to, zero for none: it existed once, whatever the
    /// snapshot holds.
    private let latestNamed: ConsentEntry.ID
    /// The previously visited entry, which is the next in the trail; nil before the first.
    private var next: ConsentEntry.ID?
    /// The expected hash of the next visited row; nil if unknown.
    private var expected: ChainHash?
    private var entries = 0
    private var head = ""
    /// Latest first.
    private var findings: [TrailReport.Finding] = []
    /// The number of findings that the wearer has not answered; nil for all.
    private var unanswered: Int?

    init(_ snapshot: ConsentSnapshot?, latestNamed: ConsentEntry.ID) {
        self.snapshot = snapshot
        self.latestNamed = latestNamed
        if snapshot == nil { findings.append(.snapshotUnreadable) }
        if snapshot.map({ !$0.isTrusted }) ?? false { findings.append(.unanswered) }
    }

    mutating func visit(_ id: ConsentEntry.ID, _ opened: (link: ChainLink, hash: ChainHash)?) {
        entries += 1
        if entries == 1, let opened { head = hexadecimal(opened.hash.bytes.prefix(8)) }
        let isInPlace = opened?.link.entry.id == id
        // A foreign row beside the trail does not show the trail's length.
        if isInPlace || (id > 0 && id <= snapshot?.lastEntry ?? .max) { step(to: id) }
        guard let opened, isInPlace else {
            findings.append(opened.map { .moved(id, belongsAt: $0.link.entry.id) } ?? .changed(id))
            expected = nil
            return
        }
        guard expected == nil || expected == opened.hash else {
            findings.append(.changed(id))
            expected = nil
            return
        }
        if opened.link.beginsAnew {
            if unanswered == nil { unanswered = findings.count }
            findings.append(.begunAnew(at: id))
        }
        expected = opened.link.previous
    }

    /// Reports the entries missing between the row and the previously visited one, or the end.
    private mutating func step(to id: ConsentEntry.ID) {
        if let next {
            if next - 1 > id {
                findings.append(.removed(from: id + 1, through: next - 1))
                expected = nil
            }
        } else {
            begin(at: id)
        }
        next = id
    }

    /// Reports the entries missing after the last row, by the snapshot and by the latest entry that other rows refer
    /// to.
    private mutating func begin(at last: ConsentEntry.ID) {
        if let snapshot {
            if snapshot.lastEntry < last { findings.append(.snapshotStale) }
            if snapshot.lastEntry == last { expected = snapshot.head }
        }
        let end = max(snapshot?.lastEntry ?? 0, latestNamed)
        if end > last { findings.append(.truncated(after: last, missing: end - last)) }
    }

    mutating func report() -> TrailReport {
        step(to: 0)
        return TrailReport(
            entries: entries, findings: findings.reversed(), head: head, isAnswered: (unanswered ?? findings.count) == 0
        )
    }
}
