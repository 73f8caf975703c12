import Foundation
import Testing

@testable import anicca_receiver

/// A PostgreSQL of the tests' own, in a temporary directory and without a port. It ends with the process, however that ends.
final class PostgreSQLCluster: Sendable {
    /// Nil, which is printed, where Debian's package postgresql is not installed.
    static let shared: PostgreSQLCluster? = start()

    private let directory: String
    private let databases = Locked(0)

    private init(_ directory: String) { self.directory = directory }

    /// A database that holds nothing yet.
    func newDatabase() throws -> StoreAddress {
        let number = databases.change { count in
            count += 1
            return count
        }
        try PostgreSQLConnection(uri: uri("postgres")).execute("CREATE DATABASE trial\(number)")
        return try #require(StoreAddress(argument: uri("trial\(number)")))
    }

    private func uri(_ database: String) -> String { "postgresql://postgres@/\(database)?host=\(directory)" }

    private static func start() -> PostgreSQLCluster? {
        guard let programs = programs() else {
            print("SKIPPED with PostgreSQL, as it is not installed (sh scripts/setup.sh postgresql): RecordStoreTests")
            return nil
        }
        let directory = FileManager.default.temporaryDirectory.appending(path: "pg-\(UUID().uuidString.prefix(8))").path
        // PostgreSQL does not run as root. The inner shell ends it when its standard input does, which this process holds. It
        // closes the other descriptors: Foundation notices the end of a process by one that every process inherits that is
        // started at the same moment.
        let script = """
            (
                set -eu
                for fd in /proc/$BASHPID/fd/*; do [ "${fd##*/}" -le 2 ] || eval "exec ${fd##*/}>&-"; done
                mkdir -m 0700 "$2"
                as=
                if [ "$(id -u)" -eq 0 ]; then chown postgres "$2"; as='setpriv --reuid postgres --regid postgres --clear-groups'; fi
                cd "$2"
                $as "$1/initdb" -D "$2/data" -U postgres -A trust -E UTF8 >"$2/log" 2>&1 </dev/null
                $as "$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= -c max_connections=60 >>"$2/log" 2>&1 </dev/null &
                server=$!
                until "$1/pg_isready" -q -h "$2"; do kill -0 "$server"; sleep 0.1; done
                echo ready
                read -r _ || true
                kill -INT "$server"
                wait "$server" || true
                rm -rf "$2"
            ) <&0 &
            """
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script, "bash", programs, directory]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        guard (try? process.run()) != nil, !output.fileHandleForReading.availableData.isEmpty else {
            print("PostgreSQL does not start: see \(directory)/log")
            return nil
        }
        // Held until the end of the process.
        _ = Unmanaged.passRetained(input)
        return PostgreSQLCluster(directory)
    }

    /// The newest that is installed.
    private static func programs() -> String? {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap(Int.init).max().map { "\(root)/\($0)/bin" }
    }
}
