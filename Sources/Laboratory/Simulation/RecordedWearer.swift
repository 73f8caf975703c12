import Quantities
import SimulatedBus

/// Recorded acceleration of real people, played through a chip: one recording after another.
///
/// Between two samples the acceleration is interpolated; across a gap of more than a second, between two
/// recordings and after the last one, the sensor stays in the posture in which it was.
public final class RecordedWearer: AccelerationSource {
    /// A recording: acceleration in g, with the time of each sample on any clock; times increase.
    public typealias Samples = [(time: Interval, acceleration: Acceleration)]

    /// The time of the first sample of each recording; recordings without samples have none.
    public let starts: [BootTime]
    /// The time of the last sample of the last recording.
    public let end: BootTime
    private var samples: [(time: BootTime, acceleration: Acceleration)] = []
    private var index = 0

    /// Plays recordings from `start` on, with a pause after each.
    public init(_ recordings: [Samples], from start: BootTime, pause: Interval = .zero) {
        var next = start
        var starts: [BootTime] = []
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
    }

    public func acceleration(at time: BootTime) -> Acceleration {
        guard let first = samples.first else { return Acceleration(x: 0, y: 0, z: 1) }
        guard time > first.time else { return Self.posture(first.acceleration) }
        if time < samples[index].time { index = 0 }
        while index + 1 < samples.count, samples[index + 1].time <= time { index += 1 }
        let (before, felt) = samples[index]
        guard index + 1 < samples.count, samples[index + 1].time - before <= .seconds(1) else {
            return time - before <= .milliseconds(20) ? felt : posture(around: index)
        }
        let after = samples[index + 1]
        let share = Float((time - before).nanoseconds) / Float((after.time - before).nanoseconds)
        return felt + (after.acceleration - felt) * share
    }

    /// Gravity, from the mean of the samples that led up to `index`.
    private func posture(around index: Int) -> Acceleration {
        let recent = samples[max(index - 50, 0)...index]
        return Self.posture(recent.reduce(.zero) { $0 + $1.acceleration })
    }

    private static func posture(_ sum: Acceleration) -> Acceleration {
        sum.magnitude > 0 ? sum * (1 / sum.magnitude) : Acceleration(x: 0, y: 0, z: 1)
    }
}
