import Foundation

/// Accepts the requests that follow the contract.
struct Admission: Sendable {
    /// The accepted tokens.
    enum Tokens: Sendable {
        /// Tokens of enrolled devices, which the store knows.
        case enrolled
        case only(String)
        case any
    }

    struct Refusal: Error {
        let status: Int
        let reason: String

        static let notSignedIn = Refusal(
            status: 401, reason: "not signed in: Authorization must be Bearer and the token")
    }

    let tokens: Tokens

    /// The submission of a valid request; throws a `Refusal` for any other.
    func submission(of request: HTTPRequest, at endpoint: Endpoint) throws(Refusal) -> Submission {
        let sender = try sender(of: request)
        let type = request.contentType?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces)
        guard type?.lowercased() == "application/json" else {
            throw Refusal(status: 415, reason: "Content-Type must be application/json")
        }
        guard let key = request.idempotencyKey else {
            throw Refusal(status: 400, reason: "Idempotency-Key is missing")
        }
        guard UUIDText.isRandom(key) else {
            throw Refusal(status: 400, reason: "Idempotency-Key must be a random UUID (version 4) in lower case")
        }
        guard let body = request.body else {
            throw Refusal(status: 413, reason: "the body is longer than \(HTTPServer.bodyLimit) bytes")
        }
        do throws(Endpoint.Refusal) {
            let content = try endpoint.content(of: body)
            return Submission(
                sender: sender, key: key, digest: Digest(Array("\(endpoint.rawValue)\n".utf8) + body), content: content)
        } catch {
            throw Refusal(status: 422, reason: error.description)
        }
    }

    private func sender(of request: HTTPRequest) throws(Refusal) -> Submission.Sender {
        let credentials = request.authorization ?? ""
        guard credentials.prefix(7).lowercased() == "bearer ", credentials.utf8.count > 7 else { throw .notSignedIn }
        let token = credentials.dropFirst(7)
        switch tokens {
        case .any: return .anyone
        case .only(let only):
            guard token == only else { throw .notSignedIn }
            return .anyone
        case .enrolled: return .holder(of: Digest(token.utf8))
        }
    }
}
