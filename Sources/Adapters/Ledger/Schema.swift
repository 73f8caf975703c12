/// The tables of the store, and the migrations from older versions.
enum Schema {
    /// "Anic" in ASCII, by which file(1) and this program identify the database.
    static let applicationID: Int64 = 0x416e_6963

    /// Element n brings a store of version n to version n + 1. Never change one that was released.
    static let migrations = [first, quartersByBootTime, generations, books]

    static var version: Int64 { Int64(migrations.count) }

    private static let first = """
        CREATE TABLE seal_check(id INTEGER PRIMARY KEY CHECK (id = 1), sealed BLOB NOT NULL);

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
            consent INTEGER NOT NULL, sealed BLOB NOT NULL);

        CREATE TABLE history(
            day INTEGER NOT NULL, sample_type INTEGER NOT NULL,
            source INTEGER NOT NULL, granularity INTEGER NOT NULL, consent INTEGER NOT NULL, sealed BLOB NOT NULL,
            PRIMARY KEY (day, sample_type)) WITHOUT ROWID;

        -- A boot of this machine; sealed: BootClock. Its quarters of an hour count from its start, and have a date once the
        -- clock of the boot is known.
        CREATE TABLE boot(id INTEGER PRIMARY KEY AUTOINCREMENT, boot BLOB NOT NULL UNIQUE, sealed BLOB NOT NULL);
        CREATE TABLE quarter(
            boot INTEGER NOT NULL, quarter INTEGER NOT NULL, sample_type INTEGER NOT NULL,
            source INTEGER NOT NULL, granularity INTEGER NOT NULL, consent INTEGER NOT NULL, sealed BLOB NOT NULL,
            PRIMARY KEY (boot, quarter, sample_type)) WITHOUT ROWID;

        -- Kind 0 is a daily record, at its last nanosecond; the others are events, by EventKind.id. An id is never
        -- used again.
        CREATE TABLE outbox(
            id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL, at INTEGER NOT NULL,
            key BLOB NOT NULL, UNIQUE (kind, at));
        CREATE TABLE outbox_field(
            record INTEGER NOT NULL, sample_type INTEGER NOT NULL,
            source INTEGER NOT NULL, granularity INTEGER NOT NULL, consent INTEGER NOT NULL, sealed BLOB NOT NULL,
            PRIMARY KEY (record, sample_type)) WITHOUT ROWID;

        -- DeliveryState by sink. Sink 0 is the record as a whole, which is queued while it has no such row.
        CREATE TABLE outbox_delivery(
            record INTEGER NOT NULL, sink INTEGER NOT NULL, sealed BLOB NOT NULL,
            PRIMARY KEY (record, sink)) WITHOUT ROWID;

        -- DeliveryLog by sink. Sink 0 is the sender.
        CREATE TABLE delivery(sink INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
        """

    /// No program ever filled the tables that this replaces.
    private static let quartersByBootTime = """
        DROP TABLE quarter;
        DROP TABLE boot;

        -- A boot of this machine, in the order of the boots; sealed: BootLog.
        CREATE TABLE boot(id INTEGER PRIMARY KEY AUTOINCREMENT, boot BLOB NOT NULL UNIQUE, sealed BLOB NOT NULL);
        -- What was collected of a domain (sample_type) in a quarter of an hour: boot time and length in nanoseconds. Late: it
        -- came when the dates of its boot were final already.
        CREATE TABLE quarter(
            boot INTEGER NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL, late INTEGER NOT NULL,
            source INTEGER NOT NULL, sample_type INTEGER NOT NULL, granularity INTEGER NOT NULL,
            consent INTEGER NOT NULL, sealed BLOB NOT NULL,
            PRIMARY KEY (boot, start, sample_type, consent, late)) WITHOUT ROWID;
        -- An event until it may have been sent, at a boot time; record: its row in the outbox, 0 while its boot has no date.
        CREATE TABLE moment(
            boot INTEGER NOT NULL, at INTEGER NOT NULL, kind INTEGER NOT NULL, record INTEGER NOT NULL,
            source INTEGER NOT NULL, sample_type INTEGER NOT NULL, granularity INTEGER NOT NULL,
            consent INTEGER NOT NULL, sealed BLOB NOT NULL,
            PRIMARY KEY (boot, at, kind)) WITHOUT ROWID;
        -- A day whose history was folded from quarters; sealed: whether it is final. Days of the version before have none, and
        -- are final.
        CREATE TABLE day(day INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
        """

    /// A generation of zero: the checkpoint of an earlier version. An empty seal: a record of an earlier version.
    private static let generations = """
        -- What the store knows of itself; sealed: StoreMark.
        CREATE TABLE meta(id INTEGER PRIMARY KEY CHECK (id = 1), generation INTEGER NOT NULL, sealed BLOB NOT NULL);
        ALTER TABLE checkpoint ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
        -- How many fields the record has.
        ALTER TABLE outbox ADD COLUMN sealed BLOB NOT NULL DEFAULT x'';
        """
}

extension Database {
    /// Whether nothing was ever stored in the file.
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
    }

    /// Brings the tables up to the newest version; `prepareNew` runs in the same transaction as their creation, and
    /// `finish` in that of any change.
    func migrate(
        prepareNew: () throws(LedgerError) -> Void, finish: () throws(LedgerError) -> Void
    ) throws(LedgerError) {
        guard try integer("PRAGMA user_version") != Schema.version else { return }
        try transaction { () throws(LedgerError) in
            // Another process may have migrated while this one waited for the lock.
            let version = Int(try integer("PRAGMA user_version") ?? 0)
            guard version < Schema.migrations.count else { return }
            for migration in Schema.migrations[version...] { try execute(migration) }
            if version == 0 { try prepareNew() }
            try finish()
            try execute("PRAGMA application_id = \(Schema.applicationID)")
            try execute("PRAGMA user_version = \(Schema.version)")
        }
    }
}
