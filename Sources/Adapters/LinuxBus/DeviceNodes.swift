import Files

/// Device nodes: a search for those of one kind by their name, a fixed prefix and a number, and a check of one.
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
