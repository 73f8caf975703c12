import Glibc
import Core

/// The addresses of a host. libmosquitto itself would resolve without a timeout, and try only the first address.
enum HostAddresses {
    /// Further addresses are not tried.
    private static let most = 4

    /// The reason for a failure, for people.
    struct Unknown: Error {
        let reason: String
    }

    /// Numeric addresses in the order of RFC 6724, without duplicates.
    static func of(_ host: String, within wait: Interval) throws(Unknown) -> [String] {
        // "This machine" and an address need no resolver.
        guard host != "localhost" else { return ["127.0.0.1", "::1"] }
        var address = in6_addr()
        guard inet_pton(AF_INET, host, &address) != 1, inet_pton(AF_INET6, host, &address) != 1 else { return [host] }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Unknown(reason: String(cString: strerror(errno)))
        }
        let question = Question(host, ends)
        let reference = Unmanaged.passRetained(question)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { context in
                context.map { Unmanaged<Question>.fromOpaque($0).takeRetainedValue().ask() }
                return nil
            }, reference.toOpaque())
        guard status == 0 else {
            reference.release()
            throw Unknown(reason: String(cString: strerror(status)))
        }
        pthread_detach(thread)
        return try question.answer(within: wait)
    }

    /// Runs in a thread of its own, because getaddrinfo(3) has no timeout. After a timeout the thread is abandoned, and
    /// the last of both frees the object.
    private final class Question {
        private let host: String
        /// The thread signals on the second that its answer is ready.
        private let ends: [Int32]
        /// Written before the signal, and read after it.
        private var found: [String] = []
        private var problem = "no address"

        init(_ host: String, _ ends: [Int32]) {
            self.host = host
            self.ends = ends
        }

        deinit { for end in ends { close(end) } }

        func answer(within wait: Interval) throws(Unknown) -> [String] {
            var watched = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, Int32(clamping: max(0, wait.inMilliseconds))) == 1 else {
                throw Unknown(reason: "is not known: the name server does not answer")
            }
            guard !found.isEmpty else { throw Unknown(reason: "is not known: \(problem)") }
            return found
        }

        func ask() {
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            hints.ai_flags = AI_ADDRCONFIG
            var first: UnsafeMutablePointer<addrinfo>?
            let status = getaddrinfo(host, nil, &hints, &first)
            if status == 0 {
                found = numeric(first)
                freeaddrinfo(first)
            } else {
                problem = String(cString: gai_strerror(status))
            }
            _ = send(ends[1], "!", 1, Int32(MSG_NOSIGNAL))
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
