import Domains
import Sensing
import Store
import Core

extension AlarmDesk {
    /// Plays waiting nudges, or records why not.
    func lookAtNudges(at moment: AlarmMoment) {
        if let first = nudges.nudges.first, moment.isTrusted, moment.wall - first.at > NudgeBook.keptFor {
            changeNudges { $0.drop(before: moment.wall - NudgeBook.keptFor) }
        }
        while let waiting = nudges.waiting, !player.isPlaying {
            let outcome = outcome(of: waiting, at: moment)
            settle(waiting.record, outcome)
            guard outcome == .played else { continue }
            player.play(waiting.nudge.strength.pattern, for: .nudge(waiting.record))
        }
    }

    private func outcome(of nudge: KeptNudge, at moment: AlarmMoment) -> KeptNudge.Outcome {
        let age = moment.wall - nudge.at
        if age > NudgeBook.playedWithin || age < .zero - NudgeBook.playedWithin { return .expired }
        guard isAllowed, player.hasLine else { return .alarmOff }
        let minute = devices.zone.minute(at: moment.wall)
        return settings.quietHours?.contains(minute: minute) == true ? .quietHours : .played
    }

    /// Records the outcome. A nudge counts as played before it is heard, so that none is played twice.
    func settle(_ record: Int64, _ outcome: KeptNudge.Outcome) {
        guard nudges.nudges.contains(where: { $0.record == record && $0.outcome != outcome }) else { return }
        changeNudges { $0.settle(record, outcome) }
        journal.log(.info, .nudgeSettled, domain: .alarm, "a nudge of the server: \(outcome)")
    }

    private func changeNudges(_ change: (inout NudgeBook) -> Void) {
        let known = nudges
        change(&nudges)
        do {
            try noticing { () throws(LedgerError) in try store.ledger.changeBook(known: known, change) }
        } catch {
            journal.log(.error, .storeFailed, "\(error); a nudge may be played again after a restart")
        }
    }
}
