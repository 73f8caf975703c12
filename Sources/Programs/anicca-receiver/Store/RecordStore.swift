/// One connection to a store of received records. It blocks, and is used by one thread at a time.
///
/// What a call has returned is on the disk: killing the process, or the machine, right after an answer loses nothing that the answer
/// promised. SQLite and PostgreSQL keep the same promises; `RecordStoreTests` holds both to them.
protocol RecordStore: AnyObject {
    /// Creates the tables, or brings them to this version. Throws for tables of a later one.
    func migrate() throws(StoreFailure)

    /// Throws unless the store answers and has the tables of this version.
    func check() throws(StoreFailure)

    /// Keeps what is new, in one transaction, or throws and keeps nothing. All contents are of one kind, no key is there twice, and
    /// the outcomes are in the order of the submissions. An erasure is alone.
    func keep(_ batch: [Submission]) throws(StoreFailure) -> [Kept]

    /// Enrols a device of an account, under the digest of its token. The device's earlier tokens go on.
    func enroll(_ devices: [EnrolledDevice]) throws(StoreFailure)

    /// Ends all tokens of a device, or of an account where `device` is nil. Returns their count.
    func revoke(account: String, device: String?) throws(StoreFailure) -> Int

    /// Deletes everything that is stored of an account, its tokens and keys included. Returns the count of records and events.
    func deleteAccount(_ account: String) throws(StoreFailure) -> Int

    /// What is stored of an account, or of all where it is nil; the oldest first.
    func contents(of account: String?) throws(StoreFailure) -> [StoredRecord]

    /// Deletes what is too old by the retention, and prepares for the records of the next months.
    func maintain(_ retention: Retention) throws(StoreFailure) -> MaintenanceReport
}

/// The outcome for one submission.
enum Kept: Hashable, Sendable {
    case stored
    /// The key came before, with the same digest.
    case known
    /// The key came before, with another body or for another endpoint. What it came with stays.
    case conflicting
    /// The token is of no device that is enrolled.
    case unknownSender
    /// The body names another account than the token's.
    case otherAccount
    /// The account has as much of this day as it may (`DayLimit`).
    case tooMany
}

/// What an account may have of one UTC day: many times what its devices send. Nobody fills the store, or slows it down for others.
enum DayLimit {
    /// A device sends one; a few devices of one wearer, and stores that were lost, are allowed for.
    static let records = 16
    static let events = 1000
}

/// A device that may send for an account.
struct EnrolledDevice: Hashable, Sendable {
    /// A UUID in lower case.
    let account: String
    /// The operator's name for it.
    let name: String
    let token: Digest
}

/// A row, as operators and tests read it.
struct StoredRecord: Hashable, Sendable {
    let key: String
    /// `YYYY-MM-DDTHH:MM:SSZ`.
    let receivedAt: String
    /// A record of a day or an event, never an erasure.
    let content: Submission.Content
}

/// How long what is received is kept.
struct Retention: Hashable, Sendable {
    /// Months of records and events beside the present one; nil keeps them for good.
    var months: Int?
    /// A key is known for so long after its first request: a device repeats one for at most 90 days (docs/server.md).
    var keyDays = 98

    /// Records are kept for good.
    static let unlimited = Retention(months: nil)
}

struct MaintenanceReport: Hashable, Sendable {
    var deletedKeys = 0
    /// Months, `YYYY-MM`, that were dropped.
    var droppedMonths: [String] = []
    var addedMonths: [String] = []
}

/// The store cannot do what it was asked for. Nothing of it was kept.
struct StoreFailure: Error, Hashable, CustomStringConvertible {
    enum Kind: Hashable {
        /// The store is away, full, busy or shutting down: the same may succeed later, on a new connection.
        case unavailable
        /// The connection is over, as after a restart of the store: the same may succeed on another one.
        case disconnected
        /// The store does not take a value of this batch, which another batch may hold no more.
        case badValue
        /// The store is not one that this version can use; a person has to act.
        case unusable
    }

    let kind: Kind
    /// One line: no value of a record is in it.
    let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
