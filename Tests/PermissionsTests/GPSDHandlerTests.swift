import Config
import Foundation
import Quantities
import Testing

@testable import Permissions

@Suite struct GPSDHandlerTests {
    private static let greeting =
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"

    private func status(_ port: UInt16, patience: Interval = .seconds(10)) -> DeviceStatus {
        GPSDHandler(.location, settings { $0.location.gpsdPort = port }.location, patience: patience).requestAccess()
    }

    private func status(of server: GreetingServer) -> DeviceStatus {
        withExtendedLifetime(server) { status(server.port) }
    }

    @Test func greetingOfGPSDIsReady() throws {
        #expect(status(of: try GreetingServer(saying: Self.greeting)) == .ready)
    }

    @Test func greetingInPiecesIsReady() throws {
        #expect(status(of: try GreetingServer(Self.greeting.utf8.map { [$0] })) == .ready)
    }

    @Test(arguments: [
        ("SSH-2.0-OpenSSH_9.2p1\r\n", #""SSH-2.0-OpenSSH_9.2p1?""#),
        (#"{"class":"TPV"}"# + "\n", #""{?class?:?TPV?}""#), ("\u{1B}[2J\n", #""?[2J""#),
        (#"{"class":"VERSION","devices":[]}"# + "\n", "devices"), (String(repeating: "x", count: 5000), #"x…""#),
    ])
    func anotherGreetingIsNoGPSD(said: String, quoted: String) throws {
        let status = status(of: try GreetingServer(saying: said))
        guard case .blocked(.absent, let reason) = status else { Issue.record("\(status)"); return }
        #expect(reason.contains("no gpsd") && reason.contains(quoted) && reason.utf8.count < 120)
    }

    @Test func hangUpWithoutAWordIsNoGPSD() throws {
        let server = try GreetingServer([])
        #expect(
            status(of: server)
                == .blocked(
                    .absent, reason: "gpsd at 127.0.0.1:\(server.port): no gpsd, for it says nothing and hangs up"))
    }

    @Test func nobodyListeningIsAbsent() throws {
        let port = try GreetingServer(nil).port
        #expect(status(port) == .blocked(.absent, reason: "gpsd at 127.0.0.1:\(port): nobody listens"))
    }

    @Test func silenceIsFailing() throws {
        let server = try GreetingServer(nil)
        #expect(
            status(server.port, patience: .milliseconds(20))
                == .failing(reason: "gpsd at 127.0.0.1:\(server.port): does not greet within 20 ms"))
        withExtendedLifetime(server) {}
    }

    @Test func aProgramWithoutANetworkIsNoRefusal() {
        let handler = GPSDHandler(.location, settings { $0.location.gpsdPort = 2948 }.location)
        #expect(
            handler.status(of: .noNetwork)
                == .blocked(.absent, reason: "gpsd at 127.0.0.1:2948: this program has no network"))
        guard case .blocked(.refused, _) = handler.status(of: .denied) else { Issue.record("not refused"); return }
        #expect(handler.hintWhenAbsent.contains("remove gpsd-port in [location]"))
    }

    @Test func portHasNoNode() {
        let handler = GPSDHandler(.location, settings { $0.location.gpsdPort = 2948 }.location)
        #expect(handler.nodes.isEmpty && handler.currentStatus == .ready)
    }

    @Test(.enabled(if: gpsd != nil, "gpsd is not installed"))
    func realGPSDIsReady() throws {
        let scratch = try Scratch()
        let port = try GreetingServer(nil).port
        let log = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(gpsd))
        process.arguments = ["-N", "-n", "-D", "3", "-S", "\(port)", "-F", scratch.path("control")]
        process.standardError = log
        try process.run()
        defer {
            // It inherits the signals that this thread blocks, SIGTERM among them.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        #expect(waits(for: "listening on port", in: log.fileHandleForReading))
        #expect(status(port, patience: .seconds(30)) == .ready)
    }

    /// False when the log ends without these words.
    private func waits(for words: String, in log: FileHandle) -> Bool {
        var text = ""
        while !text.contains(words) {
            let more = log.availableData
            if more.isEmpty { return false }
            text += String(decoding: more, as: UTF8.self)
        }
        return true
    }
}

private let gpsd: String? = ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd", "/usr/bin/gpsd"].first {
    FileManager.default.isExecutableFile(atPath: $0)
}
