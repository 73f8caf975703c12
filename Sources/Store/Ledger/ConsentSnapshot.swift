import Domains
import Core

/// The present consent and its times: the whole trail folded into one sealed row, which every change rewrites in its
/// own transaction.
///
/// It is trusted if it opens and refers to the trail's last row by number and hash. This detects rows removed or
/// replaced at the end of the trail, and an older snapshot. `Ledger.verifyTrail` detects an older trail with its older
/// snapshot, by the entries that other rows refer to. An older copy of the whole file cannot be detected from within
/// it.
public struct ConsentSnapshot: Equatable, Sendable {
    /// The state. Empty while the snapshot is not trusted: everything is off and no question is answered.
    public private(set) var state = ConsentState()
    /// The latest entry of the trail; zero before the first. Holds for an untrusted snapshot too.
    public private(set) var lastEntry: ConsentEntry.ID = 0
    /// False if the stored row is unreadable, or is not that of the trail's last entry, or the trail was found broken;
    /// until the wearer has answered again.
    public private(set) var isTrusted = true
    /// Whether the next entry is the first since trust was lost.
    private(set) var beginsAnew = false

    /// The hash of the latest entry.
    private(set) var head = ChainHash.none
    /// See `Ledger.settleTime`. Not stored: the reader's config decides.
    var settleTime = Interval.zero
    /// By domain.
    private var records = ByID(usual: DomainRecord())
    /// Parts of other versions: of the snapshot, and of its lists of answers and domains. They are written back as they
    /// were read; their data is not collected, not sent and not asked about.
    private var kept = Parts()
    private var keptAnswers = Parts()
    private var keptDomains = Parts()

    /// Without any change.
    public init(settleTime: Interval = .zero) { self.settleTime = settleTime }

    /// The snapshot if the stored one cannot be trusted: only the end of the trail. All earlier data counts as
    /// forgotten, because the earlier state is unknown.
    init(untrustedAfter lastEntry: ConsentEntry.ID, head: ChainHash) {
        self.lastEntry = lastEntry
        self.head = head
        isTrusted = false
        beginsAnew = true
        for domain in Domain.all { records[domain.id].forgottenAt = lastEntry }
    }
}

extension ConsentSnapshot {
    /// The entry under which the domain is collected now; nil while it is off.
    ///
    /// A domain turned off by its toggle for less than the settle time, by the times of the entries, keeps its number.
    public func onSince(_ domain: Domain) -> ConsentEntry.ID? { state.toggles.allows(domain) ? lastOn(domain) : nil }

    /// Like `onSince`, but also valid after the domain was turned off; nil if it was never on.
    public func lastOn(_ domain: Domain) -> ConsentEntry.ID? {
        let entry = records[domain.id].lastOn
        return entry > 0 ? entry : nil
    }

    /// The time at which the toggle was last turned, by any actor.
    public func toggledAt(_ domain: Domain) -> WallTime? { records[domain.id].toggledAt }

    /// The time at which an answer to the domain's permission, or an obstacle, was last recorded.
    public func statusChangedAt(_ domain: Domain) -> WallTime? { records[domain.id].statusChangedAt }

    /// The latest entry that records a deletion of the domain's data; zero for none. While the snapshot is not trusted,
    /// and until the next such entry, it is the last entry before trust was lost.
    public func forgottenAt(_ domain: Domain) -> ConsentEntry.ID { records[domain.id].forgottenAt }

    /// The entry since which data of the domain may be held, to be sent now or, if turning off the toggle was a flick,
    /// a moment later; nil if none may.
    public func heldSince(_ domain: Domain, at time: WallTime) -> ConsentEntry.ID? {
        settling(domain, at: time) == nil ? onSince(domain) : lastOn(domain)
    }

