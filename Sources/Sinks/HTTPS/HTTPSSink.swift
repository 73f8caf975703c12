import Quantities
import Schedule

extension SinkKind {
    /// The server that the settings name (SPEC §6, §7).
    public static let https = SinkKind(id: 1, name: "https") { (settings, userAgent) throws(SinkUnusable) in
        switch try SignIn(settings, userAgent: userAgent) {
        case .signedIn(let account): .ready(HTTPSSink(account: account))
        case .signedOut(let missing): .signedOut(missing: missing)
        }
    }
}

/// Posts each record as JSON under its idempotency key.
struct HTTPSSink: Sink {
    let account: SignIn.Account

    var credentials: [UInt8] { account.token.bytes }

    func deliver(_ record: SinkRecord, timeout: Interval) -> SinkAnswer {
        let request = UploadRequest(record, userID: account.userID)
        let answer = account.client.post(
            request.path, json: request.body.utf8, idempotencyKey: record.key, timeout: timeout)
        return SinkAnswer(
            DeliveryOutcome(answer.reply), problem: answer.problem, isUnreachable: answer.isUnreachable)
    }
}
