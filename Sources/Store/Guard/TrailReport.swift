/// The result of a check of the consent trail: whether it is unmodified, and every change made outside this program.
public struct TrailReport: Equatable, Sendable {
    /// One change of the trail made outside this program.
    public enum Finding: Equatable, Sendable {
        /// The entry does not open, or is not the one that the next entry was chained to.
        case changed(ConsentEntry.ID)
        /// The place of the first entry holds the second.
        case moved(ConsentEntry.ID, belongsAt: ConsentEntry.ID)
        /// These entries are missing, but later ones exist.
        case removed(from: ConsentEntry.ID, through: ConsentEntry.ID)
        /// `missing` entries after this one are missing at the end.
        case truncated(after: ConsentEntry.ID, missing: Int64)
        /// The state before this entry could not be trusted, so consent began again, with everything off and no
        /// question answered.
        case begunAnew(at: ConsentEntry.ID)
        /// The row with the present state is missing or does not open.
        case snapshotUnreadable
        /// The row with the present state is outdated.
        case snapshotStale
        /// The trail was found broken, or replaced by an older one, and the wearer has not answered since.
        case unanswered
    }

    /// Rows in the trail, whatever their condition.
    public let entries: Int
    /// In the order of the trail, those of the snapshot last. A broken trail is never repaired.
    public let findings: [Finding]
    /// The hash of the last entry in 16 hexadecimal digits, which changes with every entry: to be noted and compared
    /// later. Empty without entries, or if the last one does not open.
    public let head: String

    public var isIntact: Bool { findings.isEmpty }
    /// Whether consent began again after all findings: the wearer has answered them.
    public let isAnswered: Bool

    init(entries: Int, findings: [Finding], head: String, isAnswered: Bool? = nil) {
        self.entries = entries
        self.findings = findings
        self.head = head
        self.isAnswered = isAnswered ?? findings.isEmpty
    }
}

extension TrailReport.Finding: CustomStringConvertible {
    public var description: String {
        switch self {
        case .changed(let id): "entry \(id) was changed"
        case .moved(let id, let home): "entry \(id) was replaced by entry \(home)"
        case .removed(let first, let last) where first == last: "entry \(first) was removed"
        case .removed(let first, let last): "entries \(first) to \(last) were removed"
        case .truncated(let id, let missing):
            "the end was cut off after entry \(id): \(missing) \(missing == 1 ? "entry is" : "entries are") missing"
        case .begunAnew(let id):
            "consent restarted at entry \(id), because the earlier state could not be trusted"
        case .snapshotUnreadable: "the stored state of consent was changed or removed"
        case .unanswered: "all domains are off until you answer again: the earlier permissions are uncertain"
        case .snapshotStale: "the stored state of consent was put back to an older one"
        }
    }
}
