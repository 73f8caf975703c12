import Foundation

extension HTTPResponse {
    static func json(_ status: Int, _ json: JSON) -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Cannot fail: every `JSON` can be encoded.
        let body = (try? encoder.encode(json)) ?? Data()
        return HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: Array(body))
    }

    static func problem(_ status: Int, _ reason: String) -> HTTPResponse {
        .json(status, .object(["error": .string(reason)]))
    }

    /// The answer to a valid request.
    /// - Parameter nudge: included in the answer to an event.
    static func outcome(_ kept: Kept, nudge: JSON? = nil) -> HTTPResponse {
        switch kept {
        case .stored, .known:
            var answer: [String: JSON] = ["status": .string(kept == .known ? "duplicate" : "stored")]
            if let nudge { answer["nudge"] = nudge }
            return .json(200, .object(answer))
        case .conflicting, .tooMany: return .problem(422, kept.problem)
        case .unknownSender, .otherAccount: return .problem(401, kept.problem)
        }
    }

    /// The answer to a wrong method at an endpoint (RFC 9110 §15.5.6).
    static var postOnly: HTTPResponse {
        var response = HTTPResponse.problem(405, "use POST")
        response.headers["Allow"] = "POST"
        return response
    }

    /// An answer with the requested status. A redirect leads to a path that answers 404, so that a client that follows
    /// it is noticed.
    static func onRequest(_ status: Int, retryAfter: Int?) -> HTTPResponse {
        var response = HTTPResponse.problem(status, "misbehaving on request")
        if let retryAfter { response.headers["Retry-After"] = String(retryAfter) }
        if (300...399).contains(status) { response.headers["Location"] = "/elsewhere" }
        return response
    }

    static var webPage: HTTPResponse {
        HTTPResponse(
            status: 200, headers: ["Content-Type": "text/html; charset=utf-8"],
            body: Array("<!doctype html><title>Welcome</title><p>Please accept our terms.".utf8))
    }

    /// Closes the connection without an answer.
    static var hangUp: HTTPResponse { HTTPResponse(status: 200, hangsUp: true) }
}

extension Kept {
    /// For people; empty for a success.
    var problem: String {
        switch self {
        case .stored, .known: ""
        case .conflicting: "this Idempotency-Key came before, with another body or for another endpoint"
        case .unknownSender: "not signed in: the token is unknown to this server or revoked"
        case .otherAccount: "not signed in for this account: userId is not the token's"
        case .tooMany: "this account has \(DayLimit.records) records, or \(DayLimit.events) events, of this day"
        }
    }
}
