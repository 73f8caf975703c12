import Commands
import Domains
import Store
import System
import Core

/// The part of `anicca status` about alarms and nudges: the last nudge, and alarms that need a remark.
struct AlarmStatus {
    private let nudge: KeptNudge?
    private let troubled: [AlarmEntry]

    init(_ ledger: Ledger, at now: Instant) throws(LedgerError) {
        let last = try ledger.book(NudgeBook.self).nudges.last
        nudge = last.flatMap { now.wall - $0.at <= NudgeBook.keptFor ? $0 : nil }
        troubled = try ledger.book(AlarmBook.self).alarms.filter { alarm in
            switch alarm.outcome {
            case .missed, .cutShort, .failed, .playedByUntrustedClock: true
            case .played, .playedEarly, nil: false
            }
        }
    }

    /// Nil if there are no remarks.
    var section: Section? {
        guard nudge != nil || !troubled.isEmpty else { return nil }
        let message = nudge?.nudge.message ?? ""
        return Section(
            "alarm", "Alarm",
            [
                Field(
                    "lastNudge", nudge?.json, "last nudge",
                    nudge.map { "\($0.at), \($0.nudge.strength), \($0.outcome)" }),
                Field(label: "", message.isEmpty ? nil : message),
                Field("missed", troubled.count { $0.outcome != .playedByUntrustedClock }),
                Field("byUntrustedClock", troubled.count { $0.outcome == .playedByUntrustedClock }),
            ]
                + troubled.map { alarm in
                    let time = alarm.outcomeAt.map { " \($0)" } ?? ""
                    let problem =
                        alarm.outcome == .playedByUntrustedClock
                        ? "played by an unsynchronised clock" : alarm.outcome?.text ?? ""
                    return Field(label: "alarm \(alarm.id)", problem + time + "; see anicca alarm")
                })
    }
}

extension KeptNudge {
    var json: JSONObject {
        JSONObject(
            ("at", at), ("strength", nudge.strength.description), ("message", nudge.message),
            ("outcome", outcome.description))
    }
}
