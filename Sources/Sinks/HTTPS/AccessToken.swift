import Vault

/// The bearer token that signs this device in (RFC 6750 §2.1). Wiped from memory with its last reference.
public final class AccessToken {
    /// Longer tokens do not fit into the headers that common servers accept.
    public static let longest = 8 * 1024

    private(set) var bytes: [UInt8]

    /// The token from the content of a token file, which is wiped; the line end that an editor leaves is cut off.
    ///
    /// Nil unless it is one word of visible ASCII: anything else could not be sent, and a line break in it would
    /// begin another header.
    public init?(fileContent: consuming [UInt8]) {
        var content = fileContent
        defer { Vault.wipe(&content) }
        var word = content[...]
        while let last = word.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { word.removeLast() }
        guard !word.isEmpty, word.count <= AccessToken.longest,
            word.allSatisfy((UInt8(ascii: "!")...UInt8(ascii: "~")).contains)
        else { return nil }
        bytes = Array(word)
    }

    deinit { Vault.wipe(&bytes) }

    /// Lends the token as a C string.
    func withCString<Result>(_ use: (UnsafeBufferPointer<CChar>) -> Result) -> Result {
        var text = bytes + [0]
        defer { Vault.wipe(&text) }
        return text.withUnsafeBytes { $0.withMemoryRebound(to: CChar.self, use) }
    }
}
