import Foundation

/// The results of a long computation for 0, 1, 2 …, made on all cores and returned in this order.
///
/// Workers run only a few results ahead of the consumer, so that few wait in memory. The lock guards the mutable state.
final class OrderedResults<Value: Sendable>: @unchecked Sendable {
    private let count: Int
    /// The most that may be begun and not taken.
    private let most: Int
    private let compute: @Sendable (Int) -> Value
    private let lock = NSCondition()
    private var begun = 0
    private var taken = 0
    private var waiting: [Int: Value] = [:]

    /// - Parameters:
    ///   - workers: the threads; by default the cores that this process may use.
    ///   - compute: Called on one of them.
    init(
        _ count: Int, workers: Int = ProcessInfo.processInfo.activeProcessorCount,
        compute: @escaping @Sendable (Int) -> Value
    ) {
        self.count = count
        self.compute = compute
        most = 4 * workers
        for _ in 0..<min(workers, count) { Thread.detachNewThread { self.work() } }
    }

    /// Waits for the next result; nil after the last.
    func next() -> Value? {
        lock.withLock {
            guard taken < count else { return nil }
            while waiting[taken] == nil { lock.wait() }
            defer {
                taken += 1
                lock.broadcast()
            }
            return waiting.removeValue(forKey: taken)
        }
    }

    private func work() {
        while let index = begin() {
            let value = compute(index)
            lock.withLock {
                waiting[index] = value
                lock.broadcast()
            }
        }
    }

    /// The next index to compute; nil if all are begun.
    private func begin() -> Int? {
        lock.withLock {
            while begun < count, begun - taken >= most { lock.wait() }
            guard begun < count else { return nil }
            begun += 1
            return begun - 1
        }
    }
}
