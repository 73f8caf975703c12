import System
import Glibc
import Core

/// A loan of the daemon's devices to this process. It ends with this value, with the process, or when its time is over.
public final class DeviceLoan {
    let descriptor: Int32

    /// The reason why the daemon lends nothing.
    public enum Refusal: Error, Equatable {
        /// No daemon listens: its devices are free.
        case noDaemon
        /// Another command has the devices.
        case taken
        /// Only the daemon's user and root may ask.
        case denied
        /// The daemon has not answered within this many seconds.
        case silent(seconds: Int32)
        case failed(errno: Int32)
    }

    /// Asks the daemon with its bells in `directory`, and waits until it has closed its devices.
    public init(from directory: String) throws(Refusal) {
        guard let address = UnixAddress(LendingSocket.path(in: directory)) else { throw .noDaemon }
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw .failed(errno: errno) }
        do throws(Refusal) {
            guard address.with({ connect(socket, $0, $1) }) == 0 else { throw Refusal(connectErrno: errno) }
            try Self.awaitAnswer(on: socket)
        } catch {
            close(socket)
            throw error
        }
        descriptor = socket
    }

    deinit { close(descriptor) }

    public enum Standing {
        case held
        /// Its time is over. The daemon kills a process that does not end the loan within seconds.
        case over
        /// The daemon has ended. The devices are free until it starts again.
        case ended
    }

    public var standing: Standing {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK))
        if count < 0, errno == EAGAIN || errno == EINTR { return .held }
        return count == 1 ? .over : .ended
    }

    /// Asks for the devices for `length` from now on. Zero asks for at least the time in the daemon's configuration.
    public func ask(for length: Interval = .zero) {
        var seconds = UInt32(clamping: length.inSeconds)
        _ = send(descriptor, &seconds, MemoryLayout.size(ofValue: seconds), Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }

    /// In seconds; longer than a commit on a slow card or the recovery of a bus.
    private static let patience: Int32 = 10

    private static func awaitAnswer(on socket: Int32) throws(Refusal) {
        var waited = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        var result = poll(&waited, 1, patience * 1000)
        while result < 0, errno == EINTR { result = poll(&waited, 1, patience * 1000) }
        guard result > 0 else { throw .silent(seconds: patience) }
        var byte: UInt8 = 0
        guard recv(socket, &byte, 1, 0) == 1 else { throw .noDaemon }
        switch Answer(rawValue: byte) {
        case .lent: return
        case .taken: throw .taken
        case .over, nil: throw .failed(errno: EPROTO)
        }
    }
}

extension DeviceLoan.Refusal {
    init(connectErrno code: Int32) {
        self =
            switch code {
            case ENOENT, ENOTDIR, ECONNREFUSED: .noDaemon
            case EACCES, EPERM: .denied
            default: .failed(errno: code)
            }
    }
}
