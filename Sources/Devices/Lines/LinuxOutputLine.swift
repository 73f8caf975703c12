import CGPIOD
import Glibc

/// A line of a GPIO chip such as `/dev/gpiochip0`, held as an output.
///
/// The kernel releases the line when the process is killed. Its level then depends on the chip's driver: most keep it;
/// that of the older Raspberry Pis turns the line into an input (see docs/alarm.md).
public final class LinuxOutputLine: OutputLine {
    private var line: OpaquePointer?

    /// Requests the line, with the consumer name `anicca`, off.
    ///
    /// - Parameters:
    ///   - chip: The path of the chip's node.
    ///   - offset: The line's number on that chip.
    ///   - isActiveLow: Whether the device is on while the line is low.
    ///
    /// Throws `busy` while another process holds the line; `unsupported` if `chip` is not a GPIO chip, has no such
    /// line, or cannot drive it.
    public init(chip: String, offset: UInt32, isActiveLow: Bool = false) throws(BusError) {
        var line: OpaquePointer?
        try checked {
            chip.withCString { path in
                var request = cgpiod_output(chip: path, offset: offset, active_low: isActiveLow)
                return cgpiod_open_output(&request, &line)
            }
        }
        self.line = line
    }

    deinit { close() }

    public func set(_ isOn: Bool) throws(BusError) {
        guard let line else { throw .failed(errno: EBADF) }
        try checked { cgpiod_set(line, isOn ? 1 : 0) }
    }

    public func close() {
        guard let line else { return }
        // The error of an unplugged chip is ignored.
        _ = cgpiod_set(line, 0)
        cgpiod_close(line)
        self.line = nil
    }
}
