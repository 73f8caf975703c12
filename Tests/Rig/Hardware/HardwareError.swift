import Glibc

/// Why the hardware cannot be set up. The program ends with the message.
struct HardwareError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// What was tried, and why the last system call failed.
    init(systemCall attempt: String) {
        let reason = String(cString: strerror(errno))
        self.init("\(attempt): \(reason)")
    }
}
