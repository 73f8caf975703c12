import Config
import Core
import Store
import System

/// Asks the server for tokens: by a code that the study approves (RFC 8628), and new ones for old ones (RFC 6749 §6). Ends
/// them at last (RFC 7009).
public struct TokenClient {
    /// A code that waits for its approval.
    public struct Code {
        /// To be read aloud or typed.
        public let text: String
        /// The page that explains it; a QR code leads to `completeAddress`, which may contain the code.
        public let address: String
        public let completeAddress: String
        public let lifetime: Interval
        /// The least time between two questions.
        public let interval: Interval
        let secret: Secret
    }

    /// The server gave no tokens.
    public enum Refusal: Error {
        /// It has no such addresses.
        case notOffered
        /// It gave a code of an error (RFC 8628 §3.5, RFC 6749 §5.2).
        case error(String)
        /// There was no usable answer; the text says why.
        case failed(String)
    }

    private static let authorization = "/oauth/device_authorization"
    private static let token = "/oauth/token"
    private static let revocation = "/oauth/revoke"
    private static let client = "client_id=anicca"

    private let client: HTTPClient
    private let settings: Settings
    private let userAgent: String
    /// The longest wait for an answer.
    private let patience: Interval

    /// Nil without a server in the settings.
    public init?(
        _ settings: Settings, pinnedKey: String? = nil, userAgent: String, patience: Interval = .seconds(30)
    ) throws(SinkUnusable) {
        guard let base = settings.server.baseURL else { return nil }
        self.settings = settings
        self.userAgent = userAgent
        self.patience = patience
        client = try SignIn.client(base, nil, settings.server.pinned(to: pinnedKey), userAgent: userAgent)
    }

    /// A new code.
    public func newCode() throws(Refusal) -> Code {
        let members = try ask(TokenClient.authorization, Array(TokenClient.client.utf8))
        guard let secret = members.string("device_code").flatMap({ Secret(.token, fileContent: Array($0.utf8)) }),
            let text = members.shownText("user_code", longest: 32),
            let address = members.shownText("verification_uri", longest: 512), address.isWebAddress
        else { throw .failed("the server's answer has no code") }
        let complete = members.shownText("verification_uri_complete", longest: 512)
        return Code(
            text: text, address: address, completeAddress: complete.flatMap { $0.isWebAddress ? $0 : nil } ?? address,
            lifetime: members.seconds("expires_in", in: 1...86_400) ?? .minutes(10),
            interval: members.seconds("interval", in: 1...300) ?? .seconds(5), secret: secret)
    }

    /// The account, once the code is approved; `authorization_pending` until then.
    public func account(of code: Code, at now: WallTime) throws(Refusal) -> AccountFile {
        try account(ofEnrolment: code.secret, at: now)
    }

    /// The account of a code that was approved beforehand.
    public func account(ofEnrolment code: Secret, at now: WallTime) throws(Refusal) -> AccountFile {
        try account(
            "\(TokenClient.client)&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=",
            code, now)
    }

    /// The account with new tokens.
    func renewed(_ renewal: AccountFile.Renewal, at now: WallTime) throws(Refusal) -> AccountFile {
        try account("\(TokenClient.client)&grant_type=refresh_token&refresh_token=", renewal.refreshToken, now)
    }

    /// Ends the sign-in of an account at the server, by its latest tokens.
    public func end(_ account: AccountFile) throws(Refusal) {
        var body = form("\(TokenClient.client)&token=", account.renewal?.refreshToken ?? account.token)
        defer { Vault.wipe(&body) }
        _ = try answer(TokenClient.revocation, body)
    }

    private func form(_ start: String, _ secret: Secret) -> [UInt8] {
        var body = Array(start.utf8)
        // So that no copy stays behind.
        body.reserveCapacity(body.count + 3 * secret.bytes.count)
        for byte in secret.bytes { body += escaped(byte) }
        return body
    }

