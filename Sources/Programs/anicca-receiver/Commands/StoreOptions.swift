import ArgumentParser

/// The location of the records.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "postgresql://… , or the path of an SQLite file.",
            discussion: "Better without a password: use a socket, a service file or ~/.pgpass (libpq)."))
    var database = StoreAddress.standard

    func open() throws(StoreFailure) -> any RecordStore { try database.open() }

    /// A connection whose tables are of this version.
    func openChecked() throws(StoreFailure) -> any RecordStore {
        let store = try open()
        try store.check()
        return store
    }

    /// The same, for what only PostgreSQL answers.
    func openStudy() throws -> PostgreSQLStore {
        guard case .postgreSQL(let uri) = database.kind else {
            throw Stop(.badInput, "this is for PostgreSQL only; give --database postgresql://…")
        }
        let store = try PostgreSQLStore(uri: uri)
        try store.check()
        try store.connection.takeTime()
        return store
    }
}
