/// The reason why a bus or a line could not be used. Callers treat each case differently. `init(errno:)` is the only
/// translation from an errno.
public enum BusError: Error, Hashable, Sendable {
    /// The node or the adapter is missing or was unplugged (`ENOENT`, `ENODEV`). Final until it returns.
    case absent
    /// The kernel refuses the node (`EACCES`, `EPERM`). Final until its mode or the process's groups change.
    case denied
    /// Another process holds the device or the line (`EBUSY`). Transient.
    case busy
    /// No acknowledgement (NACK; `ENXIO`, `EREMOTEIO`): no chip at that address, or it is not ready. Transient.
    case noAcknowledge
    /// The bus is held low or timed out (`ETIMEDOUT`, `EAGAIN`, arbitration lost). Transient after recovery.
    case stuck
    /// The adapter or the line does not support the request (`EOPNOTSUPP`, `EINVAL`, `ENOTTY`). Final.
    case unsupported
    /// Any other errno of the kernel. Treated as transient.
    case failed(errno: Int32)
}
