/// The alarm: the device vibrates or sounds at times that the wearer set, and for nudges of a server (SPEC §12).
extension Domain {
    public static let alarm = Domain(
        id: 6, name: "alarm", permission: .alarm, scopes: [ScopePart(.alarm, "alarm")], least: .alarm,
        hardware: .outputLine, books: [.alarms, .nudges],
        nameOfPart: { AlarmKind(rawValue: $0).map { "\($0) alarms" } }, settings: AlarmSettings.self,
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
    public static let alarm = Permission(id: 5, order: 50, name: "alarm", title: "Alarm")
}

extension Scope {
    public static let alarm = Scope(id: 6)
}

extension Book {
    public static let alarms = Book(
        id: 1, name: "alarms", meaning: "the alarms that you set, and what became of each", source: .session,
        rows: .one(lasting: "until you delete them"), of: AlarmBook.self)
    public static let nudges = Book(
        id: 2, name: "nudges", meaning: "what your server asks to be played, its message, and what became of it",
        source: .session, rows: .one(lasting: "for \(NudgeBook.keptFor.inSeconds / 86_400) days"), of: NudgeBook.self)
}
