import SettingKeys
import Domains
import Quantities

extension Settings {
    static var consent: SettingSection<Settings> {
        SettingSection(
            "consent", "What counts as agreed to, and how soon turning a toggle off takes full effect.",
            [
                SettingKey(
                    "granted", .permissions, \.consent.granted,
                    "Permissions that count as agreed to while named here and not answered: for bench devices."),
                SettingKey(
                    "settle-time", .interval(.zero...(.seconds(10))), \.consent.settleTime,
                    "A toggle that is turned off and on again within this closes no device and drops no field."),
            ])
    }

    /// One key for each domain.
    static var policy: SettingSection<Settings> {
        SettingSection(
            "policy", "What the administrator forbids; a forbidden domain stays off whatever the wearer says.",
            Domain.all.map { SettingKey($0.description, .choice, \.consent[policy: $0], $0.words.policy) })
    }
}
