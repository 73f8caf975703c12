import Domains
import Core

extension Settings {
    /// The administrator's decisions about consent.
    public struct Consent: Equatable, Sendable {
        /// The permissions that count as agreed to without a question, as on a bench device; without duplicates.
        public var granted: [Permission] = []
        /// The domains that stay off whatever the wearer decides.
        public var forbidden: DomainSet = []
        /// The time that a toggle must stay off before devices are closed and unsent fields dropped (SPEC §2 rule 6).
        /// The store is opened with it, and applies it.
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

extension Settings {
    static var consent: SettingSection<Settings> {
        SettingSection(
            "consent", "Permissions that count as granted, and the delay until turning a toggle off takes full effect.",
            [
                SettingKey(
                    "granted", .permissions, \.consent.granted,
                    "Permissions that count as agreed to if listed here and unanswered; for bench devices."),
                SettingKey(
                    "settle-time", .interval(.zero...(.seconds(10))), \.consent.settleTime,
                    "A toggle that is turned off and on again within this closes no device and drops no field."),
            ])
    }

    /// One key for each domain.
    static var policy: SettingSection<Settings> {
        SettingSection(
            "policy", "Domains that the administrator forbids; they stay off regardless of the wearer's decision.",
            Domain.all.map { SettingKey($0.description, .choice, \.consent[policy: $0], $0.words.policy) })
    }
}
