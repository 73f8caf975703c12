import Foundation

/// Decides about the nudge of each event by the policy of the study. It has a connection to the store of its own, so that no
/// record waits for it.
struct NudgeDesk: Sendable {
    let policy: NudgePolicy
    let lane: StoreLane

    /// - Parameter isNew: false for an event that came before: its answer has the same nudge, or none.
    func nudge(for submission: Submission, isNew: Bool) async throws(StoreFailure) -> Nudge? {
        let policy = policy
        return try await lane.study { (store) throws(StoreFailure) in
            try store.nudge(policy, for: submission, isNew: isNew)
        }
    }

    /// The same for an event that came over a broker, which is not stored.
    func nudge(at published: PublishedEvent) async throws(StoreFailure) -> Nudge? {
        let policy = policy
        return try await lane.study { (store) throws(StoreFailure) in try store.nudge(policy, at: published) }
    }
}
