import Core

/// The parts of a recording without its gaps, one after another in virtual time. In a gap the sensor would lie still,
/// and count as a wearer at rest.
public final class RecordedParts {
    public struct Part: Equatable, Sendable {
        /// From 0 on.
        public let number: Int
        /// Its start in virtual time, and on the recording's own clock.
        public let lived: BootTime
        public let recorded: Interval

        /// Converts virtual time to the recording's own clock.
        public func recorded(_ time: BootTime) -> Interval { recorded + (time - lived) }
    }

    /// The most parts kept: as many as occur in a rest of 36 hours, unless the file has a gap every other second.
    private static let most = 65_536

    private let start: BootTime
    private var parts: [Part] = []
    private var last: (lived: BootTime, recorded: Interval)?

    public init(from start: BootTime) { self.start = start }

    /// The next samples in virtual time.
    public func add(_ samples: [SharedRecording.Sample]) -> [StreamedWearer.Sample] { samples.map(add) }

    private func add(_ sample: SharedRecording.Sample) -> StreamedWearer.Sample {
        let time: BootTime
        if let last, !SharedRecording.isGap(sample.time - last.recorded) {
            time = last.lived + (sample.time - last.recorded)
        } else {
            time = last.map { $0.lived + .milliseconds(20) } ?? start
            if parts.count == Self.most { parts.removeFirst(Self.most / 2) }
            parts.append(Part(number: parts.last.map { $0.number + 1 } ?? 0, lived: time, recorded: sample.time))
        }
        last = (time, sample.time)
        return (time, sample.acceleration)
    }

    /// The part that contains a time, or the first that is kept.
    ///
    /// At least one sample must have been added.
    public func part(at time: BootTime) -> Part { parts.last { $0.lived <= time } ?? parts[0] }
}
