/// The reason why a bus or a line could not be used. Each case is one that a caller treats differently; the errno of
/// Linux is translated to it in one place (`LinuxBus`).
public enum BusError: Error, Hashable, Sendable {
    /// The node or the adapter is not there, or was unplugged (`ENOENT`, `ENODEV`). Final until it returns.
    case absent
    /// The kernel refuses the node (`EACCES`, `EPERM`). Final until its mode or the process's groups change.
    case denied
    /// Another process holds the device or the line (`EBUSY`). Worth trying again later.
    case busy
    /// No acknowledgement (`ENXIO`, `EREMOTEIO`): no chip at that address, or it is not ready. Transient.
    case noAcknowledge
    /// The bus is held low or timed out (`ETIMEDOUT`, `EAGAIN`, arbitration lost). Transient after recovery.
    case stuck
    /// The adapter or the line does not support the request (`EOPNOTSUPP`, `EINVAL`, `ENOTTY`). Final.
    case unsupported
    /// Anything else, with the errno that the kernel gave. Treated as transient.
    case failed(errno: Int32)
}
