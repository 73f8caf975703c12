import FlyingFox
import Foundation

/// Answers every request: the two endpoints strictly, and a few of its own for developers.
actor Service {
    /// No device sends more than 1 kB.
    static let bodyLimit = 4 * 1024

    private let store: ReceiverStore
    private let token: String?
    private var misbehaviours: [Misbehaviour]
    /// The answer to an event has this beside its status.
    private let nudge: JSON?

    init(store: ReceiverStore, token: String?, misbehaviours: [Misbehaviour], nudge: JSON? = nil) {
        self.nudge = nudge
        self.store = store
        self.token = token
        self.misbehaviours = misbehaviours
    }

    @Sendable
    func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        do {
            if let endpoint = Endpoint(rawValue: request.path) {
                guard request.method == .POST else { return .postOnly }
                return try await receive(request, at: endpoint)
            }
            switch (request.method, request.path) {
            case (.POST, "/_control"): return try await misbehave(request)
            case (.GET, "/_records"): return .json(200, .array(try await store.records()))
            case (.GET, "/_requests"): return .json(200, .array(try await store.requests()))
            case (.GET, "/_stats"): return .json(200, try await store.stats())
            default: return .problem(404, "there is nothing at \(request.path)")
            }
        } catch let failure as ReceiverStore.Failure {
            return .problem(500, failure.description)
        }
    }

    private func misbehave(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let body = try await body(of: request), let misbehaviour = try? Misbehaviour(json: body) else {
            return .problem(422, Misbehaviour.Malformed().description)
        }
        misbehaviours.append(misbehaviour)
        return .json(200, .object(["status": .string("ok")]))
    }

    private func receive(_ request: HTTPRequest, at endpoint: Endpoint) async throws -> HTTPResponse {
        let key = request.headers[.idempotencyKey]
        let misbehaviour = nextMisbehaviour()
        switch misbehaviour {
        case .status(let status, let retryAfter):
            try await store.note("on request", path: endpoint.rawValue, key: key, status: status)
            return .onRequest(status, retryAfter: retryAfter)
        case .dropBeforeStoring:
            try await store.note("dropped before storing", path: endpoint.rawValue, key: key, status: nil)
            return .hangUp
        case .rubbish:
            try await store.note("rubbish", path: endpoint.rawValue, key: key, status: 200)
            return .webPage
        case .dropAfterStoring:
            _ = try await keep(request, at: endpoint, isAnswered: false)
            return .hangUp
        case .stall(let seconds):
            let response = try await keep(request, at: endpoint, isAnswered: true)
            try await Task.sleep(for: .seconds(seconds))
            return response
        case nil:
            return try await keep(request, at: endpoint, isAnswered: true)
        }
    }

    private func nextMisbehaviour() -> Misbehaviour.Kind? {
        guard let kind = misbehaviours.first?.kind else { return nil }
        misbehaviours[0].count -= 1
        if misbehaviours[0].count == 0 { misbehaviours.removeFirst() }
        return kind
    }

    /// Checks the request, stores it when it is right, and returns the response for either outcome.
    private func keep(_ request: HTTPRequest, at endpoint: Endpoint, isAnswered: Bool) async throws -> HTTPResponse {
        let key = request.headers[.idempotencyKey]
        let body: Data
        do {
            body = try await admit(request, at: endpoint)
        } catch let refusal as Refusal {
            try await store.note(
                refusal.reason, path: endpoint.rawValue, key: key, status: isAnswered ? refusal.status : nil)
            return .problem(refusal.status, refusal.reason)
        }
        let kept = try await store.keep(
            body: body, key: key ?? "", path: endpoint.rawValue, isAnswered: isAnswered)
        guard kept != .conflicting else { return .problem(kept.status, kept.problem) }
        var answer: [String: JSON] = ["status": .string(kept == .known ? "duplicate" : "stored")]
        if endpoint == .nudge, let nudge { answer["nudge"] = nudge }
        return .json(200, .object(answer))
    }

    private struct Refusal: Error {
        let status: Int
        let reason: String
    }

    /// The body of a request that is right in every respect; throws a `Refusal` for any other.
    private func admit(_ request: HTTPRequest, at endpoint: Endpoint) async throws -> Data {
        let credentials = request.headers[.authorization] ?? ""
        guard credentials.hasPrefix("Bearer "), credentials.count > 7,
            token.map({ credentials == "Bearer \($0)" }) ?? true
        else { throw Refusal(status: 401, reason: "not signed in: Authorization must be Bearer and the token") }
        let type = request.headers[.contentType]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces)
        guard type?.lowercased() == "application/json" else {
            throw Refusal(status: 415, reason: "Content-Type must be application/json")
        }
        guard let key = request.headers[.idempotencyKey] else {
            throw Refusal(status: 400, reason: "Idempotency-Key is missing")
        }
        guard Self.isKey(key) else {
            throw Refusal(status: 400, reason: "Idempotency-Key must be a random UUID (version 4) in lower case")
        }
        guard let body = try await body(of: request) else {
            throw Refusal(status: 413, reason: "the body is longer than \(Self.bodyLimit) bytes")
        }
        do {
            try endpoint.check(body)
        } catch let refusal as Endpoint.Refusal {
            throw Refusal(status: 422, reason: refusal.description)
        }
        return body
    }

    /// Whether it is a version 4 UUID (RFC 9562 §5.4).
    private static func isKey(_ key: String) -> Bool {
        let digits = Array(key.utf8)
        return UUID(uuidString: key)?.uuidString.lowercased() == key && digits[14] == UInt8(ascii: "4")
            && "89ab".utf8.contains(digits[19])
    }

    /// The body of the request; nil when it is longer than the limit.
    private func body(of request: HTTPRequest) async throws -> Data? {
        guard request.bodySequence.count ?? 0 <= Self.bodyLimit else { return nil }
        var body = Data()
        for try await piece in request.bodySequence {
            body.append(piece)
            guard body.count <= Self.bodyLimit else { return nil }
        }
        return body
    }
}
