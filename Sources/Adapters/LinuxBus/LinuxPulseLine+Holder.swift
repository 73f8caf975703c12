import CGPIOD
import Ports

extension LinuxPulseLine {
    /// The name under which this program holds lines, as gpioinfo(1) shows it.
    public static let consumer = String(cString: cgpiod_consumer())

    /// Who holds the line, by the name that the holder gave; nil while it is free. Takes and changes nothing.
    ///
    /// Throws as `init` does, except `busy`.
    public static func holder(chip: String, offset: UInt32) throws(BusError) -> String? {
        var name = [CChar](repeating: 0, count: 64)
        let isHeld = try checked { cgpiod_holder(chip, offset, &name, name.count) } > 0
        return isHeld ? String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
