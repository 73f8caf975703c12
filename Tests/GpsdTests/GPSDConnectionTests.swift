import Domains
import Foundation
import Core
import TestFiles
import Testing

@testable import Devices

/// gpsd as a test plays it, at a socket or a port.
@Suite struct GPSDConnectionTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let server: ScriptedServer

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/gpsd.sock"
        server = try ScriptedServer(path: path)
    }

    /// With the server at its other end.
    private func connected() throws -> GPSDConnection {
        let connection = try GPSDConnection(.socket(path: path))
        server.accept()
        return connection
    }

    private func drained(_ connection: GPSDConnection) throws(PositionError) -> [Fix] {
        // The kernel has delivered what was sent on a Unix socket before `send` returned.
        try connection.drain(at: Sample.now)
    }

    @Test func reportsAreAskedForOnceGPSDHasGreeted() throws {
        let connection = try connected()
        #expect(try drained(connection) == [])
        #expect(server.hearsNothing())
        server.say(String(Sample.version.dropLast()))
        #expect(try drained(connection) == [])
        #expect(server.hearsNothing())
        server.say("\r\n")
        #expect(try drained(connection) == [])
        #expect(server.hear() == "?WATCH={\"enable\":true,\"json\":true};\n")
        server.say(Sample.version + Sample.others + Sample.position)
        #expect(try drained(connection).first == Sample.fix)
        #expect(try drained(connection) == [])
        #expect(server.hearsNothing())
    }

    @Test func aPortIsReachedInTheSameWay() throws {
        let server = try ScriptedServer()
        let connection = try GPSDConnection(.port(server.port))
        server.accept()
        server.say(Sample.version + Sample.position)
        server.hangUp()
        var fixes: [Fix] = []
        while fixes.isEmpty {
            waitForBytes(connection)
            fixes = try drained(connection)
        }
        #expect(fixes == [Sample.fix])
    }

    @Test func theEndIsToldAfterWhatCameBefore() throws {
        let connection = try connected()
        server.say(Sample.version + Sample.position)
        server.hangUp()
        // Asking for reports fails then, as it would after the next of gpsd's lines.
        #expect(throws: PositionError.closed) { try drained(connection) }

        let other = try connected()
        server.say(Sample.version)
        _ = try drained(other)
        _ = server.hear()
        server.say(Sample.position)
        server.hangUp()
        #expect(try drained(other).count == 1)
        #expect(throws: PositionError.closed) { try drained(other) }
        #expect(throws: PositionError.closed) { try drained(other) }
    }

    /// As a proxy does where gpsd is away.
    @Test func whoAcceptsAndHangsUpIsClosed() throws {
        let connection = try connected()
        server.hangUp()
        #expect(throws: PositionError.closed) { try drained(connection) }
    }

    @Test func anotherProgramIsRecognised() throws {
        let connection = try connected()
        server.say("220 mail\r\n")
        #expect(throws: PositionError.notGPSD(says: "220 mail?")) { try drained(connection) }
        #expect(server.hearsNothing())
    }

    @Test func aLineWithoutAnEndEndsTheConnection() throws {
        let connection = try connected()
        server.say(Sample.version + String(repeating: "x", count: GPSDTalk.longestLine + 1))
        #expect(throws: PositionError.overlong) { while true { _ = try drained(connection) } }
    }

    @Test func aCallTakesABoundedAmount() throws {
        let connection = try connected()
        server.say(Sample.version)
        _ = try drained(connection)
        let lines = (0..<200).map { Sample.position.replacing("52.5", with: "\($0 % 90).25") }.joined()
        server.say(lines)
        var counts: [Int] = []
        while counts.last != 0 { counts.append(try drained(connection).count) }
        #expect(counts.reduce(0, +) == 200 && counts.count > 2)
    }

    @Test func thereIsNoSuchSocketOrNobodyListens() throws {
        #expect(throws: PositionError.absent) { try GPSDConnection(.socket(path: directory.path + "/other")) }
        #expect(throws: PositionError.absent) { try GPSDConnection(.socket(path: path + "/below")) }
        let file = try directory.write("file", "")
        #expect(throws: PositionError.absent) { try GPSDConnection(.socket(path: file)) }
        let long = directory.path + "/" + String(repeating: "x", count: 100)
        #expect(throws: PositionError.failed(errno: ENAMETOOLONG)) { try GPSDConnection(.socket(path: long)) }
    }

    private static let faults: [(code: Int32, error: PositionError)] = [
        (EACCES, .denied), (EPERM, .denied), (EAFNOSUPPORT, .noNetwork), (ENETUNREACH, .noNetwork),
        (ENOENT, .absent), (ECONNREFUSED, .absent), (EHOSTUNREACH, .failed(errno: EHOSTUNREACH)),
    ]

    @Test func onlyPermissionsCountAsDenied() {
        for fault in Self.faults { #expect(PositionError(errno: fault.code) == fault.error) }
    }

    // MARK: Looking alone

    @Test func whoLooksAsksForNoReports() throws {
        let path = path
        let heard = Pipe()
        Thread.detachNewThread { [listener = server.listener] in
            let connection = accept(listener, nil, nil)
            for byte in Array(Sample.version.utf8) {
                _ = withUnsafeBytes(of: byte) { send(connection, $0.baseAddress, 1, 0) }
            }
            var bytes = [UInt8](repeating: 0, count: 100)
            let count = recv(connection, &bytes, bytes.count, 0)
            heard.fileHandleForWriting.write(Data(bytes[..<max(0, count)]))
            heard.fileHandleForWriting.closeFile()
            close(connection)
        }
        try GPSDConnection.check(.socket(path: path), within: .seconds(30))
        #expect(heard.fileHandleForReading.readDataToEndOfFile().isEmpty)
    }

    @Test func whoLooksWaitsNoLongerThanThePatience() throws {
        #expect(throws: PositionError.silent) {
            try GPSDConnection.check(.socket(path: path), within: .milliseconds(10))
        }
    }
}

/// Until something can be drained, or a while has passed.
func waitForBytes(_ connection: GPSDConnection) {
    var watched = pollfd(fd: connection.fileDescriptor ?? -1, events: Int16(POLLIN), revents: 0)
    poll(&watched, 1, 1000)
}
