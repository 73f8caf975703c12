import Glibc
import Core

/// A part of the program that waits for file descriptors or for a time, and then does a little work.
protocol Service: AnyObject {
    /// The descriptors that it waits for now.
    var descriptors: [Int32] { get }

    /// The latest time to serve it; nil for none, as for most services.
    var deadline: BootTime? { get }

    /// Handles the ready descriptors, without blocking.
    func serve(_ ready: Set<Int32>) throws(HardwareError)
}

extension Service {
    var deadline: BootTime? { nil }
}

/// Serves all services in turn until one throws.
func serve(_ services: [any Service]) throws(HardwareError) -> Never {
    while true {
        let ready = try wait(for: services.flatMap(\.descriptors), until: services.compactMap(\.deadline).min())
        for service in services { try service.serve(ready) }
    }
}

/// Waits until one of the descriptors can be read or has ended, or the time has come.
private func wait(for descriptors: [Int32], until deadline: BootTime?) throws(HardwareError) -> Set<Int32> {
    var states = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    // Rounded up: a service that is woken too early would wait for the same time again.
    let timeout = deadline.map { Int32(clamping: max(($0 - .now).inMilliseconds + 1, 0)) } ?? -1
    while poll(&states, nfds_t(states.count), timeout) < 0 {
        guard errno == EINTR else { throw HardwareError(systemCall: "poll") }
    }
    return Set(states.filter { $0.revents != 0 }.map(\.fd))
}

/// Writes a line to standard output, at once.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}
