/// Motion: stillness and sitting, from the accelerometer (SPEC §3).
extension Domain {
    public static let motion = Domain(
        id: 1, name: "motion", permission: .motion, scopes: [ScopePart(.motion, "motion")], least: .motion,
        hardware: .accelerometer, figures: Figure.ofMotion, events: [.sedentaryLong],
        settings: MotionSettings.self, collector: MotionCollector.self,
        words: DomainWords(
            purpose: "how much of the day you sit still",
            collected: "what the accelerometer feels, for some seconds every minute, less often while you are still; "
                + "this device turns it into minutes of sitting, walking, running, riding and wear, and keeps no samples",
            whenOn: "is read, and sedentaryMinutes joins the daily record",
            whenOff: "sitting is not measured any more, and sedentaryMinutes not yet sent will not be sent",
            policy: "Whether movement and sitting may be measured."))
}

extension Permission {
    public static let motion = Permission(id: 1, order: 30, name: "motion", title: "Motion")
}

extension Scope {
    public static let motion = Scope(id: 0)
}

extension Figure {
    /// Minutes stationary, worn and awake, 0 to 1440. A sleep is found as a whole when it is over, and takes its
    /// minutes back from those counted as sitting, window by window.
    public static let sedentaryMinutes = Figure(
        id: 5, name: "sedentaryMinutes", meaning: "minutes of sitting", fold: .duration(mostMinutes: 1440),
        source: .imu, yieldsTo: [asleepMinutes, walkingMinutes, runningMinutes, automotiveMinutes])
}

extension Figure {
    fileprivate static let ofMotion = [
        sedentaryMinutes, wornMinutes, walkingMinutes, runningMinutes, automotiveMinutes,
    ]

    /// Minutes worn, awake or asleep. Kept, never sent, like the minutes by activity.
    public static let wornMinutes = minutes(7, "wornMinutes", "minutes for which the device was worn", tellsWear: true)
    public static let walkingMinutes = minutes(8, "walkingMinutes", "minutes of walking")
    public static let runningMinutes = minutes(9, "runningMinutes", "minutes of running")
    public static let automotiveMinutes = minutes(10, "automotiveMinutes", "minutes in a vehicle")

    private static func minutes(_ id: UInt8, _ name: String, _ meaning: String, tellsWear: Bool = false) -> Figure {
        Figure(
            id: id, name: name, meaning: meaning, fold: .duration(mostMinutes: 1440), source: .imu, isSent: false,
            tellsWear: tellsWear)
    }
}

extension EventKind {
    /// The wearer sat without a break for the configured time.
    public static let sedentaryLong = EventKind(
        id: 1, name: "sedentary_long", meaning: "that you sat for long", member: .threshold("stationaryMinutes"),
        source: .imu)
}
