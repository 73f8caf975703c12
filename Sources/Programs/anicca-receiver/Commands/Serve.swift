import ArgumentParser
import Foundation
import System

/// `anicca-receiver serve`
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve for real: enrolled devices only, behind a proxy that has TLS.",
        discussion: """
            Any number of processes may use one PostgreSQL, each without a state of its own. Prints \
            {"kind":"listening",…} when it is ready, and logs a JSON object in a line to standard error. GET /healthz \
            answers 200 while the database can be used, and GET /metrics is for Prometheus; keep both from strangers. \
            If the database is unavailable or the queue is full, the answer is 503, and devices retry.

            SIGTERM: accepts no new requests, finishes open ones within 10 seconds, and exits with 0.
            """)

    @OptionGroup var store: StoreOptions

    @Option(help: "Where to listen: 127.0.0.1:PORT, or unix:PATH.")
    var listen = ListenAddress(.loopback(8787))

    @Option(help: "Connections to PostgreSQL.")
    var connections = 2

    @Option(
        help: ArgumentHelp(
            "The server's address as devices have it, https://…, to sign devices in by a code; empty for none.",
            discussion: "Of PostgreSQL only; anicca-receiver approve approves a code.", valueName: "url"))
    var publicUrl = ""

    @Option(
        help: ArgumentHelp(
            "What such a device is told to expect of the server's key: sha256//…, several separated by ;",
            valueName: "pins"))
    var pinnedKey = ""

    @Option(help: "The policy of nudges (anicca-receiver policy check), for PostgreSQL; empty for none.")
    var policy = ""

    func validate() throws {
        guard publicUrl.isEmpty || publicUrl.hasPrefix("https://") && !publicUrl.hasSuffix("/") else {
            throw ValidationError("public-url must be https://… without a slash at its end")
        }
        let isPinned = pinnedKey.split(separator: ";", omittingEmptySubsequences: false).allSatisfy { pin in
            pin.hasPrefix("sha256//") && Data(base64Encoded: String(pin.dropFirst(8)))?.count == 32
        }
        guard pinnedKey.isEmpty || isPinned else {
            throw ValidationError(
                "pinned-key must be sha256// and the Base64 of a SHA-256 hash, several separated by ;")
        }
        guard (1...64).contains(connections) else { throw ValidationError("connections must be from 1 to 64") }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let log = ServiceLog()
        let nudges = try nudgeDesk(log)
        let stopping = try StopSignals()
        if case .sqlite = store.database.kind { try orStop { try store.open().migrate() } }
        try orStop { try store.open().check() }
        let metrics = Metrics()
        let lanes = (1...store.database.connections(wanted: connections)).map { StoreLane(store.database, number: $0) }
        let service = Service(
            Intake(lanes, metrics: metrics), signIn: signInDesk, nudges: nudges, metrics: metrics, log: log)
        let server = try orStop { try HTTPServer(listen.place, handler: service.answer) }
        server.announce()
        let manager = ServiceManager()
        manager.ready(status: "listening at \(server.place)")
        log.note("info", "started", ["database": .string(store.database.description)])
        await stopping.wait()
        manager.stopping()
        await server.stop(within: 10)
        log.note("info", "stopped")
    }

    private var signInDesk: SignInDesk? {
        guard !publicUrl.isEmpty, case .postgreSQL = store.database.kind else { return nil }
        return SignInDesk(
            StoreLane(store.database, number: connections + 1), publicURL: publicUrl,
            pinnedKey: pinnedKey.isEmpty ? nil : pinnedKey)
    }
}

extension Serve {
    /// Nil without a policy, and with one that cannot be read: records are kept all the same.
    fileprivate func nudgeDesk(_ log: ServiceLog) throws -> NudgeDesk? {
        guard !policy.isEmpty else { return nil }
        do {
            guard case .postgreSQL = store.database.kind else {
                throw Stop(.badInput, "a policy is for PostgreSQL only; give --database postgresql://…")
            }
            return NudgeDesk(
                policy: try Policy.File(policy).read(), lane: StoreLane(store.database, number: connections + 2))
        } catch let stop as Stop {
            log.note("error", "nobody is nudged", ["reason": .string(stop.description)])
            return nil
        }
    }
}

/// The address of `--listen`.
struct ListenAddress: ExpressibleByArgument, CustomStringConvertible {
    let place: ListeningSocket.Place

    init(_ place: ListeningSocket.Place) { self.place = place }

    init?(argument: String) {
        if argument.hasPrefix("unix:"), argument.count > 5 {
            place = .unix(String(argument.dropFirst(5)))
        } else if argument.hasPrefix("127.0.0.1:"), let port = UInt16(argument.dropFirst(10)) {
            place = .loopback(port)
        } else {
            return nil
        }
    }

    var description: String { place.description }
}
