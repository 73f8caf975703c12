import Domains
import Ledger
import Program
import Quantities

/// What `anicca status` says about alarms and nudges: the last nudge, and alarms of which something has to be said.
struct AlarmStatus {
    private let nudge: KeptNudge?
    private let troubled: [AlarmEntry]

    init(_ ledger: Ledger, at now: Instant) throws(LedgerError) {
        let last = try ledger.nudges().nudges.last
        nudge = last.flatMap { now.wall - $0.at <= NudgeBook.keptFor ? $0 : nil }
        troubled = try ledger.alarms().alarms.filter { alarm in
            switch alarm.outcome {
            case .missed, .cutShort, .failed, .playedByUntrustedClock: true
            case .played, .playedEarly, nil: false
            }
        }
    }

    var isEmpty: Bool { nudge == nil && troubled.isEmpty }

    var json: JSONObject {
        var json = JSONObject()
        if let nudge {
            var last = JSONObject()
            last.put("at", nudge.at.description)
            last.put("strength", nudge.nudge.strength.description)
            last.put("message", nudge.nudge.message)
            last.put("outcome", nudge.outcome.description)
            json.put("lastNudge", last)
        }
        json.put("missed", troubled.count { $0.outcome != .playedByUntrustedClock })
        json.put("byUntrustedClock", troubled.count { $0.outcome == .playedByUntrustedClock })
        return json
    }

    var lines: [(name: String, text: String)] {
        var lines: [(name: String, text: String)] = []
        if let nudge {
            lines.append(("last nudge", "\(nudge.at), \(nudge.nudge.strength), \(nudge.outcome)"))
            if !nudge.nudge.message.isEmpty { lines.append(("", nudge.nudge.message)) }
        }
        for alarm in troubled {
            let time = alarm.outcomeAt.map { " \($0)" } ?? ""
            lines.append(("alarm \(alarm.id)", problem(of: alarm) + time + "; see anicca alarm"))
        }
        return lines
    }

    private func problem(of alarm: AlarmEntry) -> String {
        switch alarm.outcome {
        case .missed: "missed"
        case .cutShort: "cut short"
        case .failed: "not played, its line was away"
        default: "played by a clock that nobody vouches for"
        }
    }
}
