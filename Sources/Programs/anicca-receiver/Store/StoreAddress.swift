import ArgumentParser

/// The address of the store: `postgresql://…` (libpq's connection URIs), or the path of an SQLite file.
struct StoreAddress: ExpressibleByArgument, Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case postgreSQL(String)
        case sqlite(String)
    }

    let kind: Kind

    /// The embedded default.
    static let standard = StoreAddress(.sqlite("/var/lib/anicca-receiver/received.sqlite"))

    private init(_ kind: Kind) { self.kind = kind }

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        let schemes = ["postgresql://", "postgres://"]
        self.init(schemes.contains(where: argument.hasPrefix) ? .postgreSQL(argument) : .sqlite(argument))
    }

    /// Without user, password and options.
    var description: String {
        switch kind {
        case .sqlite(let path): path
        case .postgreSQL: "PostgreSQL"
        }
    }

    /// Opens a new connection. The tables are not checked; a missing SQLite file is created.
    func open() throws(StoreFailure) -> any RecordStore {
        switch kind {
        case .sqlite(let path): try SQLiteStore(path: path)
        case .postgreSQL(let uri): try PostgreSQLStore(uri: uri)
        }
    }

    /// The number of connections that it can use: SQLite has one writer.
    func connections(wanted: Int) -> Int {
        switch kind {
        case .sqlite: 1
        case .postgreSQL: wanted
        }
    }
}
