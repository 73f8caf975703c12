import Foundation

/// Decides about the nudge of each event by the policy of the study. It has a connection to the store of its own, so that no
/// record waits for it.
struct NudgeDesk: Sendable {
    let policy: NudgePolicy
    let lane: StoreLane

    /// - Parameter isNew: false for an event that came before: its answer has the same nudge, or none.
    func nudge(for submission: Submission, isNew: Bool) async throws(StoreFailure) -> Nudge? {
        let policy = policy
        return try await lane.perform { (store) throws(StoreFailure) in
            // `Serve` makes a desk for PostgreSQL only.
            try (store as? PostgreSQLStore)?.nudge(policy, for: submission, isNew: isNew)
        }
    }
}
