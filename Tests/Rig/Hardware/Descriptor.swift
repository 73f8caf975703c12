import Glibc

/// A file descriptor that is closed with its last owner.
final class Descriptor {
    let number: Int32

    /// Takes over an open descriptor.
    init(_ number: Int32) { self.number = number }

    /// Opens a file; a new one is readable by all users.
    convenience init(opening path: String, _ flags: Int32) throws(HardwareError) {
        let number = open(path, flags | O_CLOEXEC, 0o644)
        guard number >= 0 else { throw HardwareError(systemCall: path) }
        self.init(number)
    }

    deinit { close(number) }
}
