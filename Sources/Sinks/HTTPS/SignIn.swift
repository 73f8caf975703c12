import Config
import Files
import Program

/// The state of the sign-in on this device.
public enum SignIn {
    case signedIn(Account)
    /// Nothing can be sent yet; `missing` names the missing setting or file.
    case signedOut(missing: String)

    /// The account that sends, and its client.
    public struct Account {
        public let userID: String
        public let token: AccessToken
        public let client: HTTPClient
    }

    /// The sign-in data is present but unusable. The token itself is never part of the message.
    public struct Unusable: Error, CustomStringConvertible {
        public let description: String
        public let exitCode: ExitCode
    }

    /// Reads the token file that the settings name. A missing one means `signedOut`.
    public init(_ settings: Settings, userAgent: String) throws(Unusable) {
        guard let userID = settings.account.userID else { self = .missing("account.user-id"); return }
        guard let tokenFile = settings.account.tokenFile else { self = .missing("account.token-file"); return }
        guard let base = settings.server.baseURL else { self = .missing("server.base-url"); return }
        guard let token = try SignIn.readToken(tokenFile) else {
            self = .signedOut(missing: "the token file \(tokenFile)")
            return
        }
        let client = try SignIn.client(base, token, settings.server, userAgent: userAgent)
        self = .signedIn(Account(userID: userID, token: token, client: client))
    }

    private static func missing(_ key: String) -> SignIn { .signedOut(missing: "the setting \(key)") }

    /// Nil when there is no such file.
    private static func readToken(_ path: String) throws(Unusable) -> AccessToken? {
        do {
            if let token = AccessToken(fileContent: try readFile(path, limit: AccessToken.longest, privacy: .secret)) {
                return token
            }
        } catch .absent {
            return nil
        } catch {
            throw Unusable(description: "the token file \(error)", exitCode: .noPermission)
        }
        throw Unusable(
            description: "the token file \(path) must hold one word of visible ASCII: sign in again",
            exitCode: .configuration)
    }

    /// A client for the server. A nil token suffices for a check that the server answers.
    static func client(
        _ base: String, _ token: AccessToken?, _ server: Settings.Server, userAgent: String
    ) throws(Unusable) -> HTTPClient {
        let address: ServiceAddress
        do {
            address = try ServiceAddress(base)
        } catch {
            throw Unusable(description: "server.base-url \(error)", exitCode: .configuration)
        }
        do {
            return try HTTPClient(address, token: token, userAgent: userAgent, security: .init(server))
        } catch {
            throw Unusable(description: error.description, exitCode: .software)
        }
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
