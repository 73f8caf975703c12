import Core
import SimulatedBus

/// Recorded acceleration, played through a chip while it is being read.
///
/// The acceleration is interpolated between two samples. Across a gap of more than a second and after the last sample,
/// the sensor keeps its last posture. Samples are read on demand. Of past samples, only those needed for the posture
/// are kept.
public final class StreamedWearer: AccelerationSource {
    /// Acceleration in g at a time; times never decrease.
    public typealias Sample = (time: BootTime, acceleration: Acceleration)

    /// The samples whose mean is the posture.
    private static let recent = 50
    /// The past samples dropped at once.
    private static let dropped = 2048

    private let next: () -> [Sample]
    private var isOver = false
    private var first: Sample?
    private var samples: [Sample] = []
    /// The index of the latest sample at or before the last requested time.
    private var index = 0

    /// - Parameter next: The next samples, a few at once; empty at the end, after which it is not called again.
    public init(_ next: @escaping () -> [Sample]) { self.next = next }

    /// The time of the last sample read; nil before the first.
    public var latest: BootTime? { samples.last?.time }

    /// The samples in memory.
    public var held: Int { samples.count }

    /// Reads until there is a sample at or after `time`.
    /// - Returns: The time of the last sample read, which is before `time` only at the end; nil without any.
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

    /// Reads to the first sample after `time`: of several at one time, the last counts.
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

    /// Gravity, from the mean of the latest samples.
    private var posture: Acceleration {
        Self.posture(samples[max(index - Self.recent, 0)...index].reduce(.zero) { $0 + $1.acceleration })
    }

    private static func posture(_ sum: Acceleration) -> Acceleration {
        sum.magnitude > 0 ? sum * (1 / sum.magnitude) : Acceleration(x: 0, y: 0, z: 1)
    }
}
