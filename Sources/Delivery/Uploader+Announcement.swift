import Domains
import System
import Store
import Core

/// Announcing the allowed figures to a receiver that displays them.
extension Uploader {
    /// The announcement due to the receiver; nil if it has it, or wants none.
    func announcement(to target: Target) throws(LedgerError) -> Announcement? {
        guard let form = target.sink.announcementForm else { return nil }
        let wanted = Announcement(form: form, figures: try allowedFigures())
        return try ledger.announcement(by: target.id) == wanted ? nil : wanted
    }

    /// The allowed figures, each with the latest entry before which its data must no longer be shown. Empty for an
    /// untrusted trail.
    private func allowedFigures() throws(LedgerError) -> [UInt8: ConsentEntry.ID] {
        let snapshot = try ledger.consent()
        guard snapshot.isTrusted else { return [:] }
        var figures: [UInt8: ConsentEntry.ID] = [:]
        for figure in Figure.all where figure.isSent && !forbidden.allows(figure.domain) {
            // A flicked toggle is off until it is on again.
            guard snapshot.state.toggles.allows(figure.domain),
                let since = snapshot.heldSince(figure.domain, at: clock.wall)
            else { continue }
            figures[figure.id] = max(since, snapshot.forgottenAt(figure.domain))
        }
        return figures
    }

    /// Returns the reason to stop with this sink, or nil to go on: a receiver that still shows withdrawn figures gets
    /// no record.
    func announce(
        _ announcement: Announcement?, to target: Target, _ run: inout Run
    ) throws(LedgerError) -> UploadSummary.End? {
        guard let announcement else { return nil }
        let known = try ledger.announcement(by: target.id)
        let sent = Figure.all.filter(\.isSent)
        let allowed = sent.filter { announcement.figures[$0.id] != nil }
        let withdrawn = sent.filter { figure in
            guard let known else { return true }
            return known.figures[figure.id].map { $0 != announcement.figures[figure.id] } ?? false
        }
        let answer = target.sink.announce(allowed, withdrawn: withdrawn, timeout: clock.remaining)
        switch answer.outcome {
        case .delivered:
            try ledger.noteAnnounced(announcement, by: target.id)
            run.unannounced.removeAll { $0 == target.id }
            journal.log(
                .debug, .consentAnnounced, "the \(target.words.receiver) has the current permissions\(target.suffix)")
            return nil
        case .pausedUntilSignIn: return try pause(target, answer.problem)
        case .unreachable: return try leave(target, .unreachable, nil, answer.problem, ending: .unreachable)
        case .hold(let reason, let after): return try leave(target, reason, after, answer.problem, ending: .held)
        case .retry(.usual, let after): return try leave(target, .busy, after, answer.problem, ending: .held)
        case .retry(.slow, _), .setAside:
            return try leave(target, .refuses, nil, answer.problem, ending: .held)
        }
    }

    private func leave(
        _ target: Target, _ reason: HoldReason, _ after: Interval?, _ problem: String, ending end: UploadSummary.End
    ) throws(LedgerError) -> UploadSummary.End {
        let now = clock.now
        let hold = try hold(target, reason, after: after, at: now)
        try ledger.hold(target.id, hold, error: problem, at: now)
        journal.log(
            .warning, .uploadIncomplete,
            "the permissions could not be sent to the \(target.words.receiver)\(target.suffix): \(problem); "
                + "next attempt from \(hold.until)")
        return end
    }
}
