import Glibc
import Ports

extension DeviceNodes {
    /// Opens the node for reading and writing and closes it again, to check that it exists and may be used. Nothing is
    /// sent to the device, and no line is requested.
    ///
    /// Throws `absent` also for a node without a driver behind it (`ENXIO`).
    public static func look(at path: String) throws(BusError) {
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
