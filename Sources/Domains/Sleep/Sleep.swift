import Core

/// Sleep, from the posture and movement of the accelerometer (SPEC §5).
extension Domain {
    public static let sleep = Domain(
        id: 3, name: "sleep", permission: .health, scopes: [ScopePart(.sleep, "sleep")], least: .sleep,
        hardware: .accelerometer, figures: [.sleepDuration, .wakeAt, .asleepMinutes], reach: .hours(12),
        collector: SleepCollector.self,
        words: DomainWords(
            purpose: "your sleep",
            collected: "how the accelerometer lies and moves, without a pause while you are still, turned on this "
                + "device into when you slept and for how long",
            whenOn: "is read, and sleepDurationMin and wakeAt join the daily record",
            whenOff: "sleep is not measured any more, and data not yet sent will not be sent",
            policy: "Whether sleep may be measured."))
}

extension Scope {
    public static let sleep = Scope(id: 2)
}

extension Figure {
    /// Minutes asleep of the longest sleep that ended on the day.
    public static let sleepDuration = Figure(
        id: 1, name: "sleepDurationMin", meaning: "minutes of sleep", unit: .minutes,
        fold: .largest(most: 1440), source: .imu)
    /// The end of that sleep, in seconds since the epoch.
    public static let wakeAt = Figure(
        id: 2, name: "wakeAt", meaning: "when you woke", form: .time, fold: .beside(sleepDuration.id), source: .imu)
    /// Minutes asleep on the day, with naps, no matter when the sleep ended. Kept, never sent.
    public static let asleepMinutes = Figure(
        id: 11, name: "asleepMinutes", meaning: "minutes asleep", fold: .duration(mostMinutes: 1440), source: .imu,
        isSent: false)
}
