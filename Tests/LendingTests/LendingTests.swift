import System
import Foundation
import Glibc
import Core
import TestFiles
import Testing

@testable import Devices

/// A loan between two ends of a real socket.
@Suite struct LendingTests {
    private let directory: TemporaryDirectory
    private let socket: LendingSocket
    private var path: String { LendingSocket.path(in: directory.path) }

    init() throws {
        directory = try TemporaryDirectory()
        socket = try LendingSocket(path: LendingSocket.path(in: directory.path))
    }

    /// The result of a command that asks, whose connection is answered by `answer`.
    private func ask(_ answer: (Borrower) -> Void) throws -> Result<DeviceLoan, DeviceLoan.Refusal> {
        final class Outcome: @unchecked Sendable {
            var result: Result<DeviceLoan, DeviceLoan.Refusal>?
            let isThere = DispatchSemaphore(value: 0)
        }
        let outcome = Outcome()
        Thread.detachNewThread { [path = directory.path] in
            do throws(DeviceLoan.Refusal) {
                outcome.result = .success(try DeviceLoan(from: path))
            } catch {
                outcome.result = .failure(error)
            }
            outcome.isThere.signal()
        }
        answer(try waited())
        outcome.isThere.wait()
        // The thread may hold the outcome for a moment longer, and a loan in it would last.
        defer { outcome.result = nil }
        return try #require(outcome.result)
    }

    private func waited() throws -> Borrower {
        var asked = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&asked, 1, 10_000) == 1)
        return try #require(socket.accept())
    }

    @Test func aLoanLastsAsLongAsBothEndsDo() throws {
        var borrower: Borrower?
        var loan: DeviceLoan? = try ask {
            $0.lend()
            borrower = $0
        }.get()
        #expect(borrower?.requests() == [])
        #expect(borrower?.process == getpid())
        #expect(loan?.standing == .held)
        loan = nil
        #expect(borrower?.requests() == nil)
    }

    @Test func theEndOfTheDaemonIsSeen() throws {
        var borrower: Borrower?
        let loan = try ask {
            $0.lend()
            borrower = $0
        }.get()
        #expect(loan.standing == .held)
        loan.ask()
        withExtendedLifetime(borrower) {}
        borrower = nil
        #expect(loan.standing == .ended)
    }

    @Test func whoIsRefusedIsTold() throws {
        let result = try ask { $0.refuse() }
        #expect(throws: DeviceLoan.Refusal.taken) { try result.get() }
    }

    @Test func aDaemonThatEndsInTheMiddleIsNone() throws {
        let result = try ask { _ in }
        #expect(throws: DeviceLoan.Refusal.noDaemon) { try result.get() }
    }

    @Test func anAnswerThatIsNoneIsRefused() throws {
        let result = try ask {
            var byte: UInt8 = 9
            _ = send($0.descriptor, &byte, 1, 0)
        }
        #expect(throws: DeviceLoan.Refusal.failed(errno: EPROTO)) { try result.get() }
    }

    @Test func timeIsAskedForAndItsEndIsTold() throws {
        var borrower: Borrower?
        let loan = try ask {
            $0.lend()
            borrower = $0
        }.get()
        loan.ask(for: .hours(8))
        loan.ask()
        #expect(borrower?.requests() == [.hours(8), .zero])
        borrower?.recall()
        #expect(loan.standing == .over)
        #expect(loan.standing == .over, "until the command ends it")
    }

    @Test func aBorrowerThatTalksOnIsSentAway() throws {
        var borrower: Borrower?
        let loan = try ask {
            $0.lend()
            borrower = $0
        }.get()
        for _ in 0..<5 { loan.ask() }
        #expect(borrower?.requests()?.count == 5)
        for _ in 0..<40 { loan.ask() }
        #expect(borrower?.requests() == nil)
    }

    @Test func aBorrowerThatSaysAnythingElseIsSentAway() throws {
        var borrower: Borrower?
        let loan = try ask {
            $0.lend()
            borrower = $0
        }.get()
        var byte: UInt8 = 1
        _ = send(loan.descriptor, &byte, 1, 0)
        #expect(borrower?.requests() == nil)
    }

    @Test func onlyTheOwnerMayAsk() throws {
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    /// The umask belongs to the process: what other threads make meanwhile, and afterwards, keeps its mode.
    @Test func makingSocketsChangesNoModeOfOtherFiles() throws {
        let mask = try Self.maskOfProcess()
        DispatchQueue.concurrentPerform(iterations: 400) { [path = directory.path] number in
            let place = "\(path)/\(number)"
            #expect(mkdir(place, 0o777) == 0 && Self.mode(of: place) == 0o777 & ~mask)
            do {
                let other = try LendingSocket(path: LendingSocket.path(in: place))
                #expect(Self.mode(of: LendingSocket.path(in: place)) == 0o600)
                withExtendedLifetime(other) {}
            } catch {
                Issue.record(error)
            }
        }
        #expect(try Self.maskOfProcess() == mask)
    }

    private static func mode(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    /// Without umask(2), which cannot read without a change.
    private static func maskOfProcess() throws -> mode_t {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Umask:") })
        return try #require(mode_t(line.dropFirst(6).trimmingCharacters(in: .whitespaces), radix: 8))
    }

    @Test func withoutASocketThereIsNoDaemon() throws {
        #expect(throws: DeviceLoan.Refusal.noDaemon) { try DeviceLoan(from: directory.path + "/none") }
        let other = try TemporaryDirectory()
        #expect(FileManager.default.createFile(atPath: LendingSocket.path(in: other.path), contents: nil))
        #expect(throws: DeviceLoan.Refusal.noDaemon) { try DeviceLoan(from: other.path) }
    }

    /// As after a kill of the daemon before.
    @Test func aSocketThatWasLeftIsReplaced() throws {
        let second = try LendingSocket(path: path)
        #expect(second.accept() == nil)
    }

    @Test func aPathThatTheKernelCannotHoldIsRefused() {
        let long = directory.path + "/" + String(repeating: "x", count: 120)
        #expect(throws: FileError.failed(path: long, errno: ENAMETOOLONG)) { try LendingSocket(path: long) }
    }
}
