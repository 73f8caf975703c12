/// The alarm: the device vibrates or sounds at times that the wearer set, and when a server nudges (SPEC §12).
extension Domain {
    public static let alarm = Domain(
        id: 6, name: "alarm", permission: .alarm, scopes: [ScopePart(.alarm, "alarm")], least: .alarm,
        hardware: .outputLine, settings: AlarmSettings.self,
        collector: AlarmCollector.self,
        words: DomainWords(
            purpose: "the device may vibrate or sound",
            collected:
                "nothing; the motor or buzzer is switched on at the times that you set, and when your server nudges you",
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
