/// Screen time, reported by the paired phone (SPEC §8).
extension Domain {
    public static let screenTime = Domain(
        id: 4, name: "screenTime", permission: .screenTime, scopes: [ScopePart(.screenTime, "screen time")],
        least: .screenTime, hardware: .companionInbox, figures: [.socialMinutes], events: [.socialThresholdExceeded],
        settings: ScreenTimeSettings.self, collector: ScreenTimeCollector.self,
        words: DomainWords(
            purpose: "how long you use social apps on your phone",
            collected: "minutes of social-app use as your paired phone reports them; never which apps or sites",
            whenOn: "is heard, and snsMinutesTotal joins the daily record",
            whenOff: "data not yet sent will not be sent",
            policy: "Whether reports of screen time may be taken from the phone."))
}

extension Permission {
    public static let screenTime = Permission(id: 3, order: 10, name: "screenTime", title: "Screen time")
}

extension Scope {
    public static let screenTime = Scope(id: 3)
}

extension Figure {
    /// Minutes of social-app use, reported by the companion.
    public static let socialMinutes = Figure(
        id: 3, name: "snsMinutesTotal", meaning: "minutes of social apps", fold: .duration(mostMinutes: 1440),
        source: .companion, needsWear: false)
}

extension EventKind {
    /// Social apps were used on one day for as long as a threshold.
    public static let socialThresholdExceeded = EventKind(
        id: 2, name: "sns_threshold_exceeded", meaning: "that you used social apps for long",
        member: .threshold("thresholdMinutes"), source: .companion)
}
