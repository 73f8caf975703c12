import System
import Glibc

/// Device nodes: a search by name, which is a fixed prefix and a number, and a check of one node.
public enum DeviceNodes {
    /// The paths of the nodes in `directory`, lowest number first; empty if there are none or the directory cannot be
    /// read.
    static func named(_ prefix: String, in directory: String = "/dev") -> [String] {
        readableFileNames(in: directory)
            .compactMap { name in number(of: name, after: prefix) }
            .sorted()
            .map { number in "\(directory)/\(prefix)\(number)" }
    }

    private static func number(of name: String, after prefix: String) -> UInt32? {
        guard name.hasPrefix(prefix), let number = UInt32(name.dropFirst(prefix.count)),
            name == "\(prefix)\(number)"
        else { return nil }
        return number
    }
}

extension LinuxI2CBus {
    /// The I²C buses of this machine, such as `/dev/i2c-1`, whether or not they can be opened.
    public static func nodes() -> [String] { DeviceNodes.named("i2c-") }
}

extension LinuxPulseLine {
    /// The GPIO chips of this machine, such as `/dev/gpiochip0`, whether or not they can be opened.
    public static func chips() -> [String] { DeviceNodes.named("gpiochip") }
}

extension DeviceNodes {
    /// Opens the node for reading and writing and closes it again, to check that it exists and may be used. Nothing is
    /// sent to the device, and no line is requested.
    ///
    /// Throws `absent` also for a node without a driver (`ENXIO`).
    public static func look(at path: String) throws(BusError) {
        if isSocket(path) { return _ = try ServedI2CBus(path: path) }
        do throws(BusError) {
            let descriptor = try checked {
                let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
                return descriptor < 0 ? -errno : descriptor
            }
            close(descriptor)
        } catch .noAcknowledge, .failed(errno: ENOTDIR) {
            throw .absent
        }
    }
}

/// Whether `path` is a Unix socket; false if it cannot be looked up.
public func isSocket(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
}
