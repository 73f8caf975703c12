/// One connection to a store of received records. Its calls block, and one thread at a time uses it.
///
/// When a call has returned, its data is on the disk: killing the process or the machine right after an answer loses
/// nothing that was acknowledged. SQLite and PostgreSQL give the same guarantees; `RecordStoreTests` tests both.
protocol RecordStore: AnyObject {
    /// Creates the tables, or migrates them to this version. Throws for tables of a later one.
    func migrate() throws(StoreFailure)

    /// Throws unless the store answers and its tables are of this version.
    func check() throws(StoreFailure)

    /// Stores new submissions in one transaction, or throws and stores nothing. All contents are of one kind, no key
    /// occurs twice, and the outcomes are in the order of the submissions. An erasure is alone.
    func keep(_ batch: [Submission]) throws(StoreFailure) -> [Kept]

    /// Enrols a device of an account with the digest of its token. The device's earlier tokens stay valid.
    func enroll(_ devices: [EnrolledDevice]) throws(StoreFailure)

    /// Revokes all tokens of a device, or of an account if `device` is nil. Returns their number.
    func revoke(account: String, device: String?) throws(StoreFailure) -> Int

    /// Deletes all stored data of an account, with its tokens and keys. Returns the number of records and events.
    func deleteAccount(_ account: String) throws(StoreFailure) -> Int

    /// The stored data of an account, or of all accounts if nil; oldest first.
    func contents(of account: String?) throws(StoreFailure) -> [StoredRecord]

    /// Deletes data older than the retention, and prepares for the records of the next months.
    func maintain(_ retention: Retention) throws(StoreFailure) -> MaintenanceReport
}

/// The outcome for one submission.
enum Kept: Hashable, Sendable {
    case stored
    /// The key came before, with the same digest.
    case known
    /// The key came before, with another body or for another endpoint. The earlier content stays.
    case conflicting
    /// The token belongs to no enrolled device.
    case unknownSender
    /// The body has another account than the token.
    case otherAccount
    /// The account has reached the limit of this day (`DayLimit`).
    case tooMany
}

/// The limit for an account and UTC day: many times the normal amount, so that no sender can fill the store or slow it
/// down for others.
enum DayLimit {
    /// A device sends one; this allows for a few devices of one wearer, and for stores that were lost.
    static let records = 16
    static let events = 1000
}

/// A device that may send data of an account.
struct EnrolledDevice: Hashable, Sendable {
    /// A UUID in lower case.
    let account: String
    /// The operator's name for it.
    let name: String
    let token: Digest
}

/// A row, for operators and tests.
struct StoredRecord: Hashable, Sendable {
    let key: String
    /// `YYYY-MM-DDTHH:MM:SSZ`.
    let receivedAt: String
    /// A record of a day or an event, never an erasure.
    let content: Submission.Content
}

/// The retention of received data.
struct Retention: Hashable, Sendable {
    /// Months of records and events besides the present one; nil keeps them forever.
    var months: Int?
    /// The days that a key is remembered after its first request: a device repeats one for at most 90 days
    /// (docs/server.md).
    var keyDays = 98

    /// Records are kept forever.
    static let unlimited = Retention(months: nil)
}

struct MaintenanceReport: Hashable, Sendable {
    var deletedKeys = 0
    /// Months, `YYYY-MM`, that were dropped.
    var droppedMonths: [String] = []
    var addedMonths: [String] = []
}

/// The store failed. Nothing of the call was stored.
struct StoreFailure: Error, Hashable, CustomStringConvertible {
    enum Kind: Hashable {
        /// The store is unavailable, full, busy or shutting down: a retry on a new connection may succeed.
        case unavailable
        /// The connection ended, as after a restart of the store: a retry on another one may succeed.
        case disconnected
        /// The store rejects a value of this batch; batches without it may succeed.
        case badValue
        /// Another connection stored a row with the same primary key at the same time.
        case collision
        /// This version cannot use the store; a person has to act.
        case unusable
    }

    let kind: Kind
    /// One line, without any value of a record.
    let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
