/// Motion: stillness and sitting, as the accelerometer shows them (SPEC §3).
extension Domain {
    public static let motion = Domain(
        id: 1, name: "motion", permission: .motion, scopes: [ScopePart(.motion, "motion")], least: .motion,
        hardware: .accelerometer, figures: [.sedentaryMinutes], events: [.sedentaryLong],
        settings: DomainSettingsType(MotionSettings.self), collector: CollectorType(MotionCollector.self),
        words: DomainWords(
            purpose: "how much of the day you sit still",
            collected: "what the accelerometer feels, for some seconds every minute, less often while you are still; "
                + "this device turns it into minutes of sitting and keeps no samples",
            whenOn: "is read, and sedentaryMinutes joins the daily record",
            whenOff: "sitting is not measured any more, and what was not sent of sedentaryMinutes is not sent",
            policy: "Whether movement and sitting may be measured."))
}

extension Permission {
    public static let motion = Permission(id: 1, order: 3, name: "motion", title: "Motion")
}

extension Scope {
    public static let motion = Scope(id: 0)
}

extension Figure {
    /// Minutes stationary, worn and awake, 0 to 1440.
    public static let sedentaryMinutes = Figure(
        id: 5, name: "sedentaryMinutes", meaning: "minutes of sitting", fold: .duration(mostMinutes: 1440),
        source: .imu)
}

extension EventKind {
    /// The wearer sat for so long without a break.
    public static let sedentaryLong = EventKind(
        id: 1, name: "sedentary_long", meaning: "that you sat for long", thresholdKey: "stationaryMinutes",
        source: .imu)
}
