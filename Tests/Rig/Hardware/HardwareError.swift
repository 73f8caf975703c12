import Glibc

/// The reason why the hardware cannot be set up. The program ends with the message.
struct HardwareError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The attempt, and the error of the last system call (errno).
    init(systemCall attempt: String) {
        let reason = String(cString: strerror(errno))
        self.init("\(attempt): \(reason)")
    }
}
