import Core
import SimulatedBus

/// Recorded acceleration of real people, played through a chip: one recording after another.
///
/// Between two recordings the sensor keeps its last posture, as in `StreamedWearer`.
public final class RecordedWearer: AccelerationSource {
    /// A recording: acceleration in g, with the time of each sample on any clock; times increase.
    public typealias Samples = [(time: Interval, acceleration: Acceleration)]

    /// The time of the first sample of each recording; recordings without samples have none.
    public let starts: [BootTime]
    /// The time of the last sample of the last recording.
    public let end: BootTime
    private static let playedAtOnce = 1024
    private let wearer: StreamedWearer

    /// Plays recordings from `start` on, with a pause after each.
    public init(_ recordings: [Samples], from start: BootTime, pause: Interval = .zero) {
        var next = start
        var starts: [BootTime] = []
        var samples: [StreamedWearer.Sample] = []
        for recording in recordings {
            guard let first = recording.first, let last = recording.last else { continue }
            starts.append(next)
            for sample in recording {
                samples.append((next + (sample.time - first.time), sample.acceleration))
            }
            next = next + (last.time - first.time) + max(pause, .milliseconds(20))
        }
        self.starts = starts
        end = samples.last?.time ?? start
        var played = 0
        wearer = StreamedWearer { [samples] in
            let some = samples[played...].prefix(Self.playedAtOnce)
            played = some.endIndex
            return Array(some)
        }
    }

    public func acceleration(at time: BootTime) -> Acceleration { wearer.acceleration(at: time) }
}
