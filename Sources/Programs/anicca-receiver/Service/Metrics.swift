import Foundation

/// Counters of the receiver for Prometheus (text format, version 0.0.4). They contain no account, token or address.
final class Metrics: Sendable {
    private struct Counts {
        var answers: [Answer: Int] = [:]
        var kept: [Kept: Int] = [:]
        var storeFailures: [StoreFailure.Kind: Int] = [:]
        var batches = 0
        var batchSeconds = 0.0
        /// For each of `Metrics.bounds` the number of requests that took no longer, and the total.
        var latencies = [Int](repeating: 0, count: Metrics.bounds.count)
        var requests = 0
        var requestSeconds = 0.0
    }

    private struct Answer: Hashable {
        let endpoint: Endpoint
        let status: Int
    }

    /// Seconds.
    private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private let counts = Locked(Counts())

    func noteAnswer(at endpoint: Endpoint, status: Int, seconds: Double) {
        counts.change { counts in
            counts.answers[Answer(endpoint: endpoint, status: status), default: 0] += 1
            counts.requests += 1
            counts.requestSeconds += seconds
            for (index, bound) in Metrics.bounds.enumerated() where seconds <= bound { counts.latencies[index] += 1 }
        }
    }

    func noteBatch(_ outcomes: [Kept], seconds: Double) {
        counts.change { counts in
            for outcome in outcomes { counts.kept[outcome, default: 0] += 1 }
            counts.batches += 1
            counts.batchSeconds += seconds
        }
    }

    func noteStoreFailure(_ failure: StoreFailure) {
        counts.change { $0.storeFailures[failure.kind, default: 0] += 1 }
    }

    /// All metrics in the text format.
    var text: String {
        let counts = counts.change { $0 }
        var text = ""
        func put(_ name: String, _ kind: String, _ help: String, _ lines: [(String, any CustomStringConvertible)]) {
            text += "# HELP anicca_receiver_\(name) \(help)\n# TYPE anicca_receiver_\(name) \(kind)\n"
            for (labels, value) in lines { text += "anicca_receiver_\(name)\(labels) \(value)\n" }
        }
        put(
            "requests_total", "counter", "Requests that were answered.",
            counts.answers.map { (#"{endpoint="\#($0.key.endpoint.rawValue)",status="\#($0.key.status)"}"#, $0.value) }
                .sorted { $0.0 < $1.0 })
        put(
            "submissions_total", "counter", "Outcomes of requests that keep the contract.",
            counts.kept.map { (#"{outcome="\#($0.key)"}"#, $0.value) }.sorted { $0.0 < $1.0 })
        put(
            "store_failures_total", "counter", "Batches that the store did not keep.",
            counts.storeFailures.map { (#"{kind="\#($0.key)"}"#, $0.value) }.sorted { $0.0 < $1.0 })
        put("batches_total", "counter", "Transactions that kept requests.", [("", counts.batches)])
        put("batch_seconds_total", "counter", "Their time in the store.", [("", counts.batchSeconds)])
        let buckets = zip(Metrics.bounds, counts.latencies).map { (#"_bucket{le="\#($0)"}"#, $1) }
        put(
            "request_seconds", "histogram", "From a request to its answer.",
            buckets + [
                (#"_bucket{le="+Inf"}"#, counts.requests), ("_sum", counts.requestSeconds), ("_count", counts.requests),
            ])
        return text
    }
}

/// A value behind a lock that is held only briefly.
final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func change<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