    /// The time until the domain counts as off, unless its toggle is turned on before; nil if it is on, or off for
    /// good.
    ///
    /// More than zero, and at most the settle time. Call it again when the time is over, because the wall clock may
    /// have been set meanwhile.
    public func settling(_ domain: Domain, at time: WallTime) -> Interval? {
        guard !state.toggles.allows(domain), let elapsed = elapsed(sinceSlipOf: domain, at: time) else { return nil }
        return settleTime - max(elapsed, .zero)
    }

    /// The entry under which a session that had applied the trail up to `consentRevision` collected its data of the
    /// domain; nil if the domain was turned on again or its data was deleted since, or it was never on.
    func entry(of domain: Domain, asOf consentRevision: ConsentEntry.ID) -> ConsentEntry.ID? {
        guard let lastOn = lastOn(domain), max(lastOn, forgottenAt(domain)) <= consentRevision else { return nil }
        return lastOn
    }

    /// The time since the toggle turned the domain off, if turning it on now would make that a flick: `time` is less
    /// than the settle time away. Nil later, and if the domain is on or was turned off by something else.
    ///
    /// This is the only definition of a flick, both when a toggle is turned on and before. So data closed after the
    /// wait never becomes flicked by a later reading of the same clock.
    ///
    /// `time` may be the earlier of the two, because they can come from two processes. A wall clock that was set counts
    /// as shown: a large step ends the wait, a small step back prolongs it by as much.
    private func elapsed(sinceSlipOf domain: Domain, at time: WallTime) -> Interval? {
        guard let slippedAt = records[domain.id].slippedAt else { return nil }
        let (elapsed, overflows) = time.nanoseconds.subtractingReportingOverflow(slippedAt.nanoseconds)
        guard !overflows, elapsed.magnitude < settleTime.nanoseconds.magnitude else { return nil }
        return Interval(nanoseconds: elapsed)
    }
}

// MARK: - Folding the trail

extension ConsentSnapshot {
    /// Takes the next entry of the trail.
    mutating func add(_ entry: ConsentEntry, hash: ChainHash) {
        state.apply(entry.change, by: entry.by)
        lastEntry = entry.id
        head = hash
        // Entries by the kernel or the administrator are no answer.
        isTrusted = isTrusted || entry.by == .wearer
        beginsAnew = false
        switch entry.change {
        case .toggle(let domain, _, true): turnedOn(domain, entry)
        case .toggle(let domain, _, false): turnedOff(domain, entry)
        case .answer(let permission, _, _):
            for domain in permission.domains { statusChanged(domain, entry) }
        case .obstacle(let domain, _, _): statusChanged(domain, entry)
        case .forgotten(let domain): records[domain.id].forgottenAt = entry.id
        case .part, .unknown: break
        }
    }

    private mutating func turnedOn(_ domain: Domain, _ entry: ConsentEntry) {
        let wasFlicked = elapsed(sinceSlipOf: domain, at: entry.at) != nil
        if !wasFlicked { records[domain.id].lastOn = entry.id }
        records[domain.id].toggledAt = entry.at
        records[domain.id].slippedAt = nil
    }

    /// Notes that the domain was turned off. If its status changed first, the toggle only followed.
    private mutating func turnedOff(_ domain: Domain, _ entry: ConsentEntry) {
        records[domain.id].toggledAt = entry.at
        records[domain.id].slippedAt = state.status(of: domain).allowsCollection ? entry.at : nil
    }

    private mutating func statusChanged(_ domain: Domain, _ entry: ConsentEntry) {
        records[domain.id].statusChangedAt = entry.at
        if !state.status(of: domain).allowsCollection { records[domain.id].slippedAt = nil }
    }
}

// MARK: - Storing

extension ConsentSnapshot {
    /// Never reuse a tag.
    private enum Part {
        /// The latest entry and its hash.
        static let end = Parts.Kind(1, version: 1)
        /// A part for each permission, its id being the tag.
        static let answers = Parts.Kind(2, version: 1)
        /// A part for each domain, its id being the tag.
        static let domains = Parts.Kind(3, version: 1)

        /// Present while the wearer has not answered since trust was lost: whether an entry was added since.
        static let unanswered = Parts.Kind(4, version: 1)

