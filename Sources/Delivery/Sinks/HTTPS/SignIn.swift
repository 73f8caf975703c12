import Config
import System
import Store

/// The state of the sign-in on this device.
public enum SignIn {
    case signedIn(Account)
    /// Nothing can be sent yet; `missing` names the missing setting or file.
    case signedOut(missing: String)

    /// The account for delivery, and its client.
    public struct Account {
        public let userID: String
        let token: Secret
        let client: HTTPClient
        /// See `Sink.setUp`.
        let setUp: [UInt8]
    }

    /// Reads the account from the configuration or, if it has none, from `anicca sign-in`.
    public init(_ context: SinkContext) throws(SinkUnusable) {
        let settings = context.settings
        guard let base = settings.server.baseURL else { self = .missing("server.base-url"); return }
        if settings.account.isUnset {
            let given = context.account
            guard let account = given == nil ? try AccountFile.read(settings) : given else {
                self = .signedOut(missing: "an account (run: sudo anicca sign-in)")
                return
            }
            self = try SignIn(
                account.userID, account.token, base, settings.server.pinned(to: account.pinnedKey), context.userAgent)
            return
        }
        guard let userID = settings.account.userID else { self = .missing("account.user-id"); return }
        guard let tokenFile = settings.account.tokenFile else { self = .missing("account.token-file"); return }
        guard let token = try Secret.read(.token, from: tokenFile) else {
            self = .signedOut(missing: "the token file \(tokenFile)")
            return
        }
        self = try SignIn(userID, token, base, settings.server, context.userAgent)
    }

    private init(
        _ userID: String, _ token: Secret, _ base: String, _ server: Settings.Server, _ userAgent: String
    ) throws(SinkUnusable) {
        let client = try SignIn.client(base, token, server, userAgent: userAgent)
        let setUp = try SignIn.setUp(userID, token, base, server)
        self = .signedIn(Account(userID: userID, token: token, client: client, setUp: setUp))
    }

    private static func setUp(
        _ userID: String, _ token: Secret, _ base: String, _ server: Settings.Server
    ) throws(SinkUnusable) -> [UInt8] {
        var parts = [Array(userID.utf8), token.bytes, Array(base.utf8), Array((server.pinnedKey ?? "").utf8)]
        for path in [server.clientCertificate, server.clientKey] { parts.append(try contentOfTLSFile(path)) }
        return Vault.digest(&parts)
    }

    private static func missing(_ key: String) -> SignIn { .signedOut(missing: "the setting \(key)") }

    /// A client for the server. A nil token is enough to check that the server answers.
    static func client(
        _ base: String, _ token: Secret?, _ server: Settings.Server, userAgent: String
    ) throws(SinkUnusable) -> HTTPClient {
        let address: ServiceAddress
        do {
            address = try ServiceAddress(base)
        } catch {
            throw SinkUnusable("server.base-url \(error)", .configuration)
        }
        var key = try contentOfTLSFile(server.clientKey, isKey: true)
        Vault.wipe(&key)
        do {
            return try HTTPClient(address, token: token, userAgent: userAgent, security: .init(server))
        } catch {
            throw SinkUnusable(error.description, .software)
        }
    }
}

extension Settings.Server {
    /// With the pins from a sign-in, unless the configuration has some.
    func pinned(to key: String?) -> Settings.Server {
        var server = self
        server.pinnedKey = pinnedKey ?? key
        return server
    }
}

extension HTTPClient.Security {
    fileprivate init(_ server: Settings.Server) {
        self.init()
        pinnedPublicKey = server.pinnedKey
        clientCertificate = server.clientCertificate
        clientKey = server.clientKey
    }
}
