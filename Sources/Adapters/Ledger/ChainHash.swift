import Quantities
import Vault

/// The hash of one entry of the consent trail, which the next entry holds: a keyed hash of the whole payload, and so of
/// everything before it too.
struct ChainHash: Equatable, Sendable {
    /// The hash that the first entry holds.
    static let none = ChainHash(bytes: [UInt8](repeating: 0, count: Vault.chainHashLength))

    let bytes: [UInt8]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    init(of payload: [UInt8], under vault: Vault) { bytes = vault.chainHash(of: payload, at: .consent) }
}

extension ChainHash {
    func pack(into packer: inout Packer) {
        for byte in bytes { packer.put(byte) }
    }

    init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        var bytes: [UInt8] = []
        for _ in 0..<Vault.chainHashLength { bytes.append(try unpacker.take()) }
        self.bytes = bytes
    }
}