    private func account(_ start: String, _ secret: Secret, _ now: WallTime) throws(Refusal) -> AccountFile {
        var body = form(start, secret)
        defer { Vault.wipe(&body) }
        let members = try ask(TokenClient.token, body)
        guard members.string("token_type")?.lowercased() == "bearer",
            let token = members.string("access_token").flatMap({ Secret(.token, fileContent: Array($0.utf8)) }),
            let userID = members.string("user_id").flatMap(AccountFile.userID)
        else { throw .failed("the server's answer has no token, or no user id") }
        var account = AccountFile(userID: userID, token: token)
        if let refresh = members.string("refresh_token").flatMap({ Secret(.token, fileContent: Array($0.utf8)) }) {
            let lifetime = members.seconds("expires_in", in: 60...(10 * 366 * 86_400)) ?? .days(1)
            account.renewal = AccountFile.Renewal(
                refreshToken: refresh, due: now + Interval(nanoseconds: lifetime.nanoseconds / 3 * 2))
        }
        if let pins = members.string("pinned_key") { account.pinnedKey = try checkedPins(pins) }
        return account
    }

    /// Pins that the server has now, because with others nothing would be delivered any more.
    private func checkedPins(_ pins: String) throws(Refusal) -> String {
        guard Settings.Server.arePins(pins) else { throw .failed("the server's pinned_key has no pins") }
        let server = settings.server.pinned(to: pins)
        guard let base = server.baseURL else { return pins }
        if case .unreachable(let problem) = ServerReach(base, server, userAgent: userAgent, timeout: patience) {
            throw .failed("the server's pinned_key is not of its key: \(problem)")
        }
        return pins
    }

    private func ask(_ path: String, _ form: [UInt8]) throws(Refusal) -> JSONMembers {
        guard let members = try answer(path, form) else { throw .failed("the server's answer is not JSON") }
        return members
    }

    /// The members of a 2xx; nil if it is not JSON.
    private func answer(_ path: String, _ form: [UInt8]) throws(Refusal) -> JSONMembers? {
        let answer = client.post(path, form: form, timeout: patience)
        let members = JSONMembers(answer.body, deepest: 4, escapes: .decoded)
        switch answer.reply {
        case .status(200...299, _): return members
        case .status(404, _), .status(405, _), .status(501, _): throw .notOffered
        case .status(400, _), .status(401, _):
            guard let error = members?.shownText("error", longest: 64) else { throw .failed(answer.problem) }
            throw .error(error)
        default: throw .failed(answer.problem)
        }
    }

    /// In a form (WHATWG URL §5.2).
    private func escaped(_ byte: UInt8) -> [UInt8] {
        let scalar = Character(Unicode.Scalar(byte))
        guard !(scalar.isLetter || scalar.isNumber || "-._~".contains(scalar)) else { return [byte] }
        return [UInt8(ascii: "%")] + hexadecimal(byte).utf8
    }
}

extension TokenClient.Refusal {
    /// For people.
    public var text: String {
        switch self {
        case .notOffered: "the server does not sign devices in by a code"
        case .error(let code): "the server answered \(code)"
        case .failed(let problem): problem
        }
    }
}

extension JSONMembers {
    /// A text of visible ASCII, safe to show.
    fileprivate func shownText(_ name: String, longest: Int) -> String? {
        guard let text = string(name), (1...longest).contains(text.utf8.count),
            text.utf8.allSatisfy((UInt8(ascii: "!")...UInt8(ascii: "~")).contains)
        else { return nil }
        return text
    }

    fileprivate func seconds(_ name: String, in range: ClosedRange<Int64>) -> Interval? {
        guard let number = number(name), number.isFinite else { return nil }
        return .seconds(Int64(min(max(number, Double(range.lowerBound)), Double(range.upperBound))))
    }
}

extension String {
    fileprivate var isWebAddress: Bool { hasPrefix("https://") || hasPrefix("http://") }
}
