/// The tables of the store, and the migrations from older versions.
enum Schema {
    /// "Anic" in ASCII, by which file(1) and this program identify the database.
    static let applicationID: Int64 = 0x416e_6963

    /// Element n brings a store of version n to version n + 1. Never change one that was released.
    static let migrations = [first]

    static var version: Int64 { Int64(migrations.count) }

    private static let first = """
        CREATE TABLE seal_check(id INTEGER PRIMARY KEY CHECK (id = 1), sealed BLOB NOT NULL);
        -- What the store knows of itself; sealed: StoreMark.
        CREATE TABLE meta(id INTEGER PRIMARY KEY CHECK (id = 1), generation INTEGER NOT NULL, sealed BLOB NOT NULL);

        -- What the trail folds into is in consent_now, from the beginning: that it is missing says that it was removed.
        CREATE TABLE consent_now(id INTEGER PRIMARY KEY CHECK (id = 1), sealed BLOB NOT NULL);
        CREATE TABLE consent(id INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
        CREATE TRIGGER consent_is_only_appended BEFORE INSERT ON consent
            WHEN NEW.id <= (SELECT max(id) FROM consent)
            BEGIN SELECT RAISE(ABORT, 'the consent trail is append-only'); END;
        CREATE TRIGGER consent_is_never_changed BEFORE UPDATE ON consent
            BEGIN SELECT RAISE(ABORT, 'the consent trail is append-only'); END;
        CREATE TRIGGER consent_is_never_deleted BEFORE DELETE ON consent
            BEGIN SELECT RAISE(ABORT, 'the consent trail is append-only'); END;

        CREATE TABLE checkpoint(
            id INTEGER PRIMARY KEY CHECK (id = 1),
            source INTEGER NOT NULL, sample_type INTEGER NOT NULL, granularity INTEGER NOT NULL,
            consent INTEGER NOT NULL, generation INTEGER NOT NULL, sealed BLOB NOT NULL);

        -- A boot of this machine, in the order of the boots; sealed: BootLog.
        CREATE TABLE boot(id INTEGER PRIMARY KEY AUTOINCREMENT, boot BLOB NOT NULL UNIQUE, sealed BLOB NOT NULL);
        -- What was collected of a domain (sample_type) in a quarter of an hour: boot time and length in nanoseconds. Late: it
        -- came when the dates of its boot were final already.
        CREATE TABLE quarter(
            boot INTEGER NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL, late INTEGER NOT NULL,
            source INTEGER NOT NULL, sample_type INTEGER NOT NULL, granularity INTEGER NOT NULL,
            consent INTEGER NOT NULL, sealed BLOB NOT NULL,
            PRIMARY KEY (boot, start, sample_type, consent, late)) WITHOUT ROWID;
        CREATE INDEX quarter_late ON quarter(boot, start) WHERE late = 1;
        -- An event until it may have been sent, at a boot time; record: its row in the outbox, 0 while its boot has no date.
        CREATE TABLE moment(
            boot INTEGER NOT NULL, at INTEGER NOT NULL, kind INTEGER NOT NULL, record INTEGER NOT NULL,
            source INTEGER NOT NULL, sample_type INTEGER NOT NULL, granularity INTEGER NOT NULL,
            consent INTEGER NOT NULL, sealed BLOB NOT NULL,
            PRIMARY KEY (boot, at, kind)) WITHOUT ROWID;

        CREATE TABLE history(
            day INTEGER NOT NULL, sample_type INTEGER NOT NULL,
            source INTEGER NOT NULL, granularity INTEGER NOT NULL, consent INTEGER NOT NULL, sealed BLOB NOT NULL,
            PRIMARY KEY (day, sample_type)) WITHOUT ROWID;
        -- A day whose history was folded from quarters; sealed: whether it is final.
        CREATE TABLE day(day INTEGER PRIMARY KEY, sealed BLOB NOT NULL);

        -- Kind 0 is a daily record, at its last nanosecond; the others are events, by EventKind.id. An id is never
        -- used again. Sealed: its fields (RecordField), none once it is delivered or withheld.
        CREATE TABLE outbox(
            id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL, at INTEGER NOT NULL,
            key BLOB NOT NULL, sealed BLOB NOT NULL DEFAULT x'', UNIQUE (kind, at));

        -- DeliveryState by sink. Sink 0 is the record as a whole, which is queued while it has no such row.
        CREATE TABLE outbox_delivery(
            record INTEGER NOT NULL, sink INTEGER NOT NULL, sealed BLOB NOT NULL,
            PRIMARY KEY (record, sink)) WITHOUT ROWID;
        -- DeliveryLog by sink. Sink 0 is the sender.
        CREATE TABLE delivery(sink INTEGER PRIMARY KEY, sealed BLOB NOT NULL);

        -- Rows of books (Book): the lowest byte of id is Book.id, above it stands the UTC day, or zero in a book of one row.
        CREATE TABLE book(
            id INTEGER PRIMARY KEY, source INTEGER NOT NULL, sample_type INTEGER NOT NULL, granularity INTEGER NOT NULL,
            consent INTEGER NOT NULL, sealed BLOB NOT NULL);
        """
}

extension Database {
    /// Whether the file is empty.
    func isEmpty() throws(LedgerError) -> Bool {
        try integer("SELECT count(*) FROM sqlite_schema") == 0
    }

    /// Throws for a database of another program, or of a newer version of this one. Changes nothing.
    func checkOwner() throws(LedgerError) {
        let owner = try integer("PRAGMA application_id") ?? 0
        let isEmpty = try isEmpty()
        guard owner == Schema.applicationID || (owner == 0 && isEmpty) else { throw .foreign(path: path) }
        let version = try integer("PRAGMA user_version") ?? 0
        guard version <= Schema.version else {
            throw .newerSchema(path: path, found: version, known: Schema.version)
        }
        guard version > 0 || isEmpty else {
            throw .damaged(path: path, detail: "its header does not match its content")
        }
    }

    /// Brings the tables to the newest version. `finish` runs in the same transaction; its argument is true if the
    /// tables were newly made.
    func migrate(finish: (_ isNew: Bool) throws(LedgerError) -> Void) throws(LedgerError) {
        guard try integer("PRAGMA user_version") != Schema.version else { return }
        try transaction { () throws(LedgerError) in
            // Another process may have migrated while this one waited for the lock.
            let version = Int(try integer("PRAGMA user_version") ?? 0)
            guard version < Schema.migrations.count else { return }
            for migration in Schema.migrations[version...] { try execute(migration) }
            try finish(version == 0)
            try execute("PRAGMA application_id = \(Schema.applicationID)")
            try execute("PRAGMA user_version = \(Schema.version)")
        }
    }
}
