import Core
import SimulatedBus

/// Recorded acceleration, played through a chip while it is read.
///
/// Between two samples the acceleration is interpolated; across a gap of more than a second and after the last sample, the sensor stays
/// in the posture in which it was. Samples are read as far as they are asked for. Of those behind only so many are kept as tell the posture.
public final class StreamedWearer: AccelerationSource {
    /// Acceleration in g at a time; times never decrease.
    public typealias Sample = (time: BootTime, acceleration: Acceleration)

    /// The samples whose mean is the posture.
    private static let recent = 50
    /// Samples behind that are dropped at once.
    private static let dropped = 2048

    private let next: () -> [Sample]
    private var isOver = false
    private var first: Sample?
    private var samples: [Sample] = []
    /// Of the latest sample that is not after the time that was asked for last.
    private var index = 0

    /// - Parameter next: The next samples, a few at once; none at the end, after which it is not called again.
    public init(_ next: @escaping () -> [Sample]) { self.next = next }

    /// The time of the latest sample that was read; nil before the first.
    public var latest: BootTime? { samples.last?.time }

    /// The samples in memory.
    public var held: Int { samples.count }

    /// Reads on until there is a sample that is not before `time`.
    /// - Returns: The time of the latest sample that was read, which is before `time` only when it was the last; nil without any.
    @discardableResult
    public func read(until time: BootTime) -> BootTime? {
        while latest.map({ $0 < time }) ?? true, readOn() {}
        return latest
    }

    public func acceleration(at time: BootTime) -> Acceleration {
        if first == nil { _ = readOn() }
        guard let first else { return Acceleration(x: 0, y: 0, z: 1) }
        guard time > first.time else { return Self.posture(first.acceleration) }
        goOn(to: time)
        let (before, felt) = samples[index]
        guard index + 1 < samples.count, samples[index + 1].time - before <= .seconds(1) else {
            return time - before <= .milliseconds(20) ? felt : posture
        }
        let after = samples[index + 1]
        let share = Float((time - before).nanoseconds) / Float((after.time - before).nanoseconds)
        return felt + (after.acceleration - felt) * share
    }

    /// Reads up to the first sample after `time`: of several at one time the last is felt.
    private func goOn(to time: BootTime) {
        var present = index
        while present > 0, samples[present].time > time { present -= 1 }
        while present + 1 < samples.count || readOn(), samples[present + 1].time <= time { present += 1 }
        let excess = present - Self.recent
        if excess >= Self.dropped {
            samples.removeFirst(excess)
            present -= excess
        }
        index = present
    }

    private func readOn() -> Bool {
        if isOver { return false }
        let more = next()
        isOver = more.isEmpty
        if first == nil { first = more.first }
        samples += more
        return !isOver
    }

    /// Gravity, from the mean of the samples that led up to the present.
    private var posture: Acceleration {
        Self.posture(samples[max(index - Self.recent, 0)...index].reduce(.zero) { $0 + $1.acceleration })
    }

    private static func posture(_ sum: Acceleration) -> Acceleration {
        sum.magnitude > 0 ? sum * (1 / sum.magnitude) : Acceleration(x: 0, y: 0, z: 1)
    }
}
