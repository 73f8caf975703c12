import CSodium

/// A request that follows the contract, ready to be stored.
struct Submission: Sendable {
    let sender: Sender
    /// The idempotency key: a UUID of version 4 in lower case.
    let key: String
    /// Identifies the endpoint and the exact bytes of the body: the same key must come with the same digest.
    let digest: Digest
    let content: Content

    /// The sender of a request.
    enum Sender: Hashable, Sendable {
        /// The holder of this token, if it was issued (`RecordStore.enroll`).
        case holder(of: Digest)
        /// Anybody: a receiver for development accepts every token and every account.
        case anyone
    }

    enum Content: Hashable, Sendable {
        case day(DailyRecord)
        case event(Event)
        case erasure(Erasure)
    }

    /// The account in the body; nil for an event, which has none.
    var account: String? {
        switch content {
        case .day(let record): record.account
        case .event: nil
        case .erasure(let erasure): erasure.account
        }
    }
}

/// The figures of one UTC day, each absent or as the contract has it.
struct DailyRecord: Hashable, Sendable {
    /// A UUID in lower case.
    var account: String
    /// `YYYY-MM-DD`.
    var date: String
    /// By the names of `RecordFigure.all`.
    var figures: [String: JSON] = [:]
    /// The minutes observed and lost by domain, as JSON with sorted names.
    var coverage: String?
    /// The device's own name for itself; nil for one that sends no quarters.
    var device: String?
    /// By domain and figure, a number for each quarter of an hour, as JSON with sorted names.
    var quarters: String?
}

struct Event: Hashable, Sendable {
    var type: String
    /// `YYYY-MM-DDTHH:MM:SSZ`.
    var timestamp: String
    /// The threshold in minutes.
    var threshold: Int64?
    /// The name of the place.
    var place: String?
}

/// Asks for the deletion of data that an account has sent.
struct Erasure: Hashable, Sendable {
    var account: String
    /// Events up to this time are deleted, and figures of the days before its date. Never later than now, because data
    /// collected after the request is not meant.
    var until: String
    /// Names of members of the daily record.
    var figures: [String]
    /// Types of events.
    var events: [String]

    /// Figures of earlier days are erased; the day itself is not over, so it was not sent.
    var date: String { String(until.prefix(10)) }
}

/// A SHA-256 hash.
struct Digest: Hashable, Sendable {
    /// In hexadecimal digits.
    let text: String

    init(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
        text = hexadecimal(hash)
    }
}

/// Two digits for each byte.
func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
        for (index, byte) in bytes.enumerated() {
            text[2 * index] = digits[Int(byte >> 4)]
            text[2 * index + 1] = digits[Int(byte & 15)]
        }
        return 2 * bytes.count
    }
}
