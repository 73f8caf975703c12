import Daybook
import Ledger
import Quantities

/// What is posted, and where (SPEC §6).
struct UploadRequest: Hashable {
    let path: String
    let body: JSONObject

    /// What can be made of a record.
    enum Made: Hashable {
        case request(UploadRequest)
        /// Nothing of it may be sent any more.
        case withheld
        case unreadable
    }

    /// Leaves out every field that the wearer does not allow any more.
    static func make(of record: OutboxRecord, userID: String, consent: SendingConsent) -> Made {
        switch record.content {
        case .day(let day, let fields):
            let allowed = fields.filter {
                $0.type.isSent && consent.allows($0.type.domain, collectedUnder: $0.consent)
            }
            guard !allowed.isEmpty else { return .withheld }
            let figures = Dictionary(allowed.map { ($0.type, $0.value) }, uniquingKeysWith: { first, _ in first })
            return .request(
                UploadRequest(
                    path: "/mobile/daily_metrics",
                    body: .dailyRecord(userID: userID, day: day, figures: figures)))
        case .event(let event, let entry):
            guard consent.allows(event.kind.domain, collectedUnder: entry) else { return .withheld }
            return .request(UploadRequest(path: "/nudge/trigger", body: .nudge(event)))
        case .unreadable:
            return .unreadable
        }
    }
}
