import CSodium

/// Seals bytes for storage, and opens them again, under one key: XChaCha20-Poly1305 (libsodium,
/// "XChaCha20-Poly1305-IETF construction"), the preferred cipher for processors without AES instructions.
///
/// The key is used only to derive one key for each purpose, and is then wiped. The derived keys are in locked, guarded
/// pages for the lifetime of the vault and are wiped with it.
public final class Vault {
    /// Bytes in a key.
    public static let keyLength = Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES)
    /// The bytes that sealing adds: the nonce before, the tag after.
    public static let overhead = nonceLength + tagLength

    private static let nonceLength = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
    static let tagLength = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)
    /// libsodium is initialised once, at the first access.
    static let sodiumIsReady = sodium_init() >= 0

    /// Never change the number of a purpose: data stored under it would no longer open.
    enum Purpose: Int {
        case fingerprints = 1
        case chain
        case seals
        case digest
    }

    /// The keys of all purposes, in their order.
    private let keys: UnsafeMutablePointer<UInt8>

    func key(for purpose: Purpose) -> UnsafeMutablePointer<UInt8> { keys + (purpose.rawValue - 1) * Vault.keyLength }

    /// - Parameter fill: writes a key into the given `keyLength` bytes; its errors are rethrown.
    init(fillingKeyWith fill: (UnsafeMutableRawBufferPointer) throws(VaultError) -> Void) throws(VaultError) {
        guard Vault.sodiumIsReady, let memory = sodium_malloc((Purpose.digest.rawValue + 1) * Vault.keyLength) else {
            throw .notReady
        }
        keys = memory.assumingMemoryBound(to: UInt8.self)
        // After the derived keys.
        let key = keys + Purpose.digest.rawValue * Vault.keyLength
        try fill(UnsafeMutableRawBufferPointer(start: key, count: Vault.keyLength))
        for number in 1...Purpose.digest.rawValue {
            crypto_kdf_derive_from_key(
                keys + (number - 1) * Vault.keyLength, Vault.keyLength, UInt64(number), "anicca#1", key)
        }
        sodium_memzero(key, Vault.keyLength)
        sodium_mprotect_readonly(memory)
    }

    deinit { sodium_free(keys) }

    /// A vault with the caller's key of `keyLength` bytes. The caller wipes its own copy.
    public convenience init(key: [UInt8]) throws(VaultError) {
        guard key.count == Vault.keyLength else {
            throw .keyRefused(path: "(given by the program)", .wrongLength(key.count))
        }
        try self.init { (memory) throws(VaultError) in memory.copyBytes(from: key) }
    }

    /// Seals bytes under a random nonce of 192 bits: equal bytes give different results.
    public func seal(_ plain: [UInt8], for place: SealedPlace) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: plain.count + Vault.overhead)
        sealed.withUnsafeMutableBufferPointer { buffer in
            guard let nonce = buffer.baseAddress else { return }
            randombytes_buf(nonce, Vault.nonceLength)
            crypto_aead_xchacha20poly1305_ietf_encrypt(
                nonce + Vault.nonceLength, nil, plain, UInt64(plain.count),
                place.bytes, UInt64(place.bytes.count), nil, nonce, key(for: .seals))
        }
        return sealed
    }

    /// The plain bytes, which the caller wipes after use.
    public func open(_ sealed: [UInt8], for place: SealedPlace) throws(VaultError) -> [UInt8] {
        try withOpened(sealed, for: place) { Array($0) }
    }

    /// Lends the plain bytes to `use` and wipes them when it returns.
    public func withOpened<Result>(
        _ sealed: [UInt8], for place: SealedPlace, _ use: (UnsafeRawBufferPointer) -> Result
    ) throws(VaultError) -> Result {
        guard sealed.count >= Vault.overhead else { throw .sealBroken }
        var plain = [UInt8](repeating: 0, count: sealed.count - Vault.overhead)
        defer { Vault.wipe(&plain) }
        guard decrypt(sealed, for: place, into: &plain) else { throw .sealBroken }
        return plain.withUnsafeBytes(use)
    }

    private func decrypt(_ sealed: [UInt8], for place: SealedPlace, into plain: inout [UInt8]) -> Bool {
        sealed.withUnsafeBufferPointer { buffer in
            guard let nonce = buffer.baseAddress else { return false }
            return crypto_aead_xchacha20poly1305_ietf_decrypt(
                &plain, nil, nil, nonce + Vault.nonceLength, UInt64(sealed.count - Vault.nonceLength),
                place.bytes, UInt64(place.bytes.count), nonce, key(for: .seals)) == 0
        }
    }

    /// Overwrites secret bytes with zeros, in a way that the optimiser cannot remove. Affects only this array, not
    /// copies of it.
    public static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { sodium_memzero($0.baseAddress, $0.count) }
    }
}
