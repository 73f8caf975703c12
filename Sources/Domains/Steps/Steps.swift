/// Steps: from a step sensor or, if none is wired, from acceleration (SPEC §4).
extension Domain {
    public static let steps = Domain(
        id: 2, name: "steps", permission: .health, scopes: [ScopePart(.steps, "steps")], least: .steps,
        hardware: .stepSensor, figures: [.steps, .rawPulses], settings: StepsSettings.self,
        collector: StepsCollector.self,
        words: DomainWords(
            purpose: "your steps",
            collected: "the pulses of the step sensor or, where none is wired, what the accelerometer feels, without a "
                + "pause while you walk, counted on this device",
            whenOn: "is read, and steps joins the daily record",
            whenOff: "steps are not counted any more, and steps not yet sent will not be sent",
            policy: "Whether steps may be counted."))
}

extension Permission {
    /// The permission for data of the body.
    public static let health = Permission(
        id: 2, order: 20, name: "health", title: "Health", collectedOfAll: "no samples are kept")
}

extension Scope {
    public static let steps = Scope(id: 1)
}

extension Figure {
    /// Steps credited, from a step sensor or from acceleration, 0 to 150,000. Pulses of a step sensor are kept beside
    /// its steps, so a day on which one was fitted or removed counts as a step sensor's.
    public static let steps = Figure(
        id: 4, name: "steps", meaning: "the number of steps", unit: .count("steps"), fold: .sum(most: 150_000),
        source: .pulses,
        otherSource: OtherSource(.imu, without: .rawPulses, key: "stepSource"))
    /// Every pulse of the step line, credited or not. Kept, never sent.
    public static let rawPulses = Figure(
        id: 6, name: "rawPulses", meaning: "pulses of the step sensor", fold: .sum(most: .max), source: .pulses,
        isSent: false)
}
