import Quantities

/// What the kernel's buffer of edges lost and nobody was told of yet. A line that picks up noise loses edges all the time;
/// it is told of now and then.
struct PulseLoss {
    /// Nil where some may be lost and nobody knows how many.
    private var untold: Int? = 0
    private var lastTold: BootTime?

    private static let rest = Interval.minutes(10)

    /// Takes the loss of a drain, and returns what is to be told at this time.
    mutating func note(of lost: Int?, at now: BootTime) -> SensingNote? {
        untold = if let untold, let lost { untold + lost } else { nil }
        if let lastTold, now - lastTold < Self.rest { return nil }
        guard untold != 0 else { return nil }
        defer { untold = 0 }
        lastTold = now
        return .pulsesLost(untold)
    }
}
