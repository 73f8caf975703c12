import Glibc
import Quantities

/// The addresses of a host. libmosquitto asks the resolver itself, without a limit, and tries the first address alone.
enum HostAddresses {
    /// More are not tried.
    private static let most = 4

    /// The reason why there are none, for people.
    struct Unknown: Error {
        let reason: String
    }

    /// Numeric addresses in the order of RFC 6724, each once.
    static func of(_ host: String, within wait: Interval) throws(Unknown) -> [String] {
        // No resolver is asked where "this machine" is.
        guard host != "localhost" else { return ["127.0.0.1", "::1"] }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Unknown(reason: String(cString: strerror(errno)))
        }
        defer { close(ends[0]) }
        let question = Unmanaged.passRetained(Question(host: host, answersTo: ends[1]))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { context in
                context.map { Unmanaged<Question>.fromOpaque($0).takeRetainedValue().ask() }
                return nil
            }, question.toOpaque())
        guard status == 0 else {
            question.release()
            throw Unknown(reason: String(cString: strerror(status)))
        }
        pthread_detach(thread)
        return try answer(from: ends[0], within: wait)
    }

    private static func answer(from end: Int32, within wait: Interval) throws(Unknown) -> [String] {
        var watched = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        // The thread that still asks is left behind; it frees what it holds when its answer comes.
        guard poll(&watched, 1, Int32(clamping: max(0, wait.inMilliseconds))) == 1 else {
            throw Unknown(reason: "is not known: the name server does not answer")
        }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = recv(end, &bytes, bytes.count, 0)
        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
        guard let first = lines.first, first == "ok", lines.count > 1 else {
            throw Unknown(reason: "is not known: \(lines.first ?? "no address")")
        }
        return lines.dropFirst().map(String.init)
    }

    /// Asked in a thread of its own, as getaddrinfo(3) has no limit.
    private final class Question {
        private let host: String
        private let end: Int32

        init(host: String, answersTo end: Int32) {
            self.host = host
            self.end = end
        }

        deinit { close(end) }

        func ask() {
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            hints.ai_flags = AI_ADDRCONFIG
            var found: UnsafeMutablePointer<addrinfo>?
            let status = getaddrinfo(host, nil, &hints, &found)
            guard status == 0 else { return tell(String(cString: gai_strerror(status))) }
            tell((["ok"] + numeric(found)).joined(separator: "\n"))
            freeaddrinfo(found)
        }

        private func tell(_ text: String) {
            let bytes = Array(text.utf8)
            _ = send(end, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }

        private func numeric(_ first: UnsafeMutablePointer<addrinfo>?) -> [String] {
            var found: [String] = []
            var next = first
            while let entry = next?.pointee, found.count < most {
                // NI_MAXHOST would be 1025; an address with its scope is shorter.
                var text = [CChar](repeating: 0, count: 128)
                let status = getnameinfo(
                    entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                let address = text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
                if status == 0, !found.contains(address) { found.append(address) }
                next = entry.ai_next
            }
            return found
        }
    }
}
