import ArgumentParser
import Foundation

/// `anicca-receiver develop`
struct Develop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A server to develop against: takes any token on loopback, and misbehaves on request.",
        discussion: """
            Prints {"kind":"listening","port":N} when it is ready. Ends on SIGTERM or SIGINT, when its parent \
            ends, and after its lifetime.

            GET /_records, /_requests and /_stats list the received requests. POST /_control takes a misbehaviour for \
            the next COUNT requests:
              {"status":503,"count":2,"retryAfter":5}: this status, nothing stored
              {"drop":"before","count":1}: hang up without an answer, nothing stored
              {"drop":"after","count":1}: hang up without an answer, stored
              {"stall":30,"count":1}: stored, but the answer waits so many seconds
              {"rubbish":true,"count":1}: 200 with a web page, nothing stored
            """)

    @Option(help: "The port on 127.0.0.1; 0 takes a free one.")
    var port: UInt16 = 8787

    @Option(help: "The SQLite file for received requests.")
    var store = "receiver.sqlite"

    @Option(help: "The only accepted bearer token; without it, any token is accepted.")
    var token: String?

    @Option(help: "A misbehaviour from the start, as POST /_control takes it. Can be repeated.")
    var misbehave: [String] = []

    @Option(help: "Answers each new event with this message as a nudge.")
    var nudge: String?

    @Flag(help: "The nudge is a strong one, not a light one.")
    var strong = false

    @Option(help: "Seconds after which it ends by itself.")
    var lifetime = 3600.0

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        for signal in [SIGTERM, SIGINT] { Glibc.signal(signal) { _ in _exit(EXIT_SUCCESS) } }
        let parent = getppid()
        let service = DevelopmentService(
            store: try openStore(), token: token, misbehaviours: try misbehaviours(),
            nudge: nudge.map { .object(["strength": .string(strong ? "strong" : "light"), "message": .string($0)]) })
        let server = try orStop { try HTTPServer(.loopback(port), handler: service.answer) }
        server.announce()
        let end = Date.now.addingTimeInterval(lifetime)
        while Date.now < end, getppid() == parent { try await Task.sleep(for: .milliseconds(250)) }
    }

    private func openStore() throws -> SQLiteStore {
        try orStop {
            let store = try SQLiteStore(path: store)
            try store.migrate()
            return store
        }
    }

    private func misbehaviours() throws -> [Misbehaviour] {
        do {
            return try misbehave.map { try Misbehaviour(json: Data($0.utf8)) }
        } catch let malformed as Misbehaviour.Malformed {
            throw ValidationError(malformed.description)
        }
    }
}
