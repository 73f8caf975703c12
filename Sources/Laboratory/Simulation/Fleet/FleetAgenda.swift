import Core

/// The pending events: a heap ordered by time, then by number, so that a night is reproducible.
struct FleetAgenda {
    private var heap: [(time: WallTime, index: Int)] = []

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (heap[left].time.nanoseconds, heap[left].index) < (heap[right].time.nanoseconds, heap[right].index)
    }

    /// The time of the next event; nil for none.
    var nextTime: WallTime? { heap.first?.time }

    mutating func add(_ time: WallTime, _ index: Int) {
        heap.append((time, index))
        var child = heap.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func next() -> (WallTime, Int)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            var parent = 0
            while true {
                let child = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }
                    .min { isBefore($0, $1) }
                guard let child, isBefore(child, parent) else { break }
                heap.swapAt(child, parent)
                parent = child
            }
        }
        return first
    }
}
