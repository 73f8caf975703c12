import Config
import System
import Glibc
import Store

/// The data that `anicca sign-in` stores: the user id and the token, in two lines. systemd passes it to the uploader as
/// a credential that opens only on this device (systemd.exec(5), "Credentials"); without systemd it is a file of mode
/// 0600 beside the store.
public struct AccountFile {
    /// The name of the credential, and of the file.
    public static let name = "anicca.account"
    private static let limit = Secret.Kind.token.longest + 64

    public let userID: String
    public let token: Secret

    /// The file that replaces a missing credential.
    public static func path(_ settings: Settings) -> String { "\(settings.store.directory)/\(name)" }

    /// The content of the file, which the caller wipes. The user id has to be a UUID.
    public static func content(userID: String, token: [UInt8]) -> [UInt8] {
        var content: [UInt8] = []
        content.reserveCapacity(userID.utf8.count + token.count + 2)
        content += userID.utf8
        content.append(UInt8(ascii: "\n"))
        content += token
        content.append(UInt8(ascii: "\n"))
        return content
    }

    /// Reads the credential, or else the file; nil if both are missing.
    public static func read(_ settings: Settings) throws(SinkUnusable) -> AccountFile? {
        if let directory = Vault.credentialDirectory,
            let account = try read("\(directory)/\(name)", privacy: .any)
        {
            return account
        }
        return try read(path(settings), privacy: .own)
    }

    private static func read(_ path: String, privacy: FilePrivacy) throws(SinkUnusable) -> AccountFile? {
        do {
            if let account = AccountFile(content: try readFile(path, limit: limit, privacy: privacy)) { return account }
        } catch .absent {
            return nil
        } catch {
            throw SinkUnusable("the account \(error)", .noPermission)
        }
        throw SinkUnusable("the account \(path) is damaged; sign in again", .configuration)
    }

    /// Parses the content and wipes it. Nil for anything but a UUID and a token, each on a line.
    public init?(content: consuming [UInt8]) {
        var content = content
        defer { Vault.wipe(&content) }
        guard let end = content.firstIndex(of: UInt8(ascii: "\n")),
            let userID = AccountFile.userID(String(decoding: content[..<end], as: UTF8.self)),
            let token = Secret(.token, fileContent: Array(content[(end + 1)...]))
        else { return nil }
        self.userID = userID
        self.token = token
    }

    /// A user id in lower case; nil if it is not a UUID (RFC 9562).
    public static func userID(_ text: String) -> String? {
        let text = text.lowercased()
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
        let digits = groups.joined().utf8
        let isHexadecimal = digits.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
        return isHexadecimal ? text : nil
    }
}
