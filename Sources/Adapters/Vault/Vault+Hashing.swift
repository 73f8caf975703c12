import CSodium

/// Names for secrets: BLAKE2b (RFC 7693) under keys derived from the vault's, one for each purpose. Without the key
/// nobody can make the name of something they know, nor find something that has a name they know.
extension Vault {
    /// Bytes in a `chainHash`.
    public static let chainHashLength = Int(crypto_generichash_BYTES)

    /// What a secret is recognised by later without being stored: 16 bytes. Another vault gives another name.
    public func fingerprint(of secret: [UInt8]) -> [UInt8] {
        hash(secret, withSubkey: 1, length: Int(crypto_generichash_BYTES_MIN))
    }

    /// What the next link of a chain holds of this one: 32 bytes that no other payload and no other place have.
    public func chainHash(of payload: [UInt8], at place: SealedPlace) -> [UInt8] {
        // The length in front tells where the place ends and the payload begins.
        var message = withUnsafeBytes(of: UInt64(place.bytes.count).littleEndian) { Array($0) }
        defer { Vault.wipe(&message) }
        message.reserveCapacity(message.count + place.bytes.count + payload.count)
        message += place.bytes
        message += payload
        return hash(message, withSubkey: 2, length: Vault.chainHashLength)
    }

    /// - Parameter number: stands for one purpose, for ever.
    private func hash(_ message: [UInt8], withSubkey number: UInt64, length: Int) -> [UInt8] {
        var subkey = [UInt8](repeating: 0, count: Vault.keyLength)
        defer { Vault.wipe(&subkey) }
        crypto_kdf_derive_from_key(&subkey, subkey.count, number, "anicca#1", key)
        var hash = [UInt8](repeating: 0, count: length)
        crypto_generichash(&hash, hash.count, message, UInt64(message.count), subkey, subkey.count)
        return hash
    }
}
