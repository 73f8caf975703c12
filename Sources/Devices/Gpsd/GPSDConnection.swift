import Domains
import Glibc
import Core

/// A client of gpsd. Only `check` waits for data. After an error the connection is unusable.
public final class GPSDConnection: PositionSource {
    private let descriptor: Int32
    private var talk = GPSDTalk()

    /// Sent after gpsd's greeting. From then on the receiver is active.
    private static let watch = "?WATCH={\"enable\":true,\"json\":true};\n"
    /// The most bytes taken per drain; the rest keeps the descriptor readable.
    private static let most = 16 * 1024

    public init(_ address: GPSDAddress) throws(PositionError) { descriptor = try address.connect() }

    deinit { close(descriptor) }

    public var fileDescriptor: Int32? { descriptor }

    public func drain(at now: BootTime) throws(PositionError) -> [Fix] {
        var fixes: [Fix] = []
        var left = Self.most
        while left > 0 {
            switch try receive(from: descriptor, atMost: min(left, 4096)) {
            case .bytes(let bytes):
                left -= bytes.count
                let wasGreeted = talk.isGreeted
                fixes += try talk.hear(bytes, at: now)
                if talk.isGreeted, !wasGreeted { try askForReports() }
            case .nothing: return fixes
            // The fixes are returned first; the next call meets the end again.
            case .end where !fixes.isEmpty: return fixes
            case .end: throw talk.afterHangUp
            }
        }
        return fixes
    }

    private func askForReports() throws(PositionError) {
        let text = Array(Self.watch.utf8)
        let sent = text.withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == text.count else { throw sent < 0 ? PositionError(errno: errno) : .failed(errno: EAGAIN) }
    }
}

extension GPSDConnection {
    /// Checks that gpsd greets at `address`: connects, reads the first line and hangs up. The receiver stays asleep.
    /// Throws `silent` after `patience`.
    public static func check(_ address: GPSDAddress, within patience: Interval) throws(PositionError) {
        let descriptor = try address.connect()
        defer { close(descriptor) }
        let deadline = monotonicMilliseconds() + patience.inMilliseconds
        var talk = GPSDTalk()
        while !talk.isGreeted {
            try wait(for: descriptor, until: deadline)
            switch try receive(from: descriptor, atMost: 1024) {
            case .bytes(let bytes): _ = try talk.hear(bytes, at: BootTime(nanoseconds: 0))
            case .nothing: continue
            case .end: throw talk.afterHangUp
            }
        }
    }

    private static func wait(for descriptor: Int32, until deadline: Int64) throws(PositionError) {
        while true {
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&watched, 1, Int32(clamping: max(0, deadline - monotonicMilliseconds())))
            if count > 0 { return }
            if count == 0 { throw .silent }
            guard errno == EINTR else { throw PositionError(errno: errno) }
        }
    }

    private static func monotonicMilliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

private enum Received {
    case bytes([UInt8])
    case nothing
    /// The other side hung up.
    case end
}

private func receive(from descriptor: Int32, atMost limit: Int) throws(PositionError) -> Received {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
        let received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        code = received < 0 ? errno : 0
        count = max(0, received)
    }
    switch code {
    case 0: return bytes.isEmpty ? .end : .bytes(bytes)
    case EAGAIN, EINTR: return .nothing
    default: throw PositionError(errno: code)
    }
}
