import Consent
import Ledger
import Quantities

/// What the wearer allows to be sent at this moment, read from the consent trail (SPEC §2, rules 5 and 6).
///
/// A domain that is on now is not enough: what was collected before it was last turned off stays here, although
/// it was turned on again since.
struct SendingConsent {
    /// A domain that was off for no longer than this was never off.
    static let settleTime = Interval.milliseconds(220)

    /// For each domain that is on, the entry that turned it on when it last was off.
    private var onSince: [Domain: ConsentEntry.ID] = [:]

    /// - Parameter trail: every entry, oldest first.
    init(_ trail: [ConsentEntry]) {
        var lastOff: [Domain: (at: WallTime, onSince: ConsentEntry.ID?)] = [:]
        for entry in trail {
            if !entry.isOn {
                lastOff[entry.domain] = (entry.at, onSince[entry.domain])
                onSince[entry.domain] = nil
            } else if let off = lastOff[entry.domain], let before = off.onSince,
                (.zero...SendingConsent.settleTime).contains(entry.at - off.at)
            {
                onSince[entry.domain] = before
            } else {
                onSince[entry.domain] = entry.id
            }
        }
    }

    /// Whether what was collected in the domain under `entry` may be sent.
    func allows(_ domain: Domain, collectedUnder entry: ConsentEntry.ID) -> Bool {
        guard let since = onSince[domain] else { return false }
        return entry >= since
    }
}
