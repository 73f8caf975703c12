import Domains
import Ledger
import Quantities

/// The consent to send at this moment: given by the wearer and not forbidden by the config (SPEC §2, rules 5 and 6).
///
/// It does not suffice that a domain is on now: data collected before it was last turned off is not sent, although it
/// was turned on again since.
struct SendingConsent {
    /// The decision about a value.
    enum Verdict {
        case allowed
        /// Not to be sent, now or later.
        case refused
        /// To be decided in a later run.
        case undecided
    }

    /// The state of the trail, which must be trusted.
    let snapshot: ConsentSnapshot
    /// The domains that the config forbids, whether or not the daemon has entered that in the trail.
    let forbidden: DomainSet
    /// The last entry of the trail before the values were read from the outbox. Data forgotten after it may have been
    /// read before it was deleted.
    let readAfter: ConsentEntry.ID
    let now: WallTime

    /// - Parameter entry: the one under which the value was collected.
    func verdict(on domain: Domain, collectedUnder entry: ConsentEntry.ID) -> Verdict {
        if forbidden.allows(domain) { return .refused }
        if snapshot.forgottenAt(domain) > readAfter { return .undecided }
        if snapshot.allowsSending(domain, collectedUnder: entry) { return .allowed }
        // Off, and perhaps only for a moment: then it is judged as if it had stayed on.
        guard snapshot.isSettling(domain, at: now), let lastOn = snapshot.lastOn(domain) else { return .refused }
        return entry >= lastOn ? .undecided : .refused
    }
}
