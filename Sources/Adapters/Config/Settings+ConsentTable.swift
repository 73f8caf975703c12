import Consent
import Quantities

extension Settings {
    static var consent: SettingSection {
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
    static var policy: SettingSection {
        SettingSection(
            "policy", "What the administrator forbids; a forbidden domain stays off whatever the wearer says.",
            [
                policyKey(.motion, "Whether movement and sitting may be measured."),
                policyKey(.steps, "Whether steps may be counted."),
                policyKey(.sleep, "Whether sleep may be measured."),
                policyKey(.screenTime, "Whether reports of screen time may be taken from the phone."),
                policyKey(.location, "Whether the position may be asked of gpsd."),
                policyKey(.alarm, "Whether the wearer may be alarmed."),
            ])
    }

    private static func policyKey(_ domain: Domain, _ help: String) -> SettingKey {
        SettingKey(domain.description, .choice, \.consent[policy: domain], help)
    }
}
