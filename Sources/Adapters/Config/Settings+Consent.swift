import Domains
import Quantities

extension Settings {
    /// The administrator's decisions about consent.
    public struct Consent: Equatable, Sendable {
        /// The permissions that count as agreed to without a question, as on a bench device; no name twice.
        public var granted: [Permission] = []
        /// The domains that stay off whatever the wearer says.
        public var forbidden: DomainSet = []
        /// The time that a toggle must stay off before devices are closed and unsent fields dropped (SPEC §2 rule 6). The
        /// store is opened with it, and decides by it.
        public var settleTime = Interval.milliseconds(220)
    }

    /// The administrator's decision about one domain.
    enum Policy: String, CaseIterable, Sendable {
        case allowed, forbidden
    }
}

extension Settings.Consent {
    subscript(policy domain: Domain) -> Settings.Policy {
        get { forbidden.allows(domain) ? .forbidden : .allowed }
        set { forbidden.set(domain, to: newValue == .forbidden) }
    }
}
