import Domains
import Store
import Core

/// The present consent to send: given by the wearer and not forbidden by the config (SPEC §2, rules 5 and 6).
///
/// It is not enough that a domain is on now: data collected before it was last turned off is not sent, even if it was
/// turned on again since.
struct SendingConsent {
    /// The decision about a value.
    enum Verdict {
        case allowed
        /// Never to be sent.
        case refused
        /// To be decided in a later run.
        case undecided
    }

    /// The state of the trail, which must be trusted.
    let snapshot: ConsentSnapshot
    /// The domains that the config forbids, even if the daemon has not recorded that in the trail.
    let forbidden: DomainSet
    /// The last entry of the trail before the values were read from the outbox. Data forgotten by a later entry may
    /// have been read before it was deleted.
    let readAfter: ConsentEntry.ID
    let now: WallTime

    /// - Parameter entry: the entry under which the value was collected.
    func verdict(on domain: Domain, collectedUnder entry: ConsentEntry.ID) -> Verdict {
        if forbidden.allows(domain) { return .refused }
        if snapshot.forgottenAt(domain) > readAfter { return .undecided }
        guard let since = snapshot.heldSince(domain, at: now), entry >= since else { return .refused }
        return snapshot.state.toggles.allows(domain) ? .allowed : .undecided
    }
}

/// The part of an outbox record that consent allows, or the reason why it is not sent.
enum SendableRecord: Equatable {
    case record(SinkRecord)
    /// No part of it may be sent any more.
    case withheld
    /// Consent to a part of it is settling; until then the record stays unchanged.
    case undecided
    case unreadable

    /// Leaves out every field that may no longer be sent, and adds what fills a figure to it.
    ///
    /// - Parameter now: by the trusted clock.
    init(_ record: OutboxRecord, consent: SendingConsent, at now: WallTime) {
        switch record.content {
        case .day(let day, let fields): self.init(fields, of: day, key: record.key, consent: consent)
        case .event(let event, let entry):
            switch consent.verdict(on: event.kind.domain, collectedUnder: entry) {
            case .allowed: self = .record(SinkRecord(key: "\(record.key)", content: .event(event)))
            case .refused: self = .withheld
            case .undecided: self = .undecided
            }
        case .erasure(let domains, let until):
            // A request to erase withdraws consent to all of these.
            let figures = Figure.all.filter { $0.isSent && domains.contains($0.domain) }
            let events = EventKind.all.filter { domains.contains($0.domain) }
            // An untrusted clock may have set any time.
            let until = (TimeRule.earliest...max(now, TimeRule.earliest)).contains(until) ? until : now
            self = .record(
                SinkRecord(key: "\(record.key)", content: .erasure(figures: figures, events: events, until: until)))
        case .unreadable: self = .unreadable
        }
    }

    private init(_ fields: [OutboxRecord.Value], of day: UTCDay, key: IdempotencyKey, consent: SendingConsent) {
        var figures: [Figure: FigureValue] = [:]
        for field in fields where field.figure.isInRecord {
            switch consent.verdict(on: field.figure.domain, collectedUnder: field.consent) {
            case .allowed: figures[field.figure] = field.value
            case .refused: continue
            case .undecided:
                self = .undecided
                return
            }
        }
        for (figure, minutes) in figures {
            guard let filled = figure.filled else { continue }
            // It stays among the figures, so that a record that has left is known to hold it.
            if let value = figures[filled] {
                figures[filled] = FigureValue(value.number + minutes.number)
            } else {
                figures[figure] = nil
            }
        }
        self = figures.isEmpty ? .withheld : .record(SinkRecord(key: "\(key)", content: .day(day, figures)))
    }
}
