import Quantities

/// A source that can be asked again about what it was asked before.
///
/// Looking for the next interrupt asks about the future; when the present catches up, the same samples are
/// answered from memory, because the source itself must never be asked about an earlier time.
final class RememberedSource {
    private let source: any AccelerationSource
    /// Times increase. The last one is the latest time that the source was asked about.
    private var memory: [(time: BootTime, felt: Acceleration)] = []

    init(_ source: any AccelerationSource) { self.source = source }

    /// For a time that lies between remembered ones: the one before it.
    func acceleration(at time: BootTime) -> Acceleration {
        if let latest = memory.last, time <= latest.time {
            return remembered(at: time)
        }
        let felt = source.acceleration(at: time)
        memory.append((time, felt))
        return felt
    }

    func temperature(at time: BootTime) -> Double? { source.temperature(at: time) }

    /// Drops what no sample after `time` needs. At least the latest answer stays.
    func forget(before time: BootTime) {
        let keep = max(firstIndex(after: time) - 1, 0)
        if keep > 0 { memory.removeFirst(keep) }
    }

    private func remembered(at time: BootTime) -> Acceleration {
        memory[max(firstIndex(after: time) - 1, 0)].felt
    }

    /// The index of the first answer later than `time`, by bisection.
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
