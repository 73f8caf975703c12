import Domains
import Ledger
import Program
import Quantities
import Sinks

/// A request to the server: the path and the body (SPEC §6).
struct UploadRequest: Hashable {
    let path: String
    let body: JSONObject

    /// The request for a record, or the reason for none.
    enum Made: Hashable {
        case request(UploadRequest)
        /// Nothing of it may be sent any more.
        case withheld
        /// Consent to a part of it is settling; until then the record stays whole.
        case undecided
        case unreadable
    }

    /// Leaves out every field that may not be sent any more.
    static func make(of record: OutboxRecord, userID: String, consent: SendingConsent) -> Made {
        switch record.content {
        case .day(let day, let fields): daily(fields, of: day, userID: userID, consent: consent)
        case .event(let event, let entry):
            switch consent.verdict(on: event.kind.domain, collectedUnder: entry) {
            case .allowed: .request(UploadRequest(path: "/nudge/trigger", body: .nudge(event)))
            case .refused: .withheld
            case .undecided: .undecided
            }
        case .unreadable: .unreadable
        }
    }

    private static func daily(
        _ fields: [OutboxRecord.Field], of day: UTCDay, userID: String, consent: SendingConsent
    ) -> Made {
        var figures: [Figure: Int64] = [:]
        for field in fields where field.figure.isSent {
            switch consent.verdict(on: field.figure.domain, collectedUnder: field.consent) {
            case .allowed: figures[field.figure] = field.value
            case .refused: continue
            case .undecided: return .undecided
            }
        }
        guard !figures.isEmpty else { return .withheld }
        return .request(
            UploadRequest(
                path: "/mobile/daily_metrics", body: .dailyRecord(userID: userID, day: day, figures: figures)))
    }
}
