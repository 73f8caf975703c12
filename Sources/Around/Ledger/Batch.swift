import Daybook

/// What the daemon stores in one transaction.
public struct Batch: Equatable, Sendable {
    /// The state of the sensing session, replacing the one before.
    public var checkpoint: [UInt8]
    /// Days that ended since the last batch.
    public var closedDays: [ClosedDay]
    public var events: [NudgeEvent]
    /// Where steps came from: `imu` where no pulse line is wired.
    public var stepSource: Source

    public init(
        checkpoint: [UInt8], closedDays: [ClosedDay] = [], events: [NudgeEvent] = [], stepSource: Source = .pulses
    ) {
        self.checkpoint = checkpoint
        self.closedDays = closedDays
        self.events = events
        self.stepSource = stepSource
    }

    func provenance(of figure: ClosedDay.Figure, consent: Int64) -> Provenance {
        Provenance(
            source: figure.type == .steps ? stepSource : figure.type.usualSource,
            sampleType: figure.type.rawValue, granularity: .day, consent: consent)
    }
}
