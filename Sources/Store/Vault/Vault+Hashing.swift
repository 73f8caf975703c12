import CSodium

/// Names for secrets: BLAKE2b (RFC 7693) under keys derived from the vault's, one for each purpose. Without the key, a
/// name cannot be computed from a secret, nor a secret from its name.
extension Vault {
    /// Bytes in a `chainHash`.
    public static let chainHashLength = Int(crypto_generichash_BYTES)

    /// A name by which a secret can be recognised later without being stored: 16 bytes. It differs between vaults.
    public func fingerprint(of secret: [UInt8]) -> [UInt8] {
        hash(secret, .fingerprints, length: Int(crypto_generichash_BYTES_MIN))
    }

    /// The hash of a link that the next link of its chain stores: 32 bytes, different for every payload and place.
    public func chainHash(of payload: [UInt8], at place: SealedPlace) -> [UInt8] {
        // The length prefix separates the place from the payload.
        var message = withUnsafeBytes(of: UInt64(place.bytes.count).littleEndian) { Array($0) }
        defer { Vault.wipe(&message) }
        message.reserveCapacity(message.count + place.bytes.count + payload.count)
        message += place.bytes
        message += payload
        return hash(message, .chain, length: Vault.chainHashLength)
    }

    /// A hash of sealed bytes by their tag, in four words: HChaCha20 (draft-irtf-cfrg-xchacha-03 §2.2). Its input is as
    /// long as a tag, and its output looks random without the key. Bytes changed before the tag have the same hash, but
    /// do not open.
    public func hash(ofSeal sealed: [UInt8]) -> SIMD4<UInt64> {
        var (tag, hash) = (SIMD16<UInt8>.zero, SIMD4<UInt64>.zero)
        for (index, byte) in sealed.suffix(Vault.tagLength).enumerated() { tag[index] = byte }
        withUnsafeMutablePointer(to: &hash) { hash in
            withUnsafePointer(to: tag) { tag in
                _ = crypto_core_hchacha20(
                    UnsafeMutableRawPointer(hash).assumingMemoryBound(to: UInt8.self),
                    UnsafeRawPointer(tag).assumingMemoryBound(to: UInt8.self), key(for: .digest), nil)
            }
        }
        return hash
    }

    private func hash(_ message: [UInt8], _ purpose: Purpose, length: Int) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: length)
        crypto_generichash(&hash, length, message, UInt64(message.count), key(for: purpose), Vault.keyLength)
        return hash
    }
}

extension Vault {
    /// The SHA-256 (FIPS 180-4) of non-secret bytes: 32 bytes.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return digest
    }

    /// A hash of parts that may be secret, which are wiped: 32 bytes of BLAKE2b, without a key. The boundaries of the
    /// parts are hashed too.
    public static func digest(_ parts: inout [[UInt8]]) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(parts.reduce(0) { $0 + $1.count + 8 })
        defer { wipe(&message) }
        for index in parts.indices {
            withUnsafeBytes(of: UInt64(parts[index].count).littleEndian) { message.append(contentsOf: $0) }
            message += parts[index]
            wipe(&parts[index])
        }
        var digest = [UInt8](repeating: 0, count: chainHashLength)
        crypto_generichash(&digest, digest.count, message, UInt64(message.count), nil, 0)
        return digest
    }
}
