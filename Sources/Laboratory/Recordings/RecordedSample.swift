import Core

/// One row of a recording.
public struct RecordedSample: Equatable, Sendable {
    /// Time on the recording's own clock, with an arbitrary zero.
    public var time: Interval
    public var acceleration: Acceleration
    /// The wearer's activity as labelled by the recorder. Nil if the file has no such column or the field is empty.
    public var label: String?

    public init(time: Interval, acceleration: Acceleration, label: String? = nil) {
        self.time = time
        self.acceleration = acceleration
        self.label = label
    }
}
