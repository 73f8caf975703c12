/// Sleep, from how the accelerometer lies and moves (SPEC §5). This version does not collect it.
extension Domain {
    public static let sleep = Domain(
        id: 3, name: "sleep", permission: .health, scopes: [ScopePart(.sleep, "sleep")], least: .sleep,
        hardware: .accelerometer, figures: [.sleepDuration, .wakeAt],
        words: DomainWords(
            purpose: "your sleep",
            collected: "how the accelerometer lies and moves, turned into when you slept and for how long",
            whenOn: "is read, and sleepDurationMin and wakeAt join the daily record",
            whenOff: "what was not sent of it is not sent",
            policy: "Whether sleep may be measured."))
}

extension Scope {
    public static let sleep = Scope(id: 2)
}

extension Figure {
    /// Minutes asleep in the night that ended on the day.
    public static let sleepDuration = Figure(
        id: 1, name: "sleepDurationMin", meaning: "minutes of sleep", fold: .latest, source: .imu)
    /// The end of that night, in seconds since the epoch.
    public static let wakeAt = Figure(
        id: 2, name: "wakeAt", meaning: "when you woke", form: .time, fold: .latest, source: .imu)
}
