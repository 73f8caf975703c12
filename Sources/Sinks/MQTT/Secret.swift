import Vault

/// The password of a login. Wiped from memory with its last reference.
final class Secret {
    /// As long as a password can be in MQTT it would not fit into a packet of many brokers.
    static let longest = 1024

    private(set) var bytes: [UInt8]

    /// The password from the content of a file, which is wiped; the line end that an editor leaves is cut off. Nil for none, one that
    /// is too long, and one with a zero byte, which libmosquitto would take for its end.
    init?(fileContent: consuming [UInt8]) {
        var content = fileContent
        defer { Vault.wipe(&content) }
        var word = content[...]
        while let last = word.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { word.removeLast() }
        guard !word.isEmpty, word.count <= Self.longest, !word.contains(0) else { return nil }
        bytes = Array(word)
    }

    deinit { Vault.wipe(&bytes) }

    /// Lends the password as a C string.
    func withCString<Result>(_ use: (UnsafePointer<CChar>?) -> Result) -> Result {
        var text = bytes + [0]
        defer { Vault.wipe(&text) }
        return text.withUnsafeBytes { $0.withMemoryRebound(to: CChar.self) { use($0.baseAddress) } }
    }
}
