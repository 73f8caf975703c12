import Testing
import Store

@Suite struct SealingTests {
    /// FIPS 180-4, the first example of SHA-256.
    @Test func hashesForOthersAreSHA256() {
        let digest = Vault.sha256(Array("abc".utf8))
        #expect(Array(digest.prefix(4)) == [0xBA, 0x78, 0x16, 0xBF] && digest.suffix(2) == [0x15, 0xAD])
        #expect(digest.count == 32)
    }

    let vault: Vault
    let place = SealedPlace(table: "history", 20_103, 4, 7)

    init() throws { vault = try Vault(key: [UInt8](0..<32)) }

    @Test(arguments: [0, 1, 8, 400, 70_000])
    func whatWasSealedOpensAtItsPlace(length: Int) throws {
        let plain = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let sealed = vault.seal(plain, for: place)
        #expect(sealed.count == length + Vault.overhead)
        #expect(try vault.open(sealed, for: place) == plain)
    }

    @Test func thePlainBytesAreNotInTheSealedOnes() {
        let plain = [UInt8](repeating: 0x41, count: 64)
        #expect(!vault.seal(plain, for: place).contains(plain.prefix(4)))
    }

    @Test func aSealHasAHashOfItsOwnUnderEachKey() throws {
        let seals = (0..<2).map { _ in vault.seal([1], for: place) }
        let other = try Vault(key: [UInt8](1..<33))
        #expect(vault.hash(ofSeal: seals[0]) == vault.hash(ofSeal: seals[0]))
        #expect(
            Set([vault.hash(ofSeal: seals[0]), vault.hash(ofSeal: seals[1]), other.hash(ofSeal: seals[0])]).count == 3)
        #expect(vault.hash(ofSeal: [1]) != vault.hash(ofSeal: []), "of what is no seal too")
    }

    @Test func sealingTwiceNeverLooksTheSame() {
        #expect(vault.seal([1, 2, 3], for: place) != vault.seal([1, 2, 3], for: place))
    }

    @Test(arguments: [
        SealedPlace(table: "history", 20_104, 4, 7), SealedPlace(table: "history", 20_103, 5, 7),
        SealedPlace(table: "history", 20_103, 4, 8), SealedPlace(table: "history", 20_103, 4),
        SealedPlace(table: "history", 20_103, 4, 7, 0), SealedPlace(table: "histor", 20_103, 4, 7),
        SealedPlace(table: "", 20_103, 4, 7),
    ])
    func bytesThatWereMovedDoNotOpen(elsewhere: SealedPlace) {
        let sealed = vault.seal([1, 2, 3], for: place)
        #expect(throws: VaultError.sealBroken) { try vault.open(sealed, for: elsewhere) }
    }

    @Test func everyFlippedBitIsNoticed() {
        let sealed = vault.seal([1, 2, 3], for: place)
        for bit in 0..<sealed.count * 8 {
            var flipped = sealed
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: VaultError.sealBroken, "bit \(bit)") { try vault.open(flipped, for: place) }
        }
    }

    @Test func everyShorterOrLongerLengthIsNoticed() {
        let sealed = vault.seal([1, 2, 3], for: place)
        for length in 0..<sealed.count {
            #expect(throws: VaultError.sealBroken, "length \(length)") {
                try vault.open(Array(sealed[..<length]), for: place)
            }
        }
        #expect(throws: VaultError.sealBroken) { try vault.open(sealed + [0], for: place) }
    }

    @Test func anotherKeyOpensNothing() throws {
        let other = try Vault(key: [UInt8](1..<33))
        let sealed = vault.seal([1, 2, 3], for: place)
        #expect(throws: VaultError.sealBroken) { try other.open(sealed, for: place) }
    }

    @Test func lentBytesAreThePlainOnes() throws {
        let sealed = vault.seal([3, 4, 5], for: place)
        #expect(try vault.withOpened(sealed, for: place) { $0.reduce(0) { $0 + Int($1) } } == 12)
    }

    @Test func wipingLeavesZeros() {
        var secret: [UInt8] = [1, 2, 3]
        Vault.wipe(&secret)
        #expect(secret == [0, 0, 0])
        var nothing: [UInt8] = []
        Vault.wipe(&nothing)
    }

    @Test func aFingerprintNamesItsSecretUnderItsKey() throws {
        let other = try Vault(key: [UInt8](1..<33))
        let token = Array("token".utf8)
        #expect(vault.fingerprint(of: token) == vault.fingerprint(of: token))
        #expect(vault.fingerprint(of: token) != vault.fingerprint(of: Array("tokem".utf8)))
        #expect(vault.fingerprint(of: token) != other.fingerprint(of: token))
        #expect(vault.fingerprint(of: []).count == 16)
    }

    @Test func aChainHashIsOfPayloadPlaceAndKey() throws {
        let hash = vault.chainHash(of: [1, 2, 3], at: place)
        #expect(hash.count == Vault.chainHashLength && hash == vault.chainHash(of: [1, 2, 3], at: place))
        #expect(hash != vault.chainHash(of: [1, 2, 4], at: place))
        #expect(hash != vault.chainHash(of: [1, 2, 3], at: SealedPlace(table: "history", 20_103, 4, 8)))
        let other = try Vault(key: [UInt8](1..<33))
        #expect(hash != other.chainHash(of: [1, 2, 3], at: place))
        let moved = SealedPlace(table: "t", 1)
        let boundary: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
        #expect(vault.chainHash(of: boundary + [9], at: SealedPlace(table: "t")) != vault.chainHash(of: [9], at: moved))
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: ArraySlice<UInt8>) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
