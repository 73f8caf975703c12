import Quantities

/// The edges that the kernel's buffer lost and that are not reported yet. A line that picks up noise loses edges all
/// the time, so losses are reported at most every ten minutes.
struct PulseLoss {
    /// Nil when some may be lost and the count is unknown.
    private var untold: Int? = 0
    private var lastTold: BootTime?

    private static let rest = Interval.minutes(10)

    /// Takes the loss of a drain, and returns the note that is due now, if any.
    mutating func note(of lost: Int?, at now: BootTime) -> SensingNote? {
        untold = if let untold, let lost { untold + lost } else { nil }
        if let lastTold, now - lastTold < Self.rest { return nil }
        guard untold != 0 else { return nil }
        defer { untold = 0 }
        lastTold = now
        return .pulsesLost(untold)
    }
}
