import Config
import Domains
import Core

extension SinkKind {
    /// The server in the settings (SPEC §6, §7).
    public static let https = SinkKind(id: 1, name: "https", isNamed: { $0.server.baseURL != nil }) {
        (context) throws(SinkUnusable) in
        // If a broker is configured instead, no record waits for a server.
        guard context.settings.server.baseURL != nil || context.settings.mqtt.broker == nil else { return .unused }
        switch try SignIn(context) {
        case .signedIn(let account):
            return .ready(HTTPSSink(account: account, settings: context.settings.domains))
        case .signedOut(let missing): return .signedOut(missing: missing)
        }
    }
}

/// Posts each record as JSON under its idempotency key.
struct HTTPSSink: Sink {
    private let signedIn: SignIn.Account
    private let settings: DomainValues

    init(account: SignIn.Account, settings: DomainValues = DomainValues()) {
        signedIn = account
        self.settings = settings
    }

    var account: [UInt8] { Array(signedIn.userID.utf8) }
    var setUp: [UInt8] { signedIn.setUp }

    func message(for content: SinkRecord.Content) -> [UInt8] {
        UploadRequest(content, userID: signedIn.userID, settings: settings).body.utf8
    }

    func deliver(_ record: SinkRecord, as message: [UInt8], timeout: Interval) -> SinkAnswer {
        let answer = signedIn.client.post(
            UploadRequest.path(of: record.content, in: message), json: message, idempotencyKey: record.key,
            timeout: timeout)
        var outcome = DeliveryOutcome(answer.reply)
        // Erasure is the optional part of the contract.
        if case .erasure = record.content, case .status(501, let after) = answer.reply {
            outcome = .hold(.wrongAddress, after: after)
        }
        guard outcome == .delivered, case .event = record.content else {
            return SinkAnswer(outcome, problem: answer.problem)
        }
        return SinkAnswer(outcome, problem: answer.problem, nudge: NudgeAnswer.nudge(in: answer.body))
    }
}

/// The result of a check that the server answers, without authentication and without sending data.
public enum ServerReach: Hashable, Sendable {
    /// It answered, with any status: name, network, certificate and proxy are in order.
    case answered(address: String, status: Int)
    /// There is no answer; the text says why.
    case unreachable(problem: String)

    /// Asks once (HEAD, RFC 9110 §9.3.2) and waits at most `timeout`.
    public init(_ base: String, _ server: Settings.Server, userAgent: String, timeout: Interval) {
        do {
            let client = try SignIn.client(base, nil, server, userAgent: userAgent)
            self = client.head(timeout: timeout)
        } catch {
            self = .unreachable(problem: error.description)
        }
    }
}
