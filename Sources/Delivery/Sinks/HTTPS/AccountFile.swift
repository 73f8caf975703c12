import Config
import System
import Glibc
import Store
import Core

/// The data that `anicca sign-in` stores: the user id and the token in two lines, and after a sign-in by a code further
/// lines with the rest of the grant. systemd passes it to the uploader as a credential that opens only on this device
/// (systemd.exec(5), "Credentials"); without systemd it is a file of mode 0600 beside the store.
public struct AccountFile {
    /// The name of the credential, and of the file.
    public static let name = "anicca.account"
    /// The most bytes of its content.
    public static let limit = 2 * Secret.Kind.token.longest + 1024

    public let userID: String
    public let token: Secret
    /// How the token is renewed (RFC 6749 §6); nil for a token without an end.
    public internal(set) var renewal: Renewal?
    /// The pins of the server's key, from the sign-in; nil for none.
    public internal(set) var pinnedKey: String?

    /// The right to new tokens.
    public struct Renewal {
        public let refreshToken: Secret
        /// When two thirds of the token's life are over.
        public let due: WallTime
    }

    /// The file that replaces a missing credential.
    public static func path(_ settings: Settings) -> String { "\(settings.store.directory)/\(name)" }

    public init(userID: String, token: Secret) {
        self.userID = userID
        self.token = token
    }

    /// The content of the file, which the caller wipes.
    public var content: [UInt8] {
        var lines = [Array(userID.utf8), token.bytes]
        if let renewal {
            lines.append(Array(Line.refresh.utf8) + renewal.refreshToken.bytes)
            lines.append(Array("\(Line.due)\(renewal.due.nanoseconds)".utf8))
        }
        if let pinnedKey { lines.append(Array("\(Line.pins)\(pinnedKey)".utf8)) }
        defer { for index in lines.indices { Vault.wipe(&lines[index]) } }
        var content: [UInt8] = []
        // So that no copy stays behind.
        content.reserveCapacity(lines.reduce(0) { $0 + $1.count + 1 })
        for line in lines {
            content += line
            content.append(UInt8(ascii: "\n"))
        }
        return content
    }

    /// The beginnings of the lines after the first two.
    private enum Line {
        static let refresh = "refresh-token "
        static let due = "renewal-due "
        static let pins = "pinned-key "
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

    /// Parses the content and wipes it. Nil for anything but a UUID and a token, each on a line, and known lines after
    /// them.
    public init?(content: consuming [UInt8]) {
        var content = content
        defer { Vault.wipe(&content) }
        // In a call of its own: while its slices exist, only a copy of the content would be wiped.
        self.init(lines: content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...])
    }

    private init?(lines: ArraySlice<ArraySlice<UInt8>>) {
        var lines = lines
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        guard let first = lines.popFirst(), let userID = AccountFile.userID(String(decoding: first, as: UTF8.self)),
            let second = lines.popFirst(), let token = Secret(.token, fileContent: Array(second))
        else { return nil }
        self.init(userID: userID, token: token)
        var refreshToken: Secret?
        var due: WallTime?
        for line in lines {
            if line.starts(with: Line.refresh.utf8) {
                refreshToken = Secret(.token, fileContent: Array(line.dropFirst(Line.refresh.utf8.count)))
            } else if line.starts(with: Line.due.utf8) {
                let text = String(decoding: line.dropFirst(Line.due.utf8.count), as: UTF8.self)
                due = Int64(text).map { WallTime(nanoseconds: $0) }
            } else if line.starts(with: Line.pins.utf8) {
                pinnedKey = String(decoding: line.dropFirst(Line.pins.utf8.count), as: UTF8.self)
            } else {
                return nil
            }
        }
        guard let refreshToken, let due else {
            guard refreshToken == nil, due == nil else { return nil }
            return
        }
        renewal = Renewal(refreshToken: refreshToken, due: due)
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
