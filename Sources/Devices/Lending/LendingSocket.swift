import CLinux
import System
import Glibc
import Core

/// The Unix socket at which a command asks the daemon for its devices. A connection is a loan: it ends with the process
/// that made it, however it exits.
///
/// Only the daemon's own user and root can connect (mode 0600). The daemon sends `Answer.lent` once the devices are
/// free, or `Answer.taken`, and `Answer.over` at the end of the time. The borrower sends the requested seconds in
/// packets of four bytes.
public final class LendingSocket {
    private let socket: UnixListener

    /// Replaces a socket that exists at `path`.
    public init(path: String) throws(FileError) {
        unlink(path)
        socket = try UnixListener(path: path, .packets)
    }

    /// Becomes readable when a borrower waits. Owned by this value.
    public var descriptor: Int32 { socket.descriptor }

    /// The next waiting borrower; nil if there is none.
    public func accept() -> Borrower? { socket.accept().map(Borrower.init) }

    /// The path of the socket, beside the daemon's bells.
    public static func path(in directory: String) -> String { "\(directory)/lending" }
}

/// The daemon's answers to a borrower, one byte each.
enum Answer: UInt8 {
    case lent = 1
    case taken = 2
    case over = 3
}

/// A command that asked for the devices. The connection is closed with this value.
public final class Borrower {
    /// Becomes readable when the command asks for time, returns the devices, or ends.
    public let descriptor: Int32

    init(_ connection: Int32) { descriptor = connection }

    deinit { close(descriptor) }

    /// The process id; nil if it is unavailable.
    public var process: Int32? {
        let process = anicca_peer(descriptor)
        return process > 0 ? process : nil
    }

    /// Tells it that the daemon has closed the devices.
    public func lend() { send(.lent) }

    /// Tells it that another command has the devices.
    public func refuse() { send(.taken) }

    /// Tells it that its time is over.
    public func recall() { send(.over) }

    private func send(_ answer: Answer) {
        var byte = answer.rawValue
        _ = Glibc.send(descriptor, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// The times requested since the last call; zero stands for the usual time. Nil if the borrower is gone or sent
    /// anything else.
    public func requests() -> [Interval]? {
        var requests: [Interval] = []
        var seconds: UInt32 = 0
        while requests.count < 16 {
            let count = recv(descriptor, &seconds, MemoryLayout.size(ofValue: seconds), 0)
            if count < 0 { return errno == EAGAIN || errno == EINTR ? requests : nil }
            guard count == MemoryLayout.size(ofValue: seconds) else { return nil }
            requests.append(.seconds(Int64(seconds)))
        }
        // So many requests at once are a misuse.
        return nil
    }
}
