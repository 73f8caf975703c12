import CGPIOD
import Ports

extension LinuxPulseLine {
    /// The name under which this program holds lines, as gpioinfo(1) shows it.
    public static let consumer = String(cString: cgpiod_consumer())

    /// The consumer name of the process that holds the line; nil while it is free. Does not request or change the line.
    ///
    /// Throws as `init` does, except `busy`.
    public static func holder(chip: String, offset: UInt32) throws(BusError) -> String? {
        var name = [CChar](repeating: 0, count: 64)
        let isHeld = try checked { cgpiod_holder(chip, offset, &name, name.count) } > 0
        return isHeld ? String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