        static let all = [end, answers, domains, unanswered]
        static func answer(_ id: UInt8) -> Parts.Kind { Parts.Kind(UInt16(id), version: 1) }
        static func domain(_ id: UInt8) -> Parts.Kind { Parts.Kind(UInt16(id), version: 1) }
    }

    var payload: [UInt8] {
        var parts = kept
        parts.put(Part.end) { packer in
            packer.put(lastEntry)
            head.pack(into: &packer)
        }
        parts.put(Part.answers, answers.bytes)
        parts.put(Part.domains, domains.bytes)
        if !isTrusted { parts.put(Part.unanswered) { $0.put(!beginsAnew) } }
        return parts.bytes
    }

    private var answers: Parts {
        var parts = keptAnswers
        for permission in Permission.all {
            let answer = state.answer(to: permission)
            let actor = state.answeredBy(permission)
            // A part of another version stays until this version has a value to store.
            guard answer != .notAsked || actor != .wearer || parts[UInt16(permission.id)] == nil else { continue }
            parts.put(Part.answer(permission.id)) {
                $0.put(answer)
                $0.put(actor.rawValue)
            }
        }
        return parts
    }

    private var domains: Parts {
        var parts = keptDomains
        for domain in Domain.all {
            let record = records[domain.id]
            let isUntouched = record == DomainRecord() && !state.toggles.allows(domain)
            guard !isUntouched || parts[UInt16(domain.id)] == nil else { continue }
            parts.put(Part.domain(domain.id)) {
                $0.put(state.toggles.allows(domain))
                $0.put(state.obstacle(to: domain)?.rawValue ?? 0)
                record.pack(into: &$0)
            }
        }
        return parts
    }

    /// Nil for bytes that are not a snapshot.
    init?(payload: [UInt8]) {
        do throws(Unpacker.Malformed) {
            let parts = try Parts(payload)
            guard var end = try parts[Part.end]?.unpacker else { return nil }
            lastEntry = try end.takeEntry()
            head = try ChainHash(from: &end)
            guard end.isAtEnd, let answers = try parts[Part.answers], let domains = try parts[Part.domains] else {
                return nil
            }
            kept = parts.excluding(Part.all)
            if var unanswered = try parts[Part.unanswered]?.unpacker {
                isTrusted = false
                beginsAnew = !(try unanswered.takeBool())
            }
            for part in try Parts(answers.content).all { try take(answer: part) }
            for part in try Parts(domains.content).all { try take(domain: part) }
        } catch {
            return nil
        }
    }

    private mutating func take(answer part: Parts.Part) throws(Unpacker.Malformed) {
        guard let id = UInt8(exactly: part.tag), let permission = Permission(id: id),
            part.version <= Part.answer(id).version
        else { return keptAnswers.put(part.detached) }
        var unpacker = part.unpacker
        let answer = try unpacker.takeAnswer()
        state.apply(
            .answer(permission, from: .notAsked, to: answer), by: ConsentActor(rawValue: try unpacker.take()))
        guard unpacker.isAtEnd else { throw Unpacker.Malformed() }
    }

    private mutating func take(domain part: Parts.Part) throws(Unpacker.Malformed) {
        guard let id = UInt8(exactly: part.tag), let domain = Domain(id: id),
            part.version <= Part.domain(id).version
        else { return keptDomains.put(part.detached) }
        var unpacker = part.unpacker
        let isOn = try unpacker.takeBool()
        let obstacle = try unpacker.takeObstacle()
        let record = try DomainRecord(from: &unpacker)
        guard unpacker.isAtEnd, !isOn || record.lastOn > 0, max(record.lastOn, record.forgottenAt) <= lastEntry else {
            throw Unpacker.Malformed()
        }
        // The actor is not part of the state.
        state.apply(.toggle(domain, from: false, to: isOn), by: .wearer)
        state.apply(.obstacle(domain, from: nil, to: obstacle), by: .kernel)
        records[domain.id] = record
    }
}
