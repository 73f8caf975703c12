import Config
import Glibc
import System
import Devices
import Core
import Testing

@testable import Sensing

/// The socket at which gpsd is reached without a network, and the port.
@Suite struct GPSDSocketTests {
    private static let greeting = #"{"class":"VERSION","release":"3.22"}"# + "\r\n"

    private let scratch: Scratch
    private let path: String

    init() throws {
        scratch = try Scratch()
        path = scratch.path("gpsd.sock")
    }

    private func handler(_ path: String, patience: Interval = .seconds(10)) -> GPSDHandler {
        GPSDHandler(.location, settings { $0.location.gpsdSocket = path }.location, patience: patience)
    }

    private func handler(port: UInt16) -> GPSDHandler {
        GPSDHandler(.location, settings { $0.location.gpsdPort = port }.location)
    }

    private func blocked(_ reason: String) -> DeviceStatus {
        .blocked(.absent, reason: "gpsd at \(path): \(reason)")
    }

    @Test func greetingOfGPSDIsReady() throws {
        let server = try GreetingServer([Array(Self.greeting.utf8)], at: path)
        #expect(handler(path).currentStatus == .ready)
        #expect(withExtendedLifetime(server) { handler(path).requestAccess() } == .ready)
    }

    /// As of a proxy whose gpsd is away.
    @Test func hangUpWithoutAWordIsNoGPSD() throws {
        let server = try GreetingServer([], at: path)
        let status = withExtendedLifetime(server) { handler(path).requestAccess() }
        #expect(status == blocked("not gpsd: it hangs up without a greeting"))
    }

    @Test func anotherGreetingIsNoGPSD() throws {
        let server = try GreetingServer([Array("220 mail\n".utf8)], at: path)
        let status = withExtendedLifetime(server) { handler(path).requestAccess() }
        #expect(status == blocked("not gpsd: it says \"220 mail\""))
    }

    @Test func silenceIsFailing() throws {
        let server = try GreetingServer(nil, at: path)
        let status = withExtendedLifetime(server) { handler(path, patience: .milliseconds(20)).requestAccess() }
        #expect(status == .failing(reason: "gpsd at \(path): does not greet within 20 ms"))
    }

    @Test func aSocketThatIsNotThereIsAbsent() throws {
        #expect(handler(path).currentStatus == blocked("there is no such socket"))
        #expect(handler(path).requestAccess() == blocked("there is no such socket"))
        _ = try scratch.file("gpsd.sock")
        #expect(handler(path).requestAccess() == blocked("not a socket"))
    }

    @Test func aSocketWithoutAListenerIsAbsent() throws {
        do { _ = try GreetingServer(nil, at: path) }
        #expect(handler(path).currentStatus == .ready)
        #expect(handler(path).requestAccess() == blocked("no process listens"))
    }

    @Test func aPathThatIsTooLongIsNoFailureThatPasses() throws {
        let folder = try scratch.folder(String(repeating: "x", count: 100), mode: 0o755)
        let link = scratch.path("s")
        #expect(symlink(folder, link) == 0)
        let server = try GreetingServer(nil, at: link + "/gpsd.sock")
        let long = folder + "/gpsd.sock"
        let status = withExtendedLifetime(server) { handler(long).requestAccess() }
        #expect(
            status == .blocked(.absent, reason: "gpsd at \(long): a socket's path has 107 bytes at most"))
    }

    @Test func aSocketThatMayNotBeUsedIsRefused() throws {
        let server = try GreetingServer(nil, at: path)
        try scratch.setMode(0, of: "gpsd.sock")
        let refused = DeviceStatus.blocked(.refused, reason: "gpsd at \(path): permission denied for connecting")
        let statuses = try withoutRootPrivileges { [handler(path).currentStatus, handler(path).requestAccess()] }
        withExtendedLifetime(server) {}
        #expect(statuses == [refused, refused])
    }

    @Test func hintsNameTheCommandsOfTheWayThatIsConfigured() {
        #expect(
            handler(path).hintWhenAbsent
                .hasPrefix("run: apt install gpsd; then: systemctl enable --now gpsd.socket anicca-gpsd.socket; "))
        #expect(handler(path).hintWhenRefused.contains("chgrp anicca \(path) && chmod g+rw \(path)"))
        let port = handler(port: 2948)
        #expect(
            port.hintWhenAbsent
                .hasPrefix("run: apt install gpsd; then: systemctl enable --now gpsd.socket; or correct gpsd-port"))
        #expect(port.hintWhenRefused.contains("firewall") && port.hintWhenRefused.contains("anicca-gpsd.socket"))
    }

    // MARK: A port

    @Test func aPortIsAskedInTheSameWayAndHasNoNode() throws {
        let server = try GreetingServer([Array(Self.greeting.utf8)])
        #expect(withExtendedLifetime(server) { handler(port: server.port).requestAccess() } == .ready)
        let left = try GreetingServer(nil).port
        #expect(
            handler(port: left).requestAccess()
                == .blocked(.absent, reason: "gpsd at 127.0.0.1:\(left): no process listens"))
        #expect(handler(port: left).nodes.isEmpty && handler(port: left).currentStatus == .ready)
    }

    @Test func aProgramWithoutANetworkIsNoRefusal() {
        let handler = handler(port: 2948)
        #expect(
            handler.status(of: .noNetwork)
                == .blocked(.absent, reason: "gpsd at 127.0.0.1:2948: this program has no network"))
        guard case .blocked(.refused, _) = handler.status(of: .denied) else { Issue.record("not refused"); return }
        #expect(handler.hintWhenAbsent.contains("remove gpsd-port in [location]"))
    }

    // MARK: Coming and going

    @Test func theSocketIsWatchedAndUntilItIsThereItsDirectory() throws {
        #expect(handler(path).nodes == [scratch.directory])
        let server = try GreetingServer(nil, at: path)
        withExtendedLifetime(server) { #expect(handler(path).nodes == [path]) }
        #expect(handler("/gpsd.sock").nodes == ["/"])
    }

    /// systemd makes a socket and then gives it to its group, which the watch on the directory tells; as the one on the socket
    /// tells that it was removed.
    @Test func theDaemonIsToldWhenTheSocketComesAndGoes() throws {
        let loop = try EpollLoop()
        let handler = handler(path)
        var looks: [DeviceStatus] = []
        var watch: (any EventSource)?
        var server: GreetingServer?
        func watchAgain() throws(LoopError) {
            watch = try loop.onChange(ofNode: handler.nodes[0]) {
                looks.append(handler.currentStatus)
                guard looks.last == .ready else { return loop.stop(0) }
                do {
                    try watchAgain()
                } catch {
                    loop.stop(1)
                }
                unlink(path)
            }
        }
        try watchAgain()
        let start = try loop.timer {
            do {
                server = try GreetingServer(nil, at: path)
                try scratch.setMode(0o660, of: "gpsd.sock")
            } catch {
                loop.stop(2)
            }
        }
        start.arm(at: loop.now.boot, slack: .zero)
        #expect(try loop.run() == 0)
        withExtendedLifetime((watch, server)) {}
        // Its closure holds it.
        watch = nil
        #expect(looks == [.ready, blocked("there is no such socket")])
    }
}
