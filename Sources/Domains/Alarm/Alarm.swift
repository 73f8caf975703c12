/// The alarm: the device vibrates or sounds (SPEC §12). This version does not drive it.
extension Domain {
    public static let alarm = Domain(
        id: 6, name: "alarm", permission: .alarm, scopes: [ScopePart(.alarm, "alarm")], least: .alarm,
        hardware: .outputLine, settings: DomainSettingsType(AlarmSettings.self),
        words: DomainWords(
            purpose: "the device may vibrate or sound",
            collected: "nothing; the motor or buzzer is switched on to remind you",
            whenOn: "may be switched on",
            whenOff: "nothing vibrates or sounds",
            policy: "Whether the wearer may be alarmed."))
}

extension Permission {
    public static let alarm = Permission(id: 5, order: 5, name: "alarm", title: "Alarm")
}

extension Scope {
    public static let alarm = Scope(id: 6)
}
