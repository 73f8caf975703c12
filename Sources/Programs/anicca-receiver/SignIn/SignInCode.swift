import CSodium

/// The code that a device shows, and the study approves (RFC 8628).
enum SignInCode {
    /// Without vowels, so that no code is a word (RFC 8628 §6.1).
    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    /// Seconds for which a device waits for its approval.
    static let lifetime = 1800
    /// Seconds between two questions of a device.
    static let interval = 5
    /// The most codes that wait at a time, so that strangers cannot fill the store.
    static let limit = 1000

    /// Eight random letters, `WDJB-MJHT`: 34 bits.
    static func random() -> String {
        let code = (0..<8).map { _ in letters[Int(randombytes_uniform(UInt32(letters.count)))] }
        return "\(String(code[..<4]))-\(String(code[4...]))"
    }

    /// The code as typed by a person: in any case, with any signs between. Nil if it is none.
    static func read(_ text: String) -> String? {
        let code = text.uppercased().filter { $0.isLetter || $0.isNumber }
        guard code.count == 8, code.allSatisfy(letters.contains) else { return nil }
        return "\(code.prefix(4))-\(code.suffix(4))"
    }
}

/// The tokens that a device gets, of which the store has only the hashes.
struct TokenPair: Sendable {
    /// Seconds for which an access token is valid, as `add_tokens` of the database has it. A device refreshes it before;
    /// the refresh token has no end.
    static let lifetime = 30 * 86_400

    let access = randomToken()
    let refresh = randomToken()
}

/// 256 random bits, so that the hash of a token does not reveal it.
func randomToken() -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    randombytes_buf(&bytes, bytes.count)
    return hexadecimal(bytes)
}
