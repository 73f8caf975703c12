import Core

/// A source that can also be read for earlier times.
///
/// The search for the next interrupt reads the future. When the present catches up, the same samples are returned from
/// memory, because the source itself must never be read for an earlier time.
final class RememberedSource {
    private let source: any AccelerationSource
    /// In order of time. The last one is the latest time read from the source.
    private var memory: [(time: BootTime, felt: Acceleration)] = []

    init(_ source: any AccelerationSource) { self.source = source }

    /// The acceleration at `time`; between two remembered times, the earlier one.
    func acceleration(at time: BootTime) -> Acceleration {
        if let latest = memory.last, time <= latest.time {
            return remembered(at: time)
        }
        let felt = source.acceleration(at: time)
        memory.append((time, felt))
        return felt
    }

    func temperature(at time: BootTime) -> Double? { source.temperature(at: time) }

    /// Drops the entries that are not needed after `time`. At least the latest stays.
    func forget(before time: BootTime) {
        let keep = max(firstIndex(after: time) - 1, 0)
        if keep > 0 { memory.removeFirst(keep) }
    }

    private func remembered(at time: BootTime) -> Acceleration {
        memory[max(firstIndex(after: time) - 1, 0)].felt
    }

    /// The index of the first entry later than `time`, by bisection.
    private func firstIndex(after time: BootTime) -> Int {
        var low = 0
        var high = memory.count
        while low < high {
            let middle = (low + high) / 2
            if memory[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
