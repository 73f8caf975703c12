import Foundation

/// Signs devices in and out: the device authorization grant (RFC 8628), the rotation of tokens (RFC 6749 §6), and their
/// end (RFC 7009). It has a connection to the store of its own, so that strangers who ask for codes delay no record.
actor SignInDesk {
    /// The paths, under the address of the server.
    enum Path {
        static let authorization = "/oauth/device_authorization"
        static let token = "/oauth/token"
        static let revocation = "/oauth/revoke"
        /// For people.
        static let page = "/oauth/device"
    }

    /// The most questions that wait for the store.
    private static let limit = 64
    /// The address of the server as devices have it, without a slash at its end.
    private let publicURL: String
    /// The pins of the server's key, for devices (docs/server.md); nil for none.
    private let pinnedKey: String?
    private let lane: StoreLane
    private var waiting = 0

    init(_ lane: StoreLane, publicURL: String, pinnedKey: String?) {
        self.lane = lane
        self.publicURL = publicURL
        self.pinnedKey = pinnedKey
    }

    /// Nil for a path that is not its own.
    func answer(_ request: HTTPRequest) async throws(StoreFailure) -> HTTPResponse? {
        switch request.path {
        case Path.page: return request.method == "GET" ? .page : nil
        case Path.authorization, Path.token, Path.revocation: break
        default: return nil
        }
        guard request.method == "POST" else { return .postOnly }
        guard let form = FormBody(request) else { return .oauth("invalid_request") }
        guard waiting < SignInDesk.limit else { return .problem(503, "too many devices sign in") }
        waiting += 1
        defer { waiting -= 1 }
        switch request.path {
        case Path.token: return try await tokens(form)
        case Path.revocation: return try await end(form)
        default: return try await newCode(form)
        }
    }

    /// A token that is unknown is answered as one that was ended now (RFC 7009 §2.2).
    private func end(_ form: FormBody) async throws(StoreFailure) -> HTTPResponse {
        guard let token = form["token"] else { return .oauth("invalid_request") }
        try await lane.study { (store) throws(StoreFailure) in try store.endSignIn(Digest(token.utf8)) }
        return .unstored(200, [:])
    }

    private func newCode(_ form: FormBody) async throws(StoreFailure) -> HTTPResponse {
        guard form["client_id"] != nil else { return .oauth("invalid_request") }
        let deviceCode = randomToken()
        let code = SignInCode.random()
        let isKept = try await lane.study { (store) throws(StoreFailure) in
            try store.keepCode(Digest(deviceCode.utf8), code)
        }
        guard isKept else { return .problem(503, "too many codes wait for their approval") }
        return .unstored(
            200,
            [
                "device_code": .string(deviceCode), "user_code": .string(code),
                "verification_uri": .string("\(publicURL)\(Path.page)"),
                "expires_in": .integer(Int64(SignInCode.lifetime)), "interval": .integer(Int64(SignInCode.interval)),
            ])
    }

    private func tokens(_ form: FormBody) async throws(StoreFailure) -> HTTPResponse {
        let pair = TokenPair()
        let outcome: SignInOutcome
        switch (form["grant_type"], form["device_code"], form["refresh_token"]) {
        case ("urn:ietf:params:oauth:grant-type:device_code", let code?, _):
            outcome = try await lane.study { (store) throws(StoreFailure) in try store.redeem(Digest(code.utf8), pair) }
        case ("refresh_token", _, let refresh?):
            outcome = try await lane.study { (store) throws(StoreFailure) in
                try store.refresh(Digest(refresh.utf8), pair)
            }
        case ("urn:ietf:params:oauth:grant-type:device_code", nil, _), ("refresh_token", _, nil), (nil, _, _):
            return .oauth("invalid_request")
        default: return .oauth("unsupported_grant_type")
        }
        let account: String
        switch outcome {
        case .refused(let error): return .oauth(error)
        case .signedIn(let owner): account = owner
        }
        var answer: [String: JSON] = [
            "access_token": .string(pair.access), "token_type": .string("Bearer"),
            "expires_in": .integer(Int64(TokenPair.lifetime)), "refresh_token": .string(pair.refresh),
            "user_id": .string(account),
        ]
        if let pinnedKey { answer["pinned_key"] = .string(pinnedKey) }
        return .unstored(200, answer)
    }
}

/// The outcome of a device's question for tokens.
enum SignInOutcome: Hashable, Sendable {
    /// The account of the device, a UUID.
    case signedIn(String)
    /// A code of an error (RFC 8628 §3.5, RFC 6749 §5.2).
    case refused(String)
}

extension HTTPResponse {
    /// An answer with secrets (RFC 6749 §5.1).
    fileprivate static func unstored(_ status: Int, _ members: [String: JSON]) -> HTTPResponse {
        var response = HTTPResponse.json(status, .object(members))
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    fileprivate static func oauth(_ error: String) -> HTTPResponse { .unstored(400, ["error": .string(error)]) }

    /// For a person who follows the address beside the code.
    fileprivate static var page: HTTPResponse {
        let text = """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Sign in a device</title><style>body{font:1.1em/1.5 sans-serif;max-width:34em;margin:3em auto;padding:0 1em}
            :root{color-scheme:light dark}</style>
            <h1>Sign in a device</h1>
            <p>Give the code that your device shows to the people who run your study. They approve it; the device then signs in by itself.
            </html>

            """
        return HTTPResponse(
            status: 200, headers: ["Content-Type": "text/html; charset=utf-8"], body: Array(text.utf8))
    }
}
