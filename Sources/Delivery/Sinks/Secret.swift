import System
import Store

/// The credential of this device: the token for a server or the password for a broker. Wiped from memory with its last
/// reference.
public final class Secret {
    public enum Kind: String, Sendable {
        /// A bearer token (RFC 6750 §2.1): one word of visible ASCII, because other characters cannot be sent, and a
        /// line break would begin another header.
        case token
        /// Without a zero byte, at which libmosquitto would end it.
        case password

        /// In bytes. Longer tokens do not fit into the headers that common servers accept, and longer passwords not
        /// into the packets of many brokers.
        public var longest: Int {
            switch self {
            case .token: 8 * 1024
            case .password: 1024
            }
        }

        fileprivate func allows(_ byte: UInt8) -> Bool {
            switch self {
            case .token: (UInt8(ascii: "!")...UInt8(ascii: "~")).contains(byte)
            case .password: byte != 0
            }
        }

        fileprivate var demand: String {
            switch self {
            case .token: "one word of visible ASCII: sign in again"
            case .password: "one password of at most \(longest) bytes"
            }
        }
    }

    private(set) var bytes: [UInt8]

    /// The secret from the content of its file, which is wiped; a trailing line break is removed. Nil if it is empty or
    /// invalid.
    public init?(_ kind: Kind, fileContent: consuming [UInt8]) {
        var content = fileContent
        defer { Vault.wipe(&content) }
        var word = content[...]
        while let last = word.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { word.removeLast() }
        guard !word.isEmpty, word.count <= kind.longest, word.allSatisfy(kind.allows) else { return nil }
        bytes = Array(word)
    }

    deinit { Vault.wipe(&bytes) }

    /// Nil if the file does not exist.
    static func read(_ kind: Kind, from path: String) throws(SinkUnusable) -> Secret? {
        do {
            let content = try readFile(path, limit: 2 * kind.longest, privacy: .secret)
            if let secret = Secret(kind, fileContent: content) { return secret }
        } catch .absent {
            return nil
        } catch {
            throw SinkUnusable("the \(kind.rawValue) file \(error)", .noPermission)
        }
        throw SinkUnusable("the \(kind.rawValue) file \(path) must hold \(kind.demand)", .configuration)
    }

    /// Passes the secret as a C string.
    func withCString<Result>(_ use: (UnsafeBufferPointer<CChar>) -> Result) -> Result {
        var text = bytes + [0]
        defer { Vault.wipe(&text) }
        return text.withUnsafeBytes { $0.withMemoryRebound(to: CChar.self, use) }
    }
}
