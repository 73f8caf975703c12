import Foundation

/// The requests that are not stored yet. While the connections to the store are busy, requests accumulate; the next
/// free connection stores all of a kind in one transaction, so that the number of flushes does not grow with the
/// requests.
actor Intake {
    /// Too many requests wait for the store: the sender should retry later.
    struct Overloaded: Error {}

    /// The most submissions of one transaction: a few milliseconds of the store's time.
    static let largestBatch = 64

    private struct Waiting {
        let number: Int
        let submission: Submission
    }

    private let lanes: [StoreLane]
    private var idle: [StoreLane]
    private var waiting: [Waiting] = []
    /// The continuations of requests without an outcome, by their numbers.
    private var answers: [Int: CheckedContinuation<Result<Kept, StoreFailure>, Never>] = [:]
    private var latest = 0
    private let limit: Int
    private let patience: Duration
    /// The end of each request's patience, the oldest first; answered ones stay until then.
    private var ends: [(number: Int, time: ContinuousClock.Instant)] = []
    /// Runs while there are ends.
    private var watch: Task<Void, Never>?
    private let metrics: Metrics
    /// The current check of the store.
    private var look: Task<Result<Void, StoreFailure>, Never>?

    /// - Parameters:
    ///   - limit: the most waiting requests.
    ///   - patience: how long each waits, shorter than a proxy's timeout (deploy/server/nginx/proxy.conf), after which
    ///     it asks another receiver.
    init(_ lanes: [StoreLane], limit: Int = 1024, patience: Duration = .seconds(12), metrics: Metrics) {
        self.lanes = lanes
        idle = lanes
        self.limit = limit
        self.patience = patience
        self.metrics = metrics
    }

    /// Stores one submission, and returns when it is on the disk. Also throws if the store does not answer in time; it
    /// may still store the submission.
    func keep(_ submission: Submission) async throws -> Kept {
        guard waiting.count < limit else { throw Overloaded() }
        latest += 1
        let number = latest
        ends.append((number, .now + patience))
        if watch == nil { watch = Task { await self.watchEnds() } }
        let outcome = await withCheckedContinuation { answer in
            answers[number] = answer
            waiting.append(Waiting(number: number, submission: submission))
            startBatches()
        }
        return try outcome.get()
    }

    /// One task for all requests: a timer for each would stay until its end, and wake a thread then.
    private func watchEnds() async {
        while let next = ends.first {
            // Nothing cancels this task.
            try? await Task.sleep(until: next.time, clock: .continuous)
            let late = Set(ends.prefix { $0.time <= .now }.map(\.number))
            ends.removeFirst(late.count)
            waiting.removeAll { late.contains($0.number) }
            for number in late {
                answer(number, .failure(StoreFailure(.unavailable, "no answer of the store in time")))
            }
        }
        watch = nil
    }

    private func answer(_ number: Int, _ outcome: Result<Kept, StoreFailure>) {
        answers.removeValue(forKey: number)?.resume(returning: outcome)
    }

    /// Throws unless the store is usable now. Concurrent callers share one check: if the store hangs, each check takes
    /// seconds, and they would queue up before the requests.
    func check() async throws(StoreFailure) {
        if let look { return try await look.value.get() }
        // The least busy lane; a lane does one thing after another.
        let lane = idle.last ?? lanes[0]
        let look = Task { () -> Result<Void, StoreFailure> in
            do throws(StoreFailure) {
                try await lane.perform { (store) throws(StoreFailure) in try store.check() }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        self.look = look
        let outcome = await look.value
        self.look = nil
        try outcome.get()
    }

    private func startBatches() {
        while !waiting.isEmpty, let lane = idle.popLast() {
            let batch = takeBatch()
            Task { await self.keep(batch, on: lane) }
        }
    }

    private func keep(_ batch: [Waiting], on lane: StoreLane) async {
        for (waiting, outcome) in zip(batch, await outcomes(of: batch.map(\.submission), on: lane)) {
            answer(waiting.number, outcome)
        }
        idle.append(lane)
        startBatches()
    }

    private func outcomes(of batch: [Submission], on lane: StoreLane) async -> [Result<Kept, StoreFailure>] {
        let began = Date.now
        do throws(StoreFailure) {
            let kept = try await lane.perform { (store) throws(StoreFailure) in try store.keep(batch) }
            metrics.noteBatch(kept, seconds: Date.now.timeIntervalSince(began))
            return kept.map(Result.success)
        } catch  where error.kind == .badValue && batch.count > 1 {
            // A submission that the store rejects must not block the others.
            var outcomes: [Result<Kept, StoreFailure>] = []
            for submission in batch { outcomes += await self.outcomes(of: [submission], on: lane) }
            return outcomes
        } catch {
            metrics.noteStoreFailure(error)
            return batch.map { _ in .failure(error) }
        }
    }

    /// The oldest submission and those that fit with it: contents of the same kind, no key twice, an erasure alone.
    private func takeBatch() -> [Waiting] {
        guard let first = waiting.first else { return [] }
        var batch: [Waiting] = []
        var keys: Set<String> = []
        var left: [Waiting] = []
        for candidate in waiting {
            let fits =
                batch.isEmpty
                || (batch.count < Intake.largestBatch
                    && candidate.submission.content.goes(with: first.submission.content)
                    && !keys.contains(candidate.submission.key))
            if fits {
                batch.append(candidate)
                keys.insert(candidate.submission.key)
            } else {
                left.append(candidate)
            }
        }
        waiting = left
        return batch
    }
}

extension Submission.Content {
    /// Whether one statement can store both.
    fileprivate func goes(with other: Submission.Content) -> Bool {
        switch (self, other) {
        case (.day, .day), (.event, .event): true
        default: false
        }
    }
}
