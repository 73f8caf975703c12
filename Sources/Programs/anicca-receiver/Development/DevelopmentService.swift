import Foundation

/// Answers like `Service`, and also accepts chosen tokens, misbehaves on request, and lists the received requests.
actor DevelopmentService {
    private let store: SQLiteStore
    private let admission: Admission
    private var misbehaviours: [Misbehaviour]
    /// Included in the answer to an event.
    private let nudge: JSON?

    /// - Parameter store: not used elsewhere.
    init(store: sending SQLiteStore, token: String?, misbehaviours: [Misbehaviour], nudge: JSON? = nil) {
        self.store = store
        self.nudge = nudge
        self.misbehaviours = misbehaviours
        admission = Admission(tokens: token.map(Admission.Tokens.only) ?? .any)
    }

    @Sendable
    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        do {
            if let endpoint = Endpoint(rawValue: request.path) {
                guard request.method == "POST" else { return .postOnly }
                return try await receive(request, at: endpoint)
            }
            switch (request.method, request.path) {
            case ("POST", "/_control"): return try misbehave(request)
            case ("GET", "/_records"): return .json(200, .array(try store.contents(of: nil).map(\.json)))
            case ("GET", "/_requests"): return .json(200, .array(try store.attempts()))
            case ("GET", "/_stats"): return .json(200, try store.counts())
            default: return .problem(404, "there is nothing at \(request.path)")
            }
        } catch {
            return .problem(500, "\(error)")
        }
    }

    private func misbehave(_ request: HTTPRequest) throws -> HTTPResponse {
        guard let body = request.body, let misbehaviour = try? Misbehaviour(json: Data(body)) else {
            return .problem(422, Misbehaviour.Malformed().description)
        }
        misbehaviours.append(misbehaviour)
        return .json(200, .object(["status": .string("ok")]))
    }

    private func receive(_ request: HTTPRequest, at endpoint: Endpoint) async throws -> HTTPResponse {
        switch nextMisbehaviour() {
        case .status(let status, let retryAfter):
            try note("on request", request, status: status)
            return .onRequest(status, retryAfter: retryAfter)
        case .dropBeforeStoring:
            try note("dropped before storing", request, status: nil)
            return .hangUp
        case .rubbish:
            try note("rubbish", request, status: 200)
            return .webPage
        case .dropAfterStoring:
            _ = try keep(request, at: endpoint, isAnswered: false)
            return .hangUp
        case .stall(let seconds):
            let response = try keep(request, at: endpoint, isAnswered: true)
            try await Task.sleep(for: .seconds(seconds))
            return response
        case nil: return try keep(request, at: endpoint, isAnswered: true)
        }
    }

    private func nextMisbehaviour() -> Misbehaviour.Kind? {
        guard let kind = misbehaviours.first?.kind else { return nil }
        misbehaviours[0].count -= 1
        if misbehaviours[0].count == 0 { misbehaviours.removeFirst() }
        return kind
    }

    /// Checks the request, stores it if it is valid, and returns the response.
    private func keep(_ request: HTTPRequest, at endpoint: Endpoint, isAnswered: Bool) throws -> HTTPResponse {
        do {
            let submission = try admission.submission(of: request, at: endpoint)
            let kept = try store.keep([submission]).first ?? .unknownSender
            let response = HTTPResponse.outcome(kept, nudge: endpoint == .nudge ? nudge : nil)
            try note(
                isAnswered ? kept.problem : "dropped after storing", request,
                status: isAnswered ? response.status : nil, isDuplicate: kept == .known)
            return response
        } catch let refusal as Admission.Refusal {
            try note(refusal.reason, request, status: isAnswered ? refusal.status : nil)
            return .problem(refusal.status, refusal.reason)
        }
    }

    private func note(_ text: String, _ request: HTTPRequest, status: Int?, isDuplicate: Bool = false) throws {
        try store.note(
            text, path: request.path, key: request.idempotencyKey, status: status, isDuplicate: isDuplicate)
    }
}
