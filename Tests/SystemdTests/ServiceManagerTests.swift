import Glibc
import Core
import TestFiles
import Testing

@testable import System

/// A datagram socket in place of systemd's.
private final class NotifySocket {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        let result = try #require(UnixAddress(path)).with { bind(descriptor, $0, $1) }
        try #require(result == 0)
    }

    deinit { close(descriptor) }

    /// The next message that has arrived; nil for none.
    func receive() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

/// Each with an environment of its own: that of the process is also the one of daemons that other tests run.
@Suite struct ServiceManagerTests {
    @Test func systemdHearsHowTheProgramIsDoing() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/notify"
        let socket = try NotifySocket(path)
        let manager = ServiceManager(["NOTIFY_SOCKET": path])

        manager.ready(status: "sampling\nSTOPPING=1")
        #expect(socket.receive() == "READY=1\nSTATUS=sampling\\nSTOPPING=1")
        manager.show(status: "quiet")
        #expect(socket.receive() == "STATUS=quiet")
        manager.keepAlive()
        #expect(socket.receive() == "WATCHDOG=1")
        manager.stopping()
        #expect(socket.receive() == "STOPPING=1")
        #expect(socket.receive() == nil)
    }

    /// As systemd does in a container (sd_notify(3), "NOTIFY_SOCKET").
    @Test func theSocketMayBeAnAbstractOne() throws {
        let path = "@anicca-test-\(getpid())"
        let socket = try NotifySocket(path)
        let manager = ServiceManager(["NOTIFY_SOCKET": path])
        manager.keepAlive()
        #expect(socket.receive() == "WATCHDOG=1")
    }

    @Test func aSocketThatNobodyReadsHoldsNothingUp() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/notify"
        let socket = try NotifySocket(path)
        let filler = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        defer { close(filler) }
        try #require(UnixAddress(path)?.with { connect(filler, $0, $1) } == 0)
        while send(filler, "x", 1, 0) == 1 {}
        let manager = ServiceManager(["NOTIFY_SOCKET": path])
        manager.keepAlive()
        #expect(socket.receive() == "x")
    }

    @Test func aWatchdogOfAnotherProcessIsNone() {
        let manager = ServiceManager(["WATCHDOG_USEC": "900000000", "WATCHDOG_PID": String(getpid() + 1)])
        #expect(manager.watchdogInterval == nil)
    }

    @Test func aReloadCarriesTheMonotonicTime() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/notify"
        let socket = try NotifySocket(path)
        let manager = ServiceManager(["NOTIFY_SOCKET": path])

        let before = nanoseconds(of: CLOCK_MONOTONIC) / 1000
        manager.reloading()
        let after = nanoseconds(of: CLOCK_MONOTONIC) / 1000
        let message = try #require(socket.receive())
        let prefix = "RELOADING=1\nMONOTONIC_USEC="
        #expect(message.hasPrefix(prefix))
        #expect((before...after).contains(try #require(Int64(message.dropFirst(prefix.count)))))
    }

    @Test func withoutSystemdNothingHappens() {
        let manager = ServiceManager([:])
        manager.ready(status: "alone")
        #expect(manager.watchdogInterval == nil)
    }

    @Test func theWatchdogsIntervalIsRead() {
        let manager = ServiceManager(["WATCHDOG_USEC": "900000000", "WATCHDOG_PID": String(getpid())])
        #expect(manager.watchdogInterval == .minutes(15))
    }
}
