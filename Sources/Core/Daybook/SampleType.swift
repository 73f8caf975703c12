import Consent

/// A figure of one UTC day, as it is kept in history and sent in the daily record (SPEC §6).
///
/// Raw values are stored; never reuse one.
public enum SampleType: UInt8, CaseIterable, Sendable {
    /// Minutes asleep in the night that ended on the day.
    case sleepDuration = 1
    /// When that night ended, in seconds since the epoch.
    case wakeAt = 2
    /// Minutes of social-app use, reported by the companion.
    case socialMinutes = 3
    /// Steps credited, of a step sensor or from acceleration, 0 to 150,000.
    case steps = 4
    /// Minutes stationary, worn and awake, 0 to 1440.
    case sedentaryMinutes = 5
    /// Every pulse of the step line, credited or not. Kept, never sent.
    case rawPulses = 6

    /// The domain under whose consent the figure was collected.
    public var domain: Domain {
        switch self {
        case .sleepDuration, .wakeAt: .sleep
        case .socialMinutes: .screenTime
        case .steps, .rawPulses: .steps
        case .sedentaryMinutes: .motion
        }
    }

    /// Whether the daily record carries it; what is not sent stays in history.
    public var isSent: Bool { self != .rawPulses }
}

#if !hasFeature(Embedded)
extension SampleType: CustomStringConvertible {
    /// The name of its field in the daily record (SPEC §6).
    public var description: String {
        switch self {
        case .sleepDuration: "sleepDurationMin"
        case .wakeAt: "wakeAt"
        case .socialMinutes: "snsMinutesTotal"
        case .steps: "steps"
        case .sedentaryMinutes: "sedentaryMinutes"
        case .rawPulses: "rawPulses"
        }
    }
}
#endif
