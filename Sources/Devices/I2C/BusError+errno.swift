import Glibc

extension BusError {
    /// The error for an errno of i2c-dev or of the GPIO character device. The codes are those of the kernel's
    /// Documentation/i2c/fault-codes.rst and of open(2).
    init(errno code: Int32) {
        switch code {
        case ENOENT, ENODEV: self = .absent
        case EACCES, EPERM: self = .denied
        case EBUSY: self = .busy
        case ENXIO, EREMOTEIO: self = .noAcknowledge
        case ETIMEDOUT, EAGAIN: self = .stuck
        case EOPNOTSUPP, EINVAL, ENOTTY: self = .unsupported
        default: self = .failed(errno: code)
        }
    }
}

/// Runs a call that returns a negative errno on failure, and repeats it after `EINTR`.
@discardableResult
func checked(_ call: () -> Int32) throws(BusError) -> Int32 {
    while true {
        let result = call()
        if result >= 0 { return result }
        if result != -EINTR { throw BusError(errno: -result) }
    }
}
