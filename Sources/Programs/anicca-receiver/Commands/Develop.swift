import ArgumentParser
import FlyingFox
import FlyingSocks
import Foundation

/// A service to develop against: takes devices' requests, on loopback only, and misbehaves on request.
@main
struct Receiver: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anicca-receiver",
        abstract: "Takes daily records and nudges on loopback, strictly, and keeps them in SQLite.",
        discussion: """
            Prints {"kind":"listening","port":N} when it is ready. Ends on SIGTERM or SIGINT, when its parent \
            ends, and after its lifetime.

            GET /_records, /_requests and /_stats show what came. POST /_control takes a misbehaviour, which the \
            next COUNT requests meet:
              {"status":503,"count":2,"retryAfter":5}   this status, nothing stored
              {"drop":"before","count":1}               hang up without an answer, nothing stored
              {"drop":"after","count":1}                hang up without an answer, stored
              {"stall":30,"count":1}                    stored, but the answer waits so many seconds
              {"rubbish":true,"count":1}                200 with a web page, nothing stored
            """)

    @Option(help: "The port on 127.0.0.1; 0 takes a free one.")
    var port: UInt16 = 8787

    @Option(help: "The SQLite file that keeps what came in.")
    var store = "receiver.sqlite"

    @Option(help: "The only bearer token that is let in. Without it any token is.")
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
        for signal in [SIGTERM, SIGINT] { Glibc.signal(signal) { _ in _exit(EXIT_SUCCESS) } }
        let parent = getppid()
        let service = Service(
            store: try ReceiverStore(path: store), token: token, misbehaviours: try misbehaviours(),
            nudge: nudge.map { .object(["strength": .string(strong ? "strong" : "light"), "message": .string($0)]) })
        let server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: port), timeout: lifetime,
            pool: PromptPool(HTTPServer.defaultPool()), logger: .disabled, handler: ClosureHTTPHandler(service.answer))
        let serving = Task { await Self.serve(server, port) }
        try await server.waitUntilListening()
        guard case .ip4(_, let port)? = await server.listeningAddress else { throw ExitCode.failure }
        print(#"{"kind":"listening","port":\#(port)}"#)
        fflush(nil)
        let end = Date.now.addingTimeInterval(lifetime)
        while Date.now < end, getppid() == parent, !serving.isCancelled {
            try await Task.sleep(for: .milliseconds(250))
        }
        serving.cancel()
    }

    private func misbehaviours() throws -> [Misbehaviour] {
        do {
            return try misbehave.map { try Misbehaviour(json: Data($0.utf8)) }
        } catch let malformed as Misbehaviour.Malformed {
            throw ValidationError(malformed.description)
        }
    }

    /// Runs the server. Ends the program (`EX_UNAVAILABLE`) when the port cannot be bound.
    private static func serve(_ server: HTTPServer, _ port: UInt16) async {
        do {
            try await server.run()
        } catch {
            guard !Task.isCancelled else { return }
            let advice = "end what listens there, or choose another --port"
            let message = "anicca-receiver: port \(port): \(error.localizedDescription); \(advice)\n"
            FileHandle.standardError.write(Data(message.utf8))
            Glibc.exit(69)
        }
    }
}
